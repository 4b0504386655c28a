"""The command explain: what it prints of a line, and what it says when there is nothing to explain."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.acceptance.run import REPOSITORY, copy_inventory, render, run
from tests.command_line import Done

CONFIG = "out/switches/spine-01/etc/sonic/frr/frr.conf"
WAIVED = (["waived warning[FG-PLT-153]", "waived warning[FG-RTE-930]"], "2 waived")
"""Diagnostics of the quickstart inventory, and their count."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working folder with an inventory ``mine`` and its tree ``out``."""
    path = tmp_path_factory.mktemp("explain")
    render(copy_inventory("quickstart", path / "mine"), path / "out")
    return path


def number_of(folder: Path, pattern: str, file: str = CONFIG) -> int:
    """Number of the first line that matches."""
    lines = (folder / file).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, start=1) if re.search(pattern, line))


def reported(done: Done) -> tuple[list[str], str]:
    """First words of all diagnostics, and the line that counts them."""
    return re.findall(r"^[a-z ]+\[FG-\S+\]", done.stderr, re.MULTILINE), done.stderr.splitlines()[-1]


def test_a_line_is_explained_by_the_intent_it_comes_from(folder: Path) -> None:
    number = number_of(folder, r"neighbor \S+ remote-as \d+$")
    done = run("explain", f"{CONFIG}:{number}", cwd=folder)
    assert reported(done.exits(0)) == WAIVED
    head, *rows = done.stdout.splitlines()
    assert head.startswith(f"{CONFIG}:{number}: neighbor ")
    said = {row.split()[0]: row.split()[1:] for row in rows}
    template, _, line = said["template"][0].partition(":")
    assert Path(template) == REPOSITORY / "templates/shared/routing/bgp.conf.j2"
    assert "remote-as" in Path(template).read_text(encoding="utf-8").splitlines()[int(line) - 1]
    assert said["intent"] == ["routing.asn.base", "(default)"]
    assert "present" not in said


def test_places_are_relative_to_the_working_folder(folder: Path) -> None:
    number = number_of(folder, "permit 172.16")
    done = run("explain", f"{CONFIG}:{number}", cwd=folder)
    (place,) = re.findall(r"addressing\.host_links  (\S+)$", done.stdout, re.MULTILINE)
    file, line, column = place.split(":")
    assert file == "mine/fabric.yaml"
    written = (folder / file).read_text(encoding="utf-8").splitlines()[int(line) - 1]
    assert written[int(column) - 1 :].startswith("172.16.0.0/12")
    from_above = run("explain", f"{folder.name}/{CONFIG}:{number}", cwd=folder.parent)
    assert f"  {folder.name}/mine/fabric.yaml:" in from_above.stdout


def test_what_decides_a_text_is_told_from_what_decides_that_it_is_there(folder: Path) -> None:
    done = run("explain", f"{CONFIG}:{number_of(folder, 'transmit-interval')}", cwd=folder)
    assert re.search(r"^  constant            decided by a standard", done.stdout, re.MULTILINE)
    assert re.search(r"^  present because of  routing\.bfd \(default\)$", done.stdout, re.MULTILINE)
    assert "  intent" not in done.stdout


def test_a_switched_service_is_explained_by_its_key_on_and_off(folder: Path, tmp_path: Path) -> None:
    files = {"server_crt": "switch.cer", "server_key": "switch.key", "ca_crt": "collectors.cer"}
    asked = ", ".join(f"{key}: /etc/sonic/telemetry/{file}" for key, file in files.items())
    switched = {"operations: {": f"operations: {{gnmi: {{{asked}, clients: [collector.example.net]}}, "}
    render(copy_inventory("quickstart", tmp_path / "on", switched), tmp_path / "out")
    said = {}
    for state, home in (("disabled", folder), ("enabled", tmp_path)):
        file = "out/switches/spine-01/etc/sonic/config_db.json"
        number = number_of(home, f'"gnmi": {{"state": "{state}"', file)
        done = run("explain", f"{file}:{number}", cwd=home)
        assert reported(done.exits(0)) == WAIVED
        (said[state],) = re.findall(r"^  intent +(.*)$", done.stdout, re.MULTILINE)
    assert said["disabled"].startswith("operations.gnmi (default; would be below mine/fabric.yaml:")
    assert said["enabled"].startswith("operations.gnmi  on/fabric.yaml:")


def test_an_explanation_leaves_the_tree_alone(folder: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    run("explain", f"{CONFIG}:1", cwd=folder).exits(0)
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


@pytest.mark.parametrize(
    ("target", "code"),
    [
        (f"{CONFIG}:99999", "FG-TRC-002"),
        (f"{CONFIG}:0", "FG-TRC-002"),
        (CONFIG, "FG-TRC-002"),
        ("mine/fabric.yaml:3", "FG-TRC-002"),
        ("out/manifest/header.json:1", "FG-TRC-002"),
        ("absent:1", "FG-TRC-002"),
        ("FG-QOS-999", "FG-TRC-001"),
    ],
)
def test_what_cannot_be_explained_is_said(folder: Path, target: str, code: str) -> None:
    done = run("explain", target, cwd=folder)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"error[{code}]" in done.stderr
    assert "hint: " in done.stderr


def test_errors_of_a_named_inventory_have_their_places(folder: Path, tmp_path: Path) -> None:
    broken = copy_inventory("quickstart", tmp_path / "broken", {"leaf: {model: dell_z9864f": "leaf: {model: none"})
    done = run("explain", f"{CONFIG}:1", "--inventory", str(broken), cwd=folder)
    assert (done.returncode, done.stdout) == (1, "")
    assert re.search(rf"error\[FG-CAT-001\] {broken}/fabric\.yaml:\d+:\d+: ", done.stderr)
