"""Switches of a tier that share the traffic of a leaf's rail group, a pod or a zone, and the uplinks they have."""

from __future__ import annotations

from fabricgen.plan.model.cabling import up_links
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, HostId
from fabricgen.plan.model.numbering import Coordinates
from fabricgen.plan.model.topology import Tier

Scope = tuple[int, Coordinates]
"""Tier number, and the coordinates that its switches have in common: those of a leaf's rail group, or of a pod."""


def turning_tier(plan: FabricPlan, one: Coordinates, other: Coordinates) -> int:
    """Return the number of the lowest tier that two units have in common."""
    if one == other:
        return 0
    for tier in plan.tiers[1:]:
        same_zone, same_pod = one.zone == other.zone, (one.zone, one.pod) == (other.zone, other.pod)
        if {"pod": same_pod, "zone": same_zone}.get(tier.scope, True):
            return tier.number
    return len(plan.tiers) - 1


def scope_of_rail(plan: FabricPlan, number: int, host: HostId, rail: int) -> Coordinates:
    """Return the scope of a tier that the traffic of a host's rail climbs through."""
    unit, rails = host.where, rail // plan.hosts[host.group].rails_per_leaf
    if number == 0:
        return Coordinates(unit.zone, unit.pod, unit.unit, 0, rails)
    return scope_of(plan.tiers[number], unit, rails if plan.links[1].pattern == "stripe_rail" else 0)


def scope_of_switch(plan: FabricPlan, tier: Tier, where: Coordinates) -> Coordinates:
    """Return the scope that a switch belongs to."""
    if tier.number == 0:
        return where._replace(plane=0, index=0)
    return scope_of(tier, where, where.group if plan.links[1].pattern == "stripe_rail" else 0)


def scope_of(tier: Tier, where: Coordinates, group: int) -> Coordinates:
    """Return the scope of a tier above the leafs."""
    zone = where.zone if tier.scope in ("zone", "pod") else 0
    return Coordinates(zone, where.pod if tier.scope == "pod" else 0, 0, 0, group)


def live_uplinks(plan: FabricPlan, tier: Tier, where: Coordinates, regular: int) -> int:
    """Return how many uplinks of a switch carry traffic; a drained switch above does not touch it, and takes none.

    Args:
        plan: The plan.
        tier: The tier of the switch.
        where: The switch.
        regular: How many it has where no exception touches it.
    """
    device = DeviceId(tier.number, where)
    if device not in plan.exceptions.touched and not plan.exceptions.switches:
        return regular
    if is_out(plan.exceptions.of(device)):
        return 0
    return sum(
        1
        for link in up_links(plan, device)
        if not is_out(plan.exceptions.links.get(link.id)) and not is_out(plan.exceptions.of(link.upper_end))
    )


def is_out(exception: object) -> bool:
    """Return whether an exception takes a device or link out of service."""
    return getattr(exception, "state", "") in ("absent", "drained")
