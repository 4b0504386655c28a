"""Every line of absence that FRR's own tests have, on a rendered leaf: none is answered by what it negates.

A file that is loaded whole keeps them: frr-reload.py would answer one that only the daemons have by its opposite.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from fabricgen.diagnostics import Bag
from tests.unit.deployed_leaf import compare, golden_leaf, list_lines

ROUTER = "router bgp 4200000002"
ABSENCES: dict[str, list[str]] = yaml.safe_load((Path(__file__).parent / "absences.yaml").read_text())
"""Lines by their section."""
INTENDED = {
    "bgp ebgp-requires-policy",
    "bgp network import-check",
    "ip forwarding",
    "ipv6 forwarding",
    "neighbor UPPER activate",
    "neighbor 10.0.0.20 activate",
}
"""Settings of the intent, as it writes them or as FRR has them by itself; a neighbor is activated by its group."""

ANOTHER = ("select-defer-time 45", "select-defer-time 46")
"""Another difference, for which there is a patch in any case."""


def put(text: str, section: str, line: str) -> str:
    """The file with a line at the end of a section, which is added where the leaf has none."""
    blanks = " " * (len(section) - len(section.lstrip()) + bool(section))
    opened = f"{ROUTER}\n{section}" if section.startswith(" ") else section
    rows = text.splitlines()
    end = ["exit-address-family", "exit"] if section.startswith(" ") else ["exit"] if section else []
    rows[-1:-1] = [*opened.splitlines(), f"{blanks}{line}", *end]
    return "".join(f"{row}\n" for row in rows)


@pytest.mark.parametrize(("system", "path"), [("", "etc/sonic/frr/frr.conf"), ("-frr", "etc/frr/frr.conf")])
def test_no_line_of_absence_is_answered_by_what_it_negates(system: str, path: str) -> None:
    leaf = golden_leaf(f"conformance{system}", path)
    count = 0
    for section, lines in ABSENCES.items():
        for line in lines:
            count += 1
            deployed = put(leaf, section, line).replace(*ANOTHER)
            commands = list_lines(compare(path, leaf, deployed, Bag()), Bag(), "frr.conf")
            rendered = {each.strip() for each in leaf.splitlines()}
            answers = [each for each in commands if each not in rendered and each.startswith(line.removeprefix("no "))]
            if line.removeprefix("no ") in INTENDED:
                continue
            assert answers == [], (section, line)
            assert system == "" or line in commands, (section, line)
            assert [each for each in commands if re.match("no no ", each)] == []
    assert count > 25
