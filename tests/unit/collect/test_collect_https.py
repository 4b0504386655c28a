"""Faults of switches behind eAPI and NVUE: each is one diagnostic, nothing is taken, and no login goes astray."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.collect.readings import read_record
from fabricgen.collect.target import CollectTarget, Login
from fabricgen.collect.targets import Address, DeviceAccess, list_targets
from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.manifest.load import load_platforms
from tests.acceptance.run import diagnose
from tests.cases.test_commands import SHIPPED
from tests.emulated.https_fleet import ApiFleet, Authority, emulate_api, give_certificate, serve_api
from tests.emulated.https_switch import LOGIN, Answer, Switch
from tests.unit.collect.collecting import PATIENT, Collected, collect_into

CONFIG = "show running-config"
APPLIED = "GET /nvue_v1/?rev=applied&filled=false"
PLATFORMS = {"eapi": "eos", "nvue": "cumulus_nvue"}
SPECS = load_platforms(dict.fromkeys(PLATFORMS.values(), ()), "switch", Bag(), [template_root()])
FILES = {
    "eapi": ("mnt/flash/startup-config", "hostname leaf\n"),
    "nvue": ("etc/nvue.d/startup.yaml", "- set:\n    system:\n      hostname: leaf\n"),
}
BOMB = gzip.compress(b" " * 64 * 1024 * 1024)
HALF = b'{"jsonrpc": "2.0", "result": [{}, {"output": "hostname'
SURROGATE = b'{"result": [{}, {"output": "\\ud800\\nend\\n"}]}'
MIB = 1024 * 1024


class Site:
    """Switches that are sound until a test spoils them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.switches: dict[str, Switch] = {}
        self.limits = PATIENT

    def add(self, name: str = "leaf", api: str = "eapi") -> Switch:
        path, text = FILES[api]
        file = self.folder / "tree/switches" / name / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        self.switches[name] = emulate_api(self.target(name, api), self.folder / "tree")
        return self.switches[name]

    def target(self, name: str, api: str, port: int = 0) -> CollectTarget:
        platform = PLATFORMS[api]
        readings = SPECS[platform].readings_by_api()
        return CollectTarget(name, "switches", "leaf", (platform,), "127.0.0.1", port, readings, api)

    def collect(self, spoil: Callable[[ApiFleet], None] = lambda fleet: None, **login: object) -> Collected:
        with serve_api([*self.switches.values()], self.folder) as fleet:
            spoil(fleet)
            targets = [self.target(each.name, each.api, each.port) for each in fleet.switches.values()]
            known = Login(LOGIN[0], (), password=LOGIN[1], pins=(fleet.pins,))._replace(**login)  # type: ignore[arg-type]
            return collect_into(self.folder / "out", targets, SPECS, known, self.limits)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def change(**settings: object) -> Callable[[Switch], None]:
    def spoil(switch: Switch) -> None:
        for name, value in settings.items():
            setattr(switch, name, value)

    return spoil


def answer(*words: object, **settings: object) -> Callable[[Switch], None]:
    """Spoil the answer of the configuration."""

    def spoil(switch: Switch) -> None:
        switch.answers[CONFIG if switch.api == "eapi" else APPLIED] = Answer(*words, **settings)  # type: ignore[arg-type]

    return spoil


OTHER = "ab" * 32
PACKED = (("Content-Encoding", "gzip"),)
FAULTS: dict[str, tuple[str, Callable[[Switch], None], str, str]] = {
    "plain": ("eapi", change(plain=True), "FG-COL-015", "does not speak TLS: "),
    "unknown": ("eapi", change(pinned="-"), "FG-COL-011", "its certificate SHA256:"),
    "changed": ("nvue", change(pinned=OTHER), "FG-COL-012", f"pinned is SHA256:{':'.join(['AB'] * 32)}"),
    "password": ("eapi", change(password="other"), "FG-COL-013", "the login of admin (HTTP status 401)"),
    "factory": ("nvue", answer(status=403), "FG-COL-013", "the login of admin (HTTP status 403)"),
    "broken": ("nvue", answer(status=500), "FG-COL-020", f"HTTP status 500: {APPLIED}"),
    "elsewhere": ("eapi", answer(status=302, raw=True), "FG-COL-018", "redirects to another place (HTTP status 302)"),
    "refused": ("eapi", answer(b"\x1b[2J", error=1002), "FG-COL-020", f"error 1002 of eAPI: {CONFIG}"),
    "flood": ("eapi", answer(b"{", flood_bytes=100 * MIB, raw=True), "FG-COL-023", "more than 1 MiB"),
    "promise": ("nvue", answer(b" " * 2 * MIB, hangs=True), "FG-COL-023", "more than 1 MiB"),
    "cut": ("eapi", answer(HALF, missing_bytes=500, raw=True), "FG-COL-015", "the session broke off"),
    "half": ("eapi", answer(HALF, raw=True), "FG-COL-023", "no complete JSON"),
    "bomb": ("nvue", answer(BOMB, headers=PACKED), "FG-COL-015", "packs an answer, which was not asked for"),
    "binary": ("nvue", answer(BOMB), "FG-COL-023", "no complete JSON"),
    "surrogate": ("eapi", answer(SURROGATE, raw=True), "FG-COL-023", "not UTF-8 in line 1"),
    "infinite": ("nvue", answer(b'{"system": NaN}'), "FG-COL-023", "no complete JSON"),
    "list": ("nvue", answer(b"[1]"), "FG-COL-023", "no NVUE configuration"),
    "nothing": ("nvue", answer(b"{}"), "FG-COL-023", "sets nothing"),
    "no-result": ("eapi", answer(b'{"jsonrpc": "2.0"}', raw=True), "FG-COL-023", "has no result"),
    "headers": ("nvue", answer(b"{}", headers=(("X", "x" * 300_000),)), "FG-COL-015", "the session broke off"),
}


