"""Trees of a fabric after each phase of a rollout from one tree to another."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from fabricgen.api.diff import DiffOptions, find_compiled
from fabricgen.api.rollout_legs import LegWalk, find_contract, plan_legs
from fabricgen.api.sides import Where, open_side
from fabricgen.diagnostics import Bag
from fabricgen.diff.kinds import load_kinds
from fabricgen.diff.patches import plan_device
from fabricgen.rollout.phasing.refusals import Refusals
from fabricgen.rollout.phasing.split import DeviceStep, split_device

DEPLOYED_SECRET = "@fabricgen-secret:deployed:"
"""Beginning of what stands for a value that only the deployed side has; and may be a secret."""


def plan_phases(old: Path, new: Path) -> tuple[list[list[DeviceStep]], Bag]:
    """The phases from one tree to another, and what was refused."""
    bag, refusals = Bag(), Refusals()
    kinds = load_kinds(None, bag)
    options = DiffOptions(old.parent)
    where = Where(old.parent, lambda: b"", lambda: old.parent / "scratch", names=kinds.names)
    wanted, have = (open_side(str(tree), where, bag) for tree in (new, old))
    assert wanted
    assert have
    compiled = find_compiled(wanted, options, bag)
    assert compiled
    phases: list[list[DeviceStep]] = []
    walk = LegWalk(have.side, kinds, options, None)
    for leg in plan_legs(wanted, compiled, find_contract(have, "", where, bag), options, bag) or ():
        found: dict[int, list[DeviceStep]] = {}
        for device, _ in walk.walk(leg, bag):
            for step in split_device(device, refusals, leg.stage_of(device.kind)) if device.files else ():
                found.setdefault(step.stage, []).append(step)
        phases += [found[stage] for stage in sorted(found)]
    refusals.tell(bag)
    return phases, bag


def states(old: Path, phases: list[list[DeviceStep]], folder: Path, *, shown: bool = False) -> Iterator[Path]:
    """Trees after each phase; every device of a phase has a patch, and begins where the phase before left it.

    Args:
        old: The deployed tree.
        phases: Of the rollout.
        folder: For the trees.
        shown: No value of a patch may be a secret, so that its steps have all of them.
    """
    before = old
    for number, phase in enumerate(phases):
        tree = folder / f"{number}-{phase[0].stage.name}"
        shutil.copytree(before, tree)
        for device in (step.device for step in phase):
            bag = Bag()
            patch = plan_device(device, bag)
            assert patch is not None
            assert not list(bag)
            hides = [step for step in (*patch.apply, *patch.undo) if DEPLOYED_SECRET in step.content]
            assert not hides or not shown, device.name
            for file in device.files:
                path = tree / device.kind / device.name / file.path
                assert file.situation is not None
                assert path.read_text() == file.situation.before_text
                path.write_bytes(file.intended)
        yield tree
        before = tree


def same_files(one: Path, other: Path) -> bool:
    """Return whether two trees have the same devices' files."""
    sides = [
        {path.relative_to(tree): path.read_bytes() for kind in ("switches", "hosts")
         for path in (tree / kind).rglob("*") if path.is_file()}
        for tree in (one, other)
    ]  # fmt: skip
    return sides[0] == sides[1]
