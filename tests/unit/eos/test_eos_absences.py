"""Every line of absence that public configurations have, on a rendered leaf: none is answered by what it negates."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.diff.device import DeviceComparer
from fabricgen.diff.kinds import FileKinds, load_kinds
from fabricgen.diff.patches import plan_device
from fabricgen.diff.sides import File, SideDevice

PATH, NAME = "mnt/flash/startup-config", "leaf-p1-u01-r0"
LEAF = (Path(__file__).parents[2] / f"golden/expected/conformance-eos/config/switches/{NAME}/{PATH}").read_text()
Absence = tuple[tuple[str, ...], str]


def list_absences() -> list[Absence]:
    """The lines of ``absences``, each with the sections around it."""
    found: list[Absence] = []
    sections: list[str] = []
    for line in (Path(__file__).parent / "absences").read_text().splitlines():
        depth, words = (len(line) - len(line.lstrip())) // 3, line.strip()
        del sections[depth:]
        if words.startswith("no "):
            found.append((tuple(sections), words))
        elif not words.startswith("!"):
            sections.append(words)
    return found


ABSENCES = list_absences()


def put(absences: list[Absence]) -> str:
    """The leaf with lines of absence at the end of their sections, which it has."""
    rows = LEAF.splitlines()
    for sections, line in absences:
        at = 0
        for depth, section in enumerate(sections):
            at = rows.index(f"{'   ' * depth}{section}", at) + 1
        blanks = "   " * len(sections)
        end = next((n for n in range(at, len(rows)) if not rows[n].startswith(blanks or "end")), len(rows))
        rows.insert(end if sections else len(rows) - 1, f"{blanks}{line}")
    return "".join(f"{row}\n" for row in rows)


def plan(kinds: FileKinds, absences: list[Absence]) -> list[str]:
    """The commands for a leaf that has the lines."""
    comparer = DeviceComparer(kinds, frozenset({NAME}), Bag(), whole=True)
    sides = [SideDevice(NAME, "switches", {PATH: File(text.encode, PATH)}, []) for text in (LEAF, put(absences))]
    patch = plan_device(comparer.compare(*sides), Bag())
    assert patch is not None
    return [line.strip() for step in patch.apply if step.file for line in step.content.splitlines()]


@pytest.fixture(scope="module")
def kinds() -> FileKinds:
    return load_kinds(None, Bag())


def test_no_line_of_absence_is_answered_by_what_it_negates(kinds: FileKinds) -> None:
    assert len(ABSENCES) > 250
    commands = plan(kinds, ABSENCES)
    rendered = {line.strip() for line in LEAF.splitlines()}
    negated = tuple(line.removeprefix("no ") for _, line in ABSENCES)
    answers = [each for each in commands if each not in rendered and each.startswith(negated)]
    assert answers == []
    # What the intent has is set again, and what is on by default gets its default.
    assert "neighbor UPPER bfd" in commands
    assert "default lldp transmit" in commands
    assert [each for each in commands if re.match(r"(no|default) no ", each)] == []
