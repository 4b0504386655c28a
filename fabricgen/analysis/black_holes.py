"""Traffic that no routing moves after a failure: it is lost until its senders move, or until what failed is back.

Source:
    docs/intent.md, routing: a leaf announces its block of host links as a whole, and hosts of a bond one by one; planes
    meet only at the host.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.topology import HostGroup


class BlackHole(NamedTuple):
    """Traffic that is lost after the loss of a NIC port, or of a leaf with all ports of NICs on it.

    Attributes:
        hosts: The host group.
        lost: What is lost.
        until: What ends it.
    """

    hosts: str
    lost: str
    until: str


def list_black_holes(plan: FabricPlan) -> Iterator[BlackHole]:
    """Yield what is lost of each host group; nothing of a bond whose leafs meet above the hosts."""
    for group in plan.hosts:
        found = _of_group(plan, group)
        if found is not None:
            yield found


def _of_group(plan: FabricPlan, group: HostGroup) -> BlackHole | None:
    if group.bond:
        if plan.tiers[0].counts.plane == 1:
            return None
        return BlackHole(group.name, "what senders put into the plane", "senders leave the plane, or the port is back")
    if group.spread:
        return BlackHole(group.name, "what senders put into the plane", "their NICs leave the plane for this host")
    if plan.collectives.fault_tolerance and group.nic_ports > 1:
        return BlackHole(group.name, "connections over the port", "the collective library uses another port")
    return BlackHole(
        group.name, "everything to and from the port", "the port is back: its leaf announces it all the time"
    )
