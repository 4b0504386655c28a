"""Faults of devices, of the folder and of the login: each is one diagnostic, and nothing is taken."""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Callable
from pathlib import Path

import asyncssh
import pytest

from fabricgen.api.collect import CollectSettings, collect
from fabricgen.collect.readings import read_record
from fabricgen.collect.target import CollectTarget, Login
from fabricgen.collect.targets import Address, DeviceAccess, list_targets, parse_address, read_addresses
from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.manifest.load import load_platforms
from tests.acceptance.run import diagnose
from tests.emulated_devices import Emulated, Fleet, Reply, emulate, serve_fleet
from tests.unit.collect.collecting import PATIENT, Collected, collect_into

CONFIG = "sudo -n sonic-cfggen -d --print-data"
ROUTING = "sudo -n vtysh -c 'show running-config'"
TREE = {
    "etc/sonic/config_db.json": '{"DEVICE_METADATA": {"localhost": {"hostname": "leaf"}}}\n',
    "etc/sonic/frr/frr.conf": "hostname leaf\n",
}
SPECS = load_platforms({"sonic": ()}, "switch", Bag(), [template_root()])
HALF = b'{"DEVICE_METADATA": {"localhost": {"ho'


class Site:
    """Devices that are sound until a test spoils them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.devices: dict[str, Emulated] = {}
        self.limits = PATIENT

    def add(self, name: str = "leaf") -> Emulated:
        for path, text in TREE.items():
            file = self.folder / "tree/switches" / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        self.devices[name] = emulate(self.target(name), self.folder / "tree")
        return self.devices[name]

    def target(self, name: str, port: int = 0) -> CollectTarget:
        readings = SPECS["sonic"].readings
        return CollectTarget(name, "switches", "leaf", ("sonic",), "127.0.0.1", port, readings)

    def collect(self, spoil: Callable[[Fleet], None] = lambda fleet: None) -> Collected:
        with serve_fleet([*self.devices.values()], self.folder) as fleet:
            spoil(fleet)
            targets = [self.target(name, device.port) for name, device in self.devices.items()]
            login = Login("admin", (fleet.known_hosts,), (fleet.key,))
            return collect_into(self.folder / "out", targets, SPECS, login, self.limits)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def reply(command: str, answer: Reply) -> Callable[[Emulated], None]:
    def spoil(device: Emulated) -> None:
        device.replies[command] = answer

    return spoil


def change_key(kind: str) -> Callable[[Emulated], None]:
    return lambda device: setattr(device, "known", asyncssh.generate_private_key(kind))


FAULTS: dict[str, tuple[Callable[[Emulated], None], str, str]] = {
    "half": (reply(CONFIG, Reply(HALF, None)), "FG-COL-015", "no exit status"),
    "half-lying": (reply(CONFIG, Reply(HALF)), "FG-COL-023", "no complete JSON, line 1"),
    "half-text": (reply(ROUTING, Reply(b"!\nrouter bgp 1\n")), "FG-COL-023", "'end'"),
    "other": (reply(CONFIG, Reply(b'{"error": "no"}')), "FG-COL-023", "this is not a CONFIG_DB"),
    "nothing-set": (reply(CONFIG, Reply(b"{}")), "FG-COL-023", "sets nothing"),
    "empty": (reply(CONFIG, Reply()), "FG-COL-023", "empty"),
    "escape": (reply(ROUTING, Reply(b"\x1b[2J\x1b]0;x\x07\nend\n")), "FG-COL-023", "0x1b in line 1"),
    "zero": (reply(ROUTING, Reply(b"!\n\0\nend\n")), "FG-COL-023", "0x00 in line 2"),
    "latin": (reply(ROUTING, Reply(b"! \xe9\nend\n")), "FG-COL-023", "not UTF-8 in line 1"),
    "deep": (reply(CONFIG, Reply(b"[" * 100_000)), "FG-COL-023", "JSON"),
    "failing": (reply(CONFIG, Reply(b"\x1b[31mno\n", 1)), "FG-COL-020", "exit status 1"),
    "flood": (reply(CONFIG, Reply(b"{", flood_bytes=100 * 1024 * 1024)), "FG-COL-023", "more than 1 MiB"),
    "changed": (change_key("ssh-ed25519"), "FG-COL-012", "known is ssh-ed25519 SHA256:"),
    "changed-kind": (change_key("ecdsa-sha2-nistp256"), "FG-COL-012", "known is ecdsa-sha2-nistp256 SHA256:"),
}


@pytest.mark.parametrize(
    ("spoil", "limits", "words"),
    [
        (reply(CONFIG, Reply(b"{", hangs=True)), {"command_s": 1}, "no end of the answer within 1 s"),
        (lambda device: setattr(device, "silent", True), {"connect_s": 1}, "no login within 1 s"),
    ],
    ids=["hang", "silent"],
)
def test_silence_is_told(spoil: Callable[[Emulated], None], limits: dict[str, float], words: str, site: Site) -> None:
    spoil(site.add())
    site.limits = PATIENT._replace(**limits)
    done = site.collect()
    assert done.results == {"leaf": "FG-COL-014"}
    assert words in done.causes["leaf"]


def test_each_device_has_the_diagnostic_of_its_fault_and_the_others_are_collected(site: Site) -> None:
    for name, (spoil, _, _) in FAULTS.items():
        spoil(site.add(name))
    site.add()
    done = site.collect()
    assert done.results == {"leaf": "", **{name: code for name, (_, code, _) in FAULTS.items()}}
    assert [name for name, (_, _, words) in FAULTS.items() if words not in done.causes[name]] == []
    assert not any(ord(sign) < 32 for item in done.bag for sign in item.message + item.hint)
    assert [path.name for path in (done.out / "switches").iterdir()] == ["leaf"]
    assert sorted(path.name for path in done.out.iterdir()) == ["collection.json", "hosts", "state", "switches"]


def test_the_same_cause_on_many_devices_is_one_line(site: Site) -> None:
    for number in range(12):
        reply(CONFIG, Reply(b"", 1))(site.add(f"leaf-{number}"))
    done = site.collect()
    assert done.codes == ["FG-COL-020"]
    message = next(iter(done.bag)).message
    assert message.startswith("12 devices: exit status 1: ")
    assert message.endswith("leaf-7 and 4 more")


def test_an_unknown_key_is_never_accepted(site: Site) -> None:
    device = site.add()
    done = site.collect(lambda fleet: fleet.known_hosts.write_text(""))
    found = next(iter(done.bag))
    assert found.code == "FG-COL-011"
    assert device.key.get_fingerprint() in found.message
    assert f"ssh-keyscan -p {device.port} 127.0.0.1" in found.hint
    assert device.asked == []


def test_a_refused_login_and_an_empty_place(site: Site) -> None:
    site.add()
    stranger = asyncssh.generate_private_key("ssh-ed25519")
    done = site.collect(lambda fleet: stranger.write_private_key(str(fleet.key)))
    assert done.codes == ["FG-COL-013"]

    def leave(fleet: Fleet) -> None:
        site.devices["leaf"].port = 1

    assert site.collect(leave).codes == ["FG-COL-010"]


@pytest.mark.parametrize(("losses", "codes"), [(1, []), (9, ["FG-COL-015"])])
def test_a_lost_session_is_retried(losses: int, codes: list[str], site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.add()
    dialed = []
    dial = asyncssh.create_connection

    async def lose(*words: object, **named: object) -> object:
        dialed.append(words)
        if len(dialed) <= losses:
            raise asyncssh.ConnectionLost("lost")
        return await dial(*words, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(asyncssh, "create_connection", lose)
    assert site.collect().codes == codes
    assert len(dialed) == 2


def test_a_state_that_cannot_be_read_is_a_warning(site: Site) -> None:
    command = "sudo -n vtysh -c 'show bgp summary json'"
    reply(command, Reply(b"half", 2))(site.add())
    done = site.collect()
    assert done.codes == ["FG-COL-024"]
    assert f": {command}: leaf" in next(iter(done.bag)).message
    assert not done.bag.has_errors
    record = read_record(done.out, "switches", "leaf")
    assert (record.answers["sessions"].status, record.answers["sessions"].file) == (2, "")
    assert (done.out / record.answers["bfd"].file).read_bytes() == b"{}\n"


def test_a_file_that_a_device_does_not_have_is_no_fault(site: Site) -> None:
    from fabricgen.platforms.manifest.readings import read_file_as_it_is

    extra = read_file_as_it_is("etc/extra")
    site.target = lambda name, port=0: CollectTarget(  # type: ignore[method-assign]
        name, "switches", "leaf", ("sonic",), "127.0.0.1", port, (*SPECS["sonic"].readings, extra)
    )
    site.add()
    done = site.collect()
    record = read_record(done.out, "switches", "leaf")
    assert done.codes == []
    assert (record.answers["etc/extra"].status, record.answers["etc/extra"].file) == (44, "")


@pytest.mark.parametrize("prepare", ["a file", "foreign", "other form", "busy", "no space"])
def test_a_folder_that_cannot_hold_it_is_refused(prepare: str, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    out = site.folder / "out"
    descriptor = -1
    out.write_text("") if prepare == "a file" else out.mkdir()
    if prepare == "foreign":
        (out / "notes").write_text("mine")
    elif prepare == "other form":
        (out / "collection.json").write_text('{"format": 99}')
    elif prepare == "busy":
        descriptor = os.open(out, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    elif prepare == "no space":

        def fail(self: Path, *words: object, **named: object) -> int:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(Path, "write_text", fail)
    bag = Bag()
    wish = CollectSettings(out, Login("admin", ()), PATIENT, str)
    assert collect([], SPECS, wish, bag, lambda done: None) is None
    expected = {"busy": "FG-OUT-003", "no space": "FG-SRC-043"}.get(prepare, "FG-SRC-042")
    assert [item.code for item in bag] == [expected]
    if descriptor >= 0:
        os.close(descriptor)


def test_a_library_or_a_key_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bag = Bag()
    (tmp_path / "key").write_text("no key")
    for login in (Login("admin", (tmp_path / "none",)), Login("admin", (), (tmp_path / "key",))):
        collect([], SPECS, CollectSettings(tmp_path / "out", login, PATIENT, str), bag, lambda done: None)
    assert [item.code for item in bag] == ["FG-COL-006", "FG-COL-006"]
    monkeypatch.setitem(sys.modules, "asyncssh", None)
    for name in [name for name in sys.modules if name.startswith("fabricgen.collect.ssh")]:
        monkeypatch.delitem(sys.modules, name)
    bag = Bag()
    collect([], SPECS, CollectSettings(tmp_path / "out", Login("admin", ()), PATIENT, str), bag, lambda done: None)
    assert [item.code for item in bag] == ["FG-COL-001"]
    assert not (tmp_path / "out").exists()


def test_a_work_tree_of_git_is_a_warning(site: Site) -> None:
    site.add()
    (site.folder / ".git").write_text("gitdir: elsewhere\n")
    done = site.collect()
    assert done.codes == ["FG-COL-007"]
    assert done.results == {"leaf": ""}


def test_a_platform_without_readings_is_named(tmp_path: Path) -> None:
    from tests.cases.test_commands import SHIPPED

    compiled, bag = diagnose(SHIPPED)
    specs = {name: spec._replace(collect=()) for name, spec in compiled.platforms.items()}
    targets = list_targets(compiled.plan, specs, None, DeviceAccess(), bag)
    assert {item.code for item in bag} >= {"FG-COL-004"}
    assert len(targets) == 14


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("10.0.0.1", Address("10.0.0.1")),
        ("leaf.example.net:2222", Address("leaf.example.net", 2222)),
        ("2001:db8::1", Address("2001:db8::1")),
        ("[2001:db8::1]:22", Address("2001:db8::1", 22)),
        ("", None),
        ("h:0", None),
        ("h:65536", None),
        ("a b", None),
        ("[::1", None),
        ("-oProxyCommand=x", None),
    ],
)
def test_forms_of_an_address(text: str, address: Address | None) -> None:
    assert parse_address(text) == address


def test_addresses_are_read_from_options_and_files(tmp_path: Path) -> None:
    text = "# lab\nleaf-1 10.0.0.1\nleaf-2,10.0.0.2:23 # NAT\nleaf-3 = eapi://h:8443\n\nleaf-9 h\nspoiled\n"
    (tmp_path / "file").write_text(text)
    bag = Bag()
    names = ["leaf-1", "leaf-2", "leaf-3"]
    found = read_addresses(["leaf-1=10.9.9.9"], [tmp_path / "file", tmp_path / "none"], names, bag)
    addresses = [Address("10.9.9.9"), Address("10.0.0.2", 23), Address("h", 8443, "eapi")]
    assert found == dict(zip(names, addresses, strict=True))
    assert [item.code for item in bag] == ["FG-COL-005"] * 3
    assert [str(item.place) for item in bag if item.place] == [f"{tmp_path}/file:6:1", f"{tmp_path}/file:7:1"]