@pytest.mark.parametrize(
    ("spoil", "limits", "words"),
    [
        (answer(b"{", hangs=True, raw=True), {"command_s": 1}, "no end of the answer within 1 s"),
        (change(silent=True), {"connect_s": 1}, "no connection within 1 s"),
    ],
    ids=["hang", "silent"],
)
def test_silence_is_told(spoil: Callable[[Switch], None], limits: dict[str, float], words: str, site: Site) -> None:
    switch = site.add()
    spoil(switch)
    site.limits = PATIENT._replace(**limits)
    done = site.collect()
    assert done.results == {"leaf": "FG-COL-014"}
    assert switch.logins == [] or "connect_s" not in limits
    assert words in done.causes["leaf"]


def test_each_switch_has_the_diagnostic_of_its_fault_and_the_others_are_collected(site: Site) -> None:
    for name, (api, spoil, _, _) in FAULTS.items():
        spoil(site.add(name, api))
    site.add()
    site.add("nvue", "nvue")
    done = site.collect()
    assert done.results == {**{name: code for name, (_, _, code, _) in FAULTS.items()}, "leaf": "", "nvue": ""}
    assert [name for name, (_, _, _, words) in FAULTS.items() if words not in done.causes[name]] == []
    assert not any(ord(sign) < 32 for item in done.bag for sign in item.message + item.hint)
    assert LOGIN[1] not in "".join(item.message + item.hint for item in done.bag)
    assert sorted(path.name for path in (done.out / "switches").iterdir()) == ["leaf", "nvue"]
    assert (done.out / "switches/leaf/mnt/flash/startup-config").read_text() == "hostname leaf\nend\n"
    record = read_record(done.out, "switches", "nvue")
    outputs = ["etc/nvue.d/startup.yaml", "saved/etc/nvue.d/startup.yaml"]
    assert (record.via, [*record.answers]) == ("nvue", [*outputs, "sessions", "lldp", "ports", "errors", "system"])


@pytest.mark.parametrize("name", ["unknown", "changed", "plain"])
def test_no_login_is_sent_where_the_certificate_is_not_trusted(name: str, site: Site) -> None:
    switch = site.add(name, FAULTS[name][0])
    FAULTS[name][1](switch)
    assert site.collect().results[name]
    assert switch.logins == []


def test_the_hint_of_an_unknown_certificate_is_the_line_that_pins_it(site: Site) -> None:
    switch = site.add()
    switch.pinned = "-"
    (found,) = site.collect().bag
    line = found.hint.rpartition("--pins: ")[2]
    assert line.startswith(f"127.0.0.1:{switch.port} SHA256:")

    def pin(fleet: ApiFleet) -> None:
        # The port is another one in each run.
        fleet.pins.write_text(f"# all\n\n{line.replace(line.split()[0], '127.0.0.1')}\n")

    assert site.collect(pin).results == {"leaf": ""}

    def pin_as_openssl_prints(fleet: ApiFleet) -> None:
        command = ["openssl", "x509", "-noout", "-fingerprint", "-sha256", "-in", switch.certificate]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        fleet.pins.write_text(f"127.0.0.1 {printed}")

    assert site.collect(pin_as_openssl_prints).results == {"leaf": ""}


def test_a_redirection_is_not_followed(site: Site) -> None:
    thief = site.add("thief")
    victim = site.add("leaf")

    def lead(fleet: ApiFleet) -> None:
        place = ("Location", f"https://127.0.0.1:{thief.port}/command-api")
        for command in victim.answers:
            victim.answers[command] = Answer(status=302, headers=(place,))
        thief.answers.clear()

    assert site.collect(lead).results["leaf"] == "FG-COL-018"
    assert thief.asked == [CONFIG], "its own collection, and nothing that the other one sent"


