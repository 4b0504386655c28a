"""Prefixes without another path while a switch is out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabricgen.plan.model.fabric import FAMILY_BITS, FabricPlan
from fabricgen.plan.model.identity import DeviceId
from fabricgen.rollout.members import Limits
from fabricgen.rollout.model import Stranded


def find_stranded(limits: Limits, leaving: Sequence[DeviceId]) -> Iterator[Stranded]:
    """Yield the prefixes that keep using a switch, because nothing else leads to them.

    Args:
        limits: The limits of the rollout.
        leaving: Switches that go out.
    """
    plan = limits.plan
    for device in leaving:
        if not device.tier and next(limits.behind.alone(device), None) is not None:
            name = plan.device_name(device)
            yield Stranded(name, f"hosts behind {name}", _host_block(plan, device))


def _host_block(plan: FabricPlan, leaf: DeviceId) -> tuple[str, ...]:
    """Return the prefixes of the links of a leaf's hosts."""
    block, pool = plan.tiers[0].layout.host_block, plan.addressing.host_links
    if block is None:
        return ()
    first, length = block.at(leaf.where), plan.addressing.host_block_len
    found = [(pool.text4(first), length), (pool.text6(first), length + FAMILY_BITS)]
    return tuple(f"{address}/{bits}" for address, bits in found if address)
