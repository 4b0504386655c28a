"""Every line of absence that public configurations have, on a rendered leaf: none is answered by what it negates."""

from __future__ import annotations

import re
from pathlib import Path

from fabricgen.diagnostics import Bag
from tests.unit.deployed_leaf import compare, golden_leaf, list_lines
from tests.unit.situations import EOS_PATH

LEAF = golden_leaf("conformance-eos", EOS_PATH)
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


def test_no_line_of_absence_is_answered_by_what_it_negates() -> None:
    assert len(ABSENCES) > 250
    commands = list_lines(compare(EOS_PATH, LEAF, put(ABSENCES), Bag()), Bag())
    rendered = {line.strip() for line in LEAF.splitlines()}
    negated = tuple(line.removeprefix("no ") for _, line in ABSENCES)
    assert [each for each in commands if each not in rendered and each.startswith(negated)] == []
    # What the intent has is set again, and what is on by default gets its default.
    assert "neighbor UPPER bfd" in commands
    assert "default lldp transmit" in commands
    assert [each for each in commands if re.match(r"(no|default) no ", each)] == []
