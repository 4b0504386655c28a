"""A leaf of the conformance fabric as it is in the goldens, compared with one that is deployed."""

from __future__ import annotations

from pathlib import Path

from fabricgen.diagnostics import Bag
from fabricgen.diff.device import DeviceComparer, DeviceDiff
from fabricgen.diff.patches import plan_device
from fabricgen.diff.sides import File, SideDevice
from tests.unit.situations import KINDS

NAME = "leaf-p1-u01-r0"
GOLDEN = Path(__file__).parents[1] / "golden/expected"


def golden_leaf(fabric: str, path: str) -> str:
    """Return a file of the leaf."""
    return (GOLDEN / fabric / "config/switches" / NAME / path).read_text(encoding="utf-8")


def compare(path: str, intended: str, deployed: str, bag: Bag, *, unmanaged: bool = False) -> DeviceDiff:
    """Return the difference of two texts of one file."""
    comparer = DeviceComparer(KINDS, frozenset({NAME}), bag, whole=True, unmanaged=unmanaged)
    sides = [SideDevice(NAME, "switches", {path: File(text.encode, path)}, []) for text in (intended, deployed)]
    return comparer.compare(sides[0], sides[1])


def list_lines(diff: DeviceDiff, bag: Bag, file: str = "") -> list[str]:
    """Return the lines that the patch carries out, of files whose names have a word."""
    patch = plan_device(diff, bag)
    steps = patch.apply if patch else ()
    return [line.strip() for step in steps if step.file and file in step.file for line in step.content.splitlines()]
