"""Commands of an EOS switch are the same, whether the library reads whole texts or the sections that differ."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.diff.kinds import FileKind, load_kinds
from fabricgen.diff.tree_changes import compare_trees
from fabricgen.platforms.patching import hierarchy
from fabricgen.platforms.patching.steps import PatchFault, Situation
from fabricgen.platforms.reading.reader import ReadFault

PATH = "mnt/flash/startup-config"
TEXT = (
    Path(__file__).parents[2] / f"golden/expected/conformance-eos/config/switches/leaf-p1-u01-r0/{PATH}"
).read_text()
EDITS = 60


@pytest.fixture(scope="module")
def kind() -> FileKind:
    return load_kinds(None, Bag()).of_device("switches", [PATH])[PATH]


def edit(text: str, lots: random.Random) -> str:
    """Take lines away, give others another number, move a section to the end, or enter one twice."""
    lines = text.splitlines(keepends=True)
    for _ in range(lots.randrange(1, 4)):
        at = lots.randrange(len(lines))
        is_head = not lines[at].startswith(" ")
        end = next((n for n in range(at + 1, len(lines)) if not (is_head and lines[n].startswith(" "))), len(lines))
        match lots.randrange(4):
            case 0:
                del lines[at:end]
            case 1:
                lines[at] = lines[at].replace("1", "2", 1)
            case 2 if is_head:
                lines = [*lines[:at], *lines[end:], *lines[at:end]]
            case 3 if is_head:
                lines += lines[at:end]
    return "".join(lines)


def plan(kind: FileKind, before: str, after: str) -> list[str] | str:
    try:
        trees = kind.read(before), kind.read(after)
    except ReadFault as fault:
        return str(fault)
    changes = tuple(compare_trees(*trees, kind.semantics).changes)
    try:
        return hierarchy.list_commands(Situation(PATH, changes, *trees, before, after, kind.semantics))
    except PatchFault as fault:
        return str(fault)


def test_sections_that_are_the_same_change_nothing(kind: FileKind, monkeypatch: pytest.MonkeyPatch) -> None:
    lots = random.Random("sections of EOS")
    pairs = [(edit(TEXT, lots), edit(TEXT, lots)) for _ in range(EDITS)]
    found = [plan(kind, *pair) for pair in pairs]
    monkeypatch.setattr(hierarchy, "_leave_out_equal", lambda before, after: (before, after))
    assert found == [plan(kind, *pair) for pair in pairs]
    assert sum(isinstance(each, list) and bool(each) for each in found) > EDITS // 2


def test_texts_keep_what_differs_what_appears_twice_and_prose() -> None:
    leave_out = hierarchy._leave_out_equal
    ports = "interface Ethernet1\n   mtu 9000\n!\ninterface Ethernet2\n   mtu 9000\n"
    assert leave_out(ports + "vlan 7\n", ports + "vlan 8\n") == ("vlan 7\n", "vlan 8\n")
    assert leave_out(ports, ports.replace("9000", "1500", 1))[1] == "interface Ethernet1\n   mtu 1500\n!\n"
    twice = f"{ports}interface Ethernet1\n   shutdown\n"
    assert leave_out(ports, twice) == (
        ports.split("interface Ethernet2")[0],
        twice.replace("interface Ethernet2\n   mtu 9000\n", ""),
    )
    banner = "banner login\nvlan 7\nEOF\n"
    assert leave_out(banner, f"{banner}vlan 7\n") == (banner, f"{banner}vlan 7\n")
