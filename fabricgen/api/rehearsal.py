"""Sides of a rollout that is rehearsed: opened again, and held against what its bundle was planned from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from fabricgen.api.diff import DiffOptions, find_compiled, look_for_sides
from fabricgen.api.render import digest_intent
from fabricgen.api.rollout_route import find_deployed_intent, plan_legs
from fabricgen.api.rollout_state import verify_rollout
from fabricgen.api.sides import Opened, Where, open_side
from fabricgen.compiler.compile import Compiled
from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.words import name_few
from fabricgen.diff.sides import Unreadable
from fabricgen.lab.lab_codes import NO_ROUTING, NOT_PLANNED_FROM
from fabricgen.lab.model.routing_suite import CONFIG_NAME
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.rollout.stored_bundle import Bundle, open_bundle

_NAMED_MAX = 4


class Fabric(NamedTuple):
    """A plan with its platforms."""

    plan: FabricPlan
    platforms: Mapping[str, PlatformSpec]


class RehearsalInput(NamedTuple):
    """A bundle with the two sides it was planned from.

    Attributes:
        deployed: The deployed fabric; None where that side is no inventory.
        routing: Routing configurations of that side by device; empty for an inventory.
        legs: The plans that the bundle leads over, the intended one last.
    """

    bundle: Bundle
    intended: Fabric
    deployed: Fabric | None
    routing: dict[str, bytes]
    legs: list[Fabric]


@contextmanager
def open_rehearsal(
    folder: Path, intended: str, deployed: str, options: DiffOptions, bag: Bag
) -> Iterator[RehearsalInput | None]:
    """Open a bundle and its sides, those it names where empty, as long as the block lasts; None with diagnostics."""
    bundle = open_bundle(folder, bag)
    if bundle is None:
        yield None
        return
    names = intended or bundle.rollout.intended.name, deployed or bundle.rollout.deployed.name
    with look_for_sides(options, bag) as (where, _):
        yield _open(bundle, names, where, options, bag)


def _open(bundle: Bundle, names: tuple[str, str], where: Where, how: DiffOptions, bag: Bag) -> RehearsalInput | None:
    wanted, have = open_side(names[0], where, bag), open_side(names[1], where.of_deployed, bag)
    if wanted is None or have is None:
        return None
    compiled = find_compiled(wanted, how, bag)
    fabric = _fabric(compiled)
    if compiled is None or fabric is None:
        bag.add(NOT_PLANNED_FROM, f"no inventory of {names[0]} is known")
        return None
    if digest_intent(compiled.document) != bundle.rollout.intent:
        bag.add(NOT_PLANNED_FROM, f"{names[0]} has another intent than the one the bundle was planned from")
    _verify(bundle, names[1], how, bag)
    if bag.has_errors:
        return None
    deployed = _fabric(have.compiled)
    if deployed is None and len(bundle.rollout.phases) > 1:
        bag.add(NO_ROUTING, f"{names[1]} is no inventory, and states between two phases are worked out of both")
        return None
    routing = {} if deployed is not None else dict(_routing(have))
    before = find_deployed_intent(have, "", where.of_deployed, bag)
    legs = plan_legs(wanted, compiled, before, how, bag) if before is not None else None
    if legs is None:
        return None
    return RehearsalInput(bundle, fabric, deployed, routing, [Fabric(leg.plan, leg.platforms) for leg in legs])


def _fabric(compiled: Compiled | None) -> Fabric | None:
    if compiled is None or compiled.plan is None:
        return None
    return Fabric(compiled.plan, compiled.platforms or {})


def _verify(bundle: Bundle, deployed: str, options: DiffOptions, bag: Bag) -> None:
    """Report devices of the deployed side that are not as the bundle was planned on."""
    found = verify_rollout(bundle.folder, deployed, options, bag)
    moved = [each.device for each in found.moved] if found is not None else []
    if moved:
        bag.add(NOT_PLANNED_FROM, f"{deployed}: {name_few(moved, _NAMED_MAX)}: not as the bundle was planned on")


def _routing(side: Opened) -> Iterator[tuple[str, bytes]]:
    for device in side.side.devices():
        for path, file in device.files.items():
            if path.rpartition("/")[2] == CONFIG_NAME:
                data = file.load()
                if not isinstance(data, Unreadable):
                    yield device.name, data
