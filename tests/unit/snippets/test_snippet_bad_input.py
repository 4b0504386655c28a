"""Snippets that nobody meant: huge, binary, broken, refused by FRR's own parser; and those that nothing judges."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from fabricgen.api import compile_inventory
from fabricgen.api.render import RenderOptions, render_inventory
from fabricgen.diagnostics import Bag, Severity
from fabricgen.platforms.families.vtysh import commands
from tests.command_line import run_here
from tests.unit.diff import frr_daemons
from tests.unit.snippets.snippet_fabric import judge, write_fabric

MIB = 1 << 20
REFUSED, NOT_JUDGED = "FG-EXC-030", "FG-EXC-930"


@pytest.mark.parametrize("platform", ["sonic", "frr"])
def test_line_that_vtysh_refuses_is_told_at_its_line(platform: str, tmp_path: Path) -> None:
    frr_daemons.require()
    text = "ip prefix-list A permit any\nrouter bgpp 1\nroute-map A permit 10\n macth tag 1\nexit\n"
    found = [item for item in judge(tmp_path, platform, "frr.conf", text) if item.code != "FG-EXC-021"]
    assert [(item.code, item.place.line, item.count) for item in found if item.place] == [
        (REFUSED, 2, 1),
        (REFUSED, 4, 1),
    ]
    assert len(found) == 2


def test_sound_lines_and_rendered_ones_are_not_told(tmp_path: Path) -> None:
    frr_daemons.require()
    text = (
        "ip prefix-list A permit 198.51.100.0/24 le 32\nroute-map A permit 10\n match ip address prefix-list A\nexit\n"
    )
    assert judge(tmp_path, "frr", "frr.conf", text) == []


@pytest.mark.parametrize(
    ("platform", "file", "text"),
    [
        ("sonic", "config_db.json", '{"SYSLOG_SERVER": {"192.0.2.9": {"port": "514"}}}'),
        ("eos", "x.cli", "interface Loopback9\n   description x\n"),
        ("fboss", "agent.json", '{"sw": {"arpAgerInterval": 6}}'),
    ],
)
def test_lines_that_nothing_judges_are_named_once(platform: str, file: str, text: str, tmp_path: Path) -> None:
    found = [item for item in judge(tmp_path, platform, file, text, text) if item.code == NOT_JUDGED]
    assert [(item.severity, item.count) for item in found] == [(Severity.INFO, 1), (Severity.INFO, 1)]


@pytest.mark.parametrize("fault", [FileNotFoundError, subprocess.TimeoutExpired("vtysh", 60)])
def test_without_an_answer_of_vtysh_lines_are_not_judged(
    fault: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise fault

    monkeypatch.setattr(commands.shutil, "which", lambda _: "/usr/bin/vtysh")
    monkeypatch.setattr(commands.subprocess, "run", fail)
    assert [item.code for item in judge(tmp_path, "frr", "frr.conf", "router bgpp 1\n")] == [NOT_JUDGED]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"ip route\x00 1\n", "U+0000 NULL"),
        (b"a\nb\x1b[31m\n", "U+001B ESCAPE"),
        (b"ip \xff\xfe\n", "not a text in UTF-8"),
        (b"!" * (MIB + 1), "larger than"),
        (b"\r\n", "holds nothing"),
    ],
)
def test_binary_and_nothing_are_refused(data: bytes, said: str, tmp_path: Path) -> None:
    found = judge(tmp_path, "frr", "frr.conf", data)
    assert [(item.code, said in item.message) for item in found] == [("FG-EXC-017", True)]


def test_render_refuses_what_validate_refuses(tmp_path: Path) -> None:
    frr_daemons.require()
    folder = write_fabric(tmp_path / "in", "frr", "frr.conf", "router bgpp 1\n")
    bag = Bag()
    compiled = compile_inventory(folder, (), bag)
    assert compiled is not None
    said = {(item.code, item.message) for item in bag if item.severity is Severity.ERROR}
    assert render_inventory(compiled, tmp_path / "out", RenderOptions(verify=True), bag) is None
    assert {(item.code, item.message) for item in bag if item.severity is Severity.ERROR} == said
    assert {code for code, _ in said} == {REFUSED}
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("reference", ["foo:Y@", "env:Y", "env:@"])
def test_a_reference_that_cannot_be_read_is_refused_at_its_line(reference: str, tmp_path: Path) -> None:
    (found,) = judge(tmp_path, "frr", "frr.conf", f"!\npassword @fabricgen-secret:{reference}\n")
    assert (found.code, found.place and found.place.line) == ("FG-SEC-101", 2)


def test_secrets_and_an_open_banner_are_refused_at_their_lines(tmp_path: Path) -> None:
    text = "hostname x\nusername x privilege 15 secret 0 hunter2\nusername y secret 0 @fabricgen-secret:env:Y@\n"
    text += "banner motd\nHi\n"
    found = [item for item in judge(tmp_path, "eos", "x.cli", text) if item.place and item.place.file.endswith("x.cli")]
    assert [(item.code, item.place.line) for item in found] == [("FG-EXC-167", 2), ("FG-EXC-020", 4)]
    assert "hunter2" not in "".join(item.message for item in found)


def test_an_excerpt_hides_nothing_but_secrets(tmp_path: Path) -> None:
    text = (
        '{"SNMP_COMMUNITY": {"public": {"TYPE": "RO"}},\n "DEVICE_METADATA": {\n  "localhost": {\n   "hostname": "x"}}}'
    )
    folder = write_fabric(tmp_path, "sonic", "config_db.json", text)
    with (folder / "fabric.yaml").open("a") as file:
        file.write("operations: {tacacs: {servers: [a b], key: {secret: env:K}}}\nworkload: {epoch_tokens: 7}\n")
    shown = run_here("validate", folder).exits(1).stderr
    for line in ('"hostname": "x"}}}', "{servers: [a b], key: {secret: env:K}}}", "{epoch_tokens: 7}"):
        assert line in shown
    assert '"public"' not in shown


def test_place_of_broken_json_is_told(tmp_path: Path) -> None:
    found = judge(tmp_path, "sonic", "x.json", '{\n "PORT": {\n')
    assert [item.code for item in found] == ["FG-EXC-020"]
    assert (Path(found[0].place.file).name, found[0].place.line) == ("x.json", 3)