def test_an_authority_vouches_for_names_and_dates(site: Site) -> None:
    authority, other = Authority(), Authority()
    cases = {"good": {}, "expired": {"days": -1}, "elsewhere": {"host": "127.0.0.9"}}
    for name, settings in cases.items():
        give_certificate(site.add(name), site.folder, authority, **settings)
    give_certificate(site.add("other"), site.folder, other)
    done = site.collect(pins=(), authorities=(authority.write(site.folder / "ca.pem"),))
    assert done.results == {"good": "", "expired": "FG-COL-011", "elsewhere": "FG-COL-011", "other": "FG-COL-011"}
    assert "certificate has expired" in done.causes["expired"]
    assert "not valid for '127.0.0.1'" in done.causes["elsewhere"]
    for name in ("expired", "elsewhere", "other"):
        assert site.switches[name].logins == []


def test_a_pin_decides_alone(site: Site) -> None:
    authority = Authority()
    switch = site.add()
    give_certificate(switch, site.folder, authority)
    switch.pinned = OTHER
    done = site.collect(authorities=(authority.write(site.folder / "ca.pem"),))
    assert done.results == {"leaf": "FG-COL-012"}
    give_certificate(switch, site.folder, days=-1)
    switch.pinned = ""
    assert site.collect().results == {"leaf": ""}


def test_a_state_that_the_api_does_not_give_is_a_warning(site: Site) -> None:
    site.add().answers["show bfd peers | json"] = Answer(b"", error=1003)
    site.add("nvue", "nvue").answers["GET /nvue_v1/system"] = Answer(b"{", 200)
    done = site.collect()
    assert [item.code for item in done.bag] == ["FG-COL-024", "FG-COL-024"]
    assert done.results == {"leaf": "", "nvue": ""}
    record = read_record(done.out, "switches", "leaf")
    assert (record.answers["bfd"].status, record.answers["bfd"].file) == (1003, "")
    assert (done.out / record.answers["sessions"].file).read_bytes() == b"{}"


def test_a_configuration_with_a_header_is_taken_as_it_is(site: Site) -> None:
    data = [{"header": {"version": "5.16"}}, {"set": {"system": {"hostname": "leaf\x1b[2J"}}}]
    site.add("leaf", "nvue").answers[APPLIED] = Answer(json.dumps(data).encode())
    done = site.collect()
    file = done.out / "switches/leaf/etc/nvue.d/startup.yaml"
    assert json.loads(file.read_text()) == data
    assert "\x1b" not in file.read_text()


def test_a_connection_that_fails_at_once_is_tried_twice(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    import httpx

    from fabricgen.collect.https import transport
    from fabricgen.collect.target import Write

    site.add()
    asked: list[str] = []
    ask = transport.HttpsSession._ask

    async def lose(self: transport.HttpsSession, request: object, command: str, write: Write) -> int:
        asked.append(command)
        if len(asked) == 1:
            raise self._transport.explain(httpx.ConnectError(""), self._passage)
        return await ask(self, request, command, write)  # type: ignore[arg-type]

    monkeypatch.setattr(transport.HttpsSession, "_ask", lose)
    assert site.collect().results == {"leaf": ""}
    assert asked[:2] == [CONFIG, CONFIG]
    assert len(asked) == len(set(asked)) + 1


def test_what_the_login_needs_is_missing_or_spoiled(site: Site) -> None:
    site.add()
    (site.folder / "spoiled").write_text("127.0.0.1 SHA256:12\n")
    for login, words in (
        ({"password": None}, "eAPI and NVUE take a password"),
        ({"pins": (site.folder / "none",)}, "does not exist"),
        ({"pins": (site.folder / "spoiled",)}, "spoiled:1 is no line of a file of pins"),
        ({"authorities": (site.folder / "spoiled",)}, "no certificates in PEM form"),
    ):
        (found,) = site.collect(**login).bag
        assert found.code == "FG-COL-006"
        assert words in found.message


def test_a_library_that_is_missing_is_named(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.add()
    monkeypatch.setitem(sys.modules, "httpx", None)
    for name in [name for name in sys.modules if name.startswith("fabricgen.collect.https")]:
        monkeypatch.delitem(sys.modules, name)
    (found,) = site.collect().bag
    assert (found.code, found.message) == ("FG-COL-001", "fabricgen collect needs the package httpx")


def test_nobody_listens(site: Site) -> None:
    site.add()

    def leave(fleet: ApiFleet) -> None:
        fleet.switches["leaf"].port = 1

    done = site.collect(leave)
    assert done.results == {"leaf": "FG-COL-010"}
    assert "connection refused" in done.causes["leaf"]


def test_a_way_that_a_platform_does_not_have_is_named() -> None:
    compiled, bag = diagnose(SHIPPED)
    leaf, spine = "leaf-u001-r0", "spine-01"
    reach = DeviceAccess({leaf: Address("10.0.0.1", via="nvue")}, ways={"eapi": 0})
    targets = list_targets(compiled.plan, compiled.platforms, {leaf, spine}, reach, bag)
    assert [(target.name, target.via, target.port) for target in targets] == [(spine, "ssh", 22)]
    assert [item.device for item in bag if item.code == "FG-COL-008"] == [leaf, ""]
