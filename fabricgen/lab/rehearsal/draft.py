"""Labs of both sides of a rollout: the deployed fabric, which boots, and the intended one, which it becomes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.words import name_few
from fabricgen.lab.lab_codes import CHANGED, NO_ROUTING, UNPROVEN
from fabricgen.lab.lifecycle import state
from fabricgen.lab.model.blueprint import Blueprint, LabNode
from fabricgen.lab.model.configuration import adapt_routing
from fabricgen.lab.rehearsal.changes import list_unplugged
from fabricgen.lab.stages import BootRequest, prepare, redraft
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.platforms.manifest.spec import PlatformSpec


class DeployedRouting(NamedTuple):
    """Routing configurations of a deployed side that is no inventory."""

    files: Mapping[str, bytes]
    changed: frozenset[str]


class Drafted(NamedTuple):
    """A lab, and whether it runs already."""

    blueprint: Blueprint
    runs: bool


def draft_sides(
    legs: Iterable[tuple[FabricPlan, Mapping[str, PlatformSpec]]], deployed: Blueprint, bag: Bag
) -> list[dict[str, LabNode]] | None:
    """Return the lab's devices by each plan of a rollout, the intended one last; None with diagnostics."""
    names = {node.name for node in deployed.nodes}
    drafted = []
    for plan, specs in legs:
        found = redraft(plan, specs, deployed, bag)
        if found is None:
            return None
        drafted.append(found)
    unplugged = list(list_unplugged(deployed, drafted[-1]))
    if unplugged:
        bag.add(UNPROVEN, f"cables of the intended fabric that are not plugged in: {name_few(unplugged, 4)}")
    return [{node.name: node for node in each.nodes if node.name in names} for each in drafted]


def find_or_draft(
    plan: FabricPlan, specs: Mapping[str, PlatformSpec], request: BootRequest, routing: DeployedRouting | None, bag: Bag
) -> Drafted | None:
    """Return the lab of the deployed fabric: the one that runs, or one that can be booted; None with diagnostics.

    Where the deployed side is no inventory, the plan is the intended one, and ``routing`` that of the deployed side.
    """
    lab = state.load(request.lab)
    found = prepare(plan, specs, request, bag) if lab is None else redraft(plan, specs, lab, bag, cut=request.cut)
    if found is not None and routing is not None:
        found = _with_routing(found, routing, bag)
    if bag.has_errors or found is None:
        return None
    if lab is not None and (found.nodes, found.wires) != (lab.nodes, lab.wires):
        bag.add(CHANGED, f"lab {request.lab} was booted from something else than what is deployed")
        return None
    return Drafted(lab or found, lab is not None)


def _with_routing(blueprint: Blueprint, routing: DeployedRouting, bag: Bag) -> Blueprint:
    """Return a lab whose switches run the routing configurations of a side that is no inventory."""
    nodes = []
    missing = []
    for node in blueprint.nodes:
        text = routing.files.get(node.name)
        if text is not None and node.config and not node.equivalent:
            adapted = adapt_routing(text.decode(errors="replace"))
            nodes.append(replace(node, config=adapted.text, adapted=adapted.adapted))
            continue
        if node.config and node.name in routing.changed:
            missing.append(node.name)
        nodes.append(node)
    if missing:
        bag.add(NO_ROUTING, f"the deployed side has no routing configuration of {name_few(missing, 4)} that runs here")
    return replace(blueprint, nodes=tuple(nodes))
