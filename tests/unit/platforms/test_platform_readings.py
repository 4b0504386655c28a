"""Every platform says how its devices are read: each output once, each command in its notes."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.discover import KINDS, template_root
from fabricgen.platforms.manifest.load import load_all
from fabricgen.platforms.manifest.readings import ABSENT, STATES, SUDO
from fabricgen.platforms.manifest.spec import PlatformSpec
from tests.command_line import Done

SPECS = [spec for kind in KINDS for spec in load_all(kind, Bag(), [template_root()]).values()]


def by_name(spec: PlatformSpec) -> str:
    return spec.name


@pytest.mark.parametrize("spec", SPECS, ids=by_name)
def test_each_output_is_read_once(spec: PlatformSpec) -> None:
    paths = [reading.path for reading in spec.readings if reading.path]
    assert sorted(paths) == sorted(output.path for output in spec.outputs)


@pytest.mark.parametrize("spec", [spec for spec in SPECS if spec.kind != "nic"], ids=by_name)
def test_sessions_or_routes_and_lldp_are_read_everywhere(spec: PlatformSpec) -> None:
    states = {reading.state for reading in spec.readings} - {""}
    assert "lldp" in states
    assert states & {"sessions", "routes"}
    assert states <= STATES.keys()


@pytest.mark.parametrize("spec", [spec for spec in SPECS if spec.kind != "nic"], ids=by_name)
def test_the_notes_name_each_command(spec: PlatformSpec) -> None:
    notes = (template_root() / spec.folder / "NOTES.md").read_text(encoding="utf-8")
    told = notes.partition("## Collect")[2]
    for reading in spec.collect:
        assert f"GET {reading.request}" in told or not reading.request, f"{spec.name}: {reading.request}"
        words = re.sub(r"^vtysh -c '(.*)'$", r"\1", reading.command.replace(SUDO, "").partition(" |")[0])
        assert words in told, f"{spec.name}: {reading.command}"


def test_a_file_that_is_not_there_is_told_from_one_that_cannot_be_read(tmp_path: Path) -> None:
    host = next(spec for spec in SPECS if spec.kind == "host")
    reading = next(reading for reading in host.readings if reading.path.endswith("60-fabricgen.yaml"))
    command = reading.command.replace(SUDO, "").replace(f"/{reading.path}", str(tmp_path / "file"))

    def run() -> Done:
        return Done.of(subprocess.run(shlex.split(command), capture_output=True, text=True, check=False))

    run().exits(ABSENT)
    (tmp_path / "file").write_text("content\n")
    assert (run().returncode, run().stdout) == (0, "content\n")
    (tmp_path / "file").unlink()
    (tmp_path / "file").mkdir()
    assert run().returncode not in (0, ABSENT)


@pytest.mark.parametrize(
    ("collect", "words"),
    [
        ("{command: show}", "one of path, state and saves"),
        ("{command: show, path: etc/three, state: lldp}", "one of path, state and saves"),
        ("{command: show, path: etc/three, saves: etc/three}", "one of path, state and saves"),
        ("{command: show, saves: etc/four}", "must be the path of one of outputs"),
        ("{command: show, saves: etc/three}, {command: show, saves: etc/three}", "twice"),
        ("{command: show, path: etc/four}", "must be the path of one of outputs"),
        ("{command: show, state: weather}", "one of sessions"),
        ('{command: "a\\nb", state: lldp}', "a text of one line"),
        ("{command: show, state: lldp}, {command: show, state: lldp}", "twice"),
        ("{command: show, state: lldp, request: /lldp}", "needs 'api: nvue'"),
        ("{command: show, state: lldp, request: lldp}", "a path that begins with /"),
        ("{command: show, state: lldp, request: /a b}", "a path that begins with /"),
        ("{command: show, state: lldp}]\napi: telnet\nhash_seeds: [", "eapi"),
        ("{command: show, state: lldp}]\napi: eapi\nhash_seeds: [", "does not give the output"),
    ],
)
def test_faults_of_readings_have_words_and_a_place(tmp_path: Path, collect: str, words: str) -> None:
    from fabricgen.platforms.manifest.load import load_manifest
    from tests.meta.three_lines import ThreeLines

    made = ThreeLines(tmp_path, "switch")
    made.answer({}, more=f"collect: [{collect}]\n")
    from fabricgen.platforms.manifest.discover import TemplateFolder

    bag = Bag()
    folder = TemplateFolder("three_lines", "switch", made.manifest.parents[2])
    assert load_manifest(folder, bag) is None
    found = list(bag)
    assert any(words in item.message for item in found), [item.message for item in found]
    assert all(item.place is not None and item.place.line > 1 for item in found)
