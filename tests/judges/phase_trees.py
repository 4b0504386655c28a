"""Trees of a fabric after each phase of a rollout from one inventory to another."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from fabricgen.api.diff import DiffOptions
from fabricgen.api.rollout_legs import LegWalk
from fabricgen.api.rollout_route import find_deployed_intent, plan_legs
from fabricgen.api.sides import Where, open_side
from fabricgen.diagnostics import Bag
from fabricgen.diff.device import DeviceDiff
from fabricgen.diff.kinds import load_kinds
from fabricgen.diff.patches import plan_device


class Phase(NamedTuple):
    """Devices that change in any order, and the switches that carry nothing meanwhile."""

    title: str
    devices: list[DeviceDiff]
    out: frozenset[str]


def plan_phases(old: Path, new: Path, overlays: tuple[str, ...] = ()) -> tuple[list[Phase], Bag]:
    """The phases from one inventory to another, and what was refused."""
    bag = Bag()
    kinds = load_kinds(None, bag)
    options = DiffOptions(old.parent, overlays=overlays)
    where = Where(old.parent, lambda: b"", lambda: old.parent / "scratch", overlays, names=kinds.names)
    wanted, have = (open_side(str(inventory), where, bag) for inventory in (new, old))
    assert wanted
    assert have
    before = find_deployed_intent(have, "", where, bag)
    assert wanted.compiled
    assert before
    phases = []
    walk = LegWalk(have.side, kinds, options, None)
    for leg in plan_legs(wanted, wanted.compiled, before, options, bag) or ():
        found: dict[str, list[DeviceDiff]] = {}
        for device, _ in walk.walk(leg, bag):
            if device.files:
                found.setdefault(device.kind if leg.order else "", []).append(device)
        out = frozenset(leg.step.wave.devices) if leg.step else frozenset[str]()
        phases += [Phase(leg.title or "all", found[kind], out) for kind in leg.order or ("",) if kind in found]
    return phases, bag


def states(old: Path, phases: list[Phase], folder: Path) -> Iterator[tuple[Phase, Path]]:
    """Each phase with the tree after it; every device has a patch, and begins where the phase before left it."""
    before = old
    for number, phase in enumerate(phases):
        tree = folder / f"{number}-{phase.title.replace(':', '')}"
        shutil.copytree(before, tree)
        for device in phase.devices:
            bag = Bag()
            assert plan_device(device, bag) is not None
            assert not list(bag)
            for file in device.files:
                path = tree / device.kind / device.name / file.path
                assert path.read_text() == file.situation.before_text
                path.write_bytes(file.intended)
        yield phase, tree
        before = tree


def same_files(one: Path, other: Path) -> bool:
    sides = [
        {path.relative_to(tree): path.read_bytes() for kind in ("switches", "hosts")
         for path in (tree / kind).rglob("*") if path.is_file()}
        for tree in (one, other)
    ]  # fmt: skip
    return sides[0] == sides[1]
