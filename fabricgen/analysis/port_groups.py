"""Ports of a switch by the links they carry, now and at the reserved maximum."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from fabricgen.plan.model.contract import PgProfile
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.topology import Tier, ports_by_link


class PortGroup(NamedTuple):
    """Ports of one link group on a switch: with a link now, and at the reserved maximum.

    ``profile`` is the headroom of their lossless priority groups; None where planning found none.
    """

    link: str
    speed_gbps: int
    length_m: float
    lanes: int
    mtu_bytes: int
    profile: PgProfile | None
    now: int
    maximum: int


def port_groups(plan: FabricPlan, tier: Tier, used: Mapping[str, int]) -> tuple[PortGroup, ...]:
    """Ports of a switch by link group, downwards first, with the headroom profile that covers their cable.

    Args:
        plan: The plan.
        tier: Tier of the switch.
        used: Ports with a link now, by link group.
    """
    up = (plan.links[tier.number + 1], len(tier.up.slots)) if tier.up else None
    ports = ports_by_link(tier.number, plan.links[tier.number], plan.hosts, len(tier.down.slots), up)
    return tuple(
        PortGroup(
            link=link.name,
            speed_gbps=link.speed_gbps,
            length_m=link.length_m,
            lanes=link.lanes,
            mtu_bytes=link.mtu_bytes,
            profile=tier.buffers.headroom_for(link.speed_gbps, link.length_m, link.lanes, link.mtu_bytes),
            now=used.get(link.name, 0),
            maximum=count,
        )
        for link, count in ports
    )
