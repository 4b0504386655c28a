"""Twins of switches: boxes that differ from a known one in the names of their ports, so that any fabric fits."""

from __future__ import annotations

import re
from pathlib import Path

from fabricgen.catalog.library import OwnFolder, find_file
from fabricgen.compiler.compile import Compiled

TWINS = ("other", "moved")
"""Beginning of the names of twins: one numbers its ports otherwise, the other its cages."""
_START = re.compile(r"start: (\d+), step")
_CAGES = re.compile(r"(?m)^( +(?:- index|\d+x\S+): )(\d[\d,-]*)$")
_RESERVED = re.compile(r"(lossy_profile: \{pool: \w+, size_bytes: )(\d+)")
_SLOTS = re.compile(r"(?m)^ +(?:\d+/\d+ ?)+$")
_FAR, _ELSEWHERE = 2000, 300
"""Distance that port numbers and cages move: further than any box has."""


def write_twins(compiled: Compiled, catalog: Path) -> None:
    """Add to an inventory's own catalog two twins of each switch it uses."""
    for model in {tier.model for tier in compiled.intent.tiers.values()}:
        shipped = find_file("switches", model, [OwnFolder(catalog, catalog)])
        text = shipped[0].read_text()
        (catalog / "switches").mkdir(parents=True, exist_ok=True)
        for twin, changed in zip(TWINS, (_renumber_ports(text), _move_cages(text)), strict=True):
            changed = changed.replace(f"id: {model}", f"id: {twin}_{model}")
            (catalog / "switches" / f"{twin}_{model}.yaml").write_text(changed)


def _renumber_ports(text: str) -> str:
    """The same box with other port numbers, and a little more memory reserved for traffic that may be lost."""
    text = _START.sub(lambda found: f"start: {int(found[1]) + _FAR}, step", text)
    return _RESERVED.sub(lambda found: f"{found[1]}{int(found[2]) + 1}", text)


def _move_cages(text: str) -> str:
    """The same box with its cages, or the slots of its cards, counted from further up."""
    text = _CAGES.sub(lambda found: found[1] + _add(found[2], r"\d+"), text)
    return _SLOTS.sub(lambda found: _add(found[0], r"\d+(?=/)"), text)


def _add(text: str, numbers: str) -> str:
    return re.sub(numbers, lambda found: str(int(found[0]) + _ELSEWHERE), text)
