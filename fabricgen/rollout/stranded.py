"""Prefixes without another path while a switch is out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabricgen.device.wiring import host_numbers
from fabricgen.plan.model.cabling import host_links
from fabricgen.plan.model.fabric import FAMILY_BITS, FabricPlan
from fabricgen.plan.model.identity import DeviceId
from fabricgen.rollout.members import WaveLimits
from fabricgen.rollout.model import StrandedPrefixes
from fabricgen.rollout.sole_uplinks import SoleUplinks

_IPV4_BITS, _IPV6_BITS = 32, 128


def find_stranded(limits: WaveLimits, leaving: Sequence[DeviceId]) -> Iterator[StrandedPrefixes]:
    """Yield the prefixes that keep using a switch that leaves, because nothing else leads to them."""
    plan, sole = limits.plan, SoleUplinks(limits.model)
    for device in leaving:
        name = plan.device_name(device)
        if not device.tier and next(limits.hosts.alone(device), None) is not None:
            yield StrandedPrefixes(name, f"hosts behind {name}", _host_block(plan, device))
        for below in sole.below(device) if device.tier else ():
            prefixes = (*_loopbacks(plan, below), *(() if below.tier else _host_block(plan, below)))
            yield StrandedPrefixes(name, f"{plan.device_name(below)}, which has no other way up", prefixes)


def _loopbacks(plan: FabricPlan, device: DeviceId) -> tuple[str, ...]:
    """Return the loopbacks of a switch as prefixes."""
    identity = plan.identity(device)
    found = [(identity.loopback, _IPV4_BITS), (identity.loopback6, _IPV6_BITS)]
    return tuple(f"{address}/{bits}" for address, bits in found if address)


def _host_block(plan: FabricPlan, leaf: DeviceId) -> tuple[str, ...]:
    """Return the prefixes of the links of a leaf's hosts."""
    block, pool = plan.tiers[0].layout.host_block, plan.addressing.host_links
    if block is None:
        return ()
    numbers, length = [block.at(leaf.where)], plan.addressing.host_block_len
    if plan.tiers[0].layout.shared_block is not None:
        numbers = [min(host_numbers(plan, link)) for link in host_links(plan, leaf)]
        length = plan.addressing.host_len
    families = ((pool.text4, length), (pool.text6, length + FAMILY_BITS))
    return tuple(f"{text(each)}/{bits}" for text, bits in families for each in numbers if text(each))
