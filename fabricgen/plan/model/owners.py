"""Owners of the plan's addresses: the inverse of the numberings, without building a device."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network, IPv6Network
from typing import NamedTuple

from fabricgen.plan.model.fabric import FabricPlan, Pool
from fabricgen.plan.model.identity import DeviceId
from fabricgen.plan.model.numbering import Coordinates, Numbering
from fabricgen.plan.model.topology import Tier

Network = IPv4Network | IPv6Network


class Space(NamedTuple):
    """Addresses that the devices of a tier have in a pool.

    Attributes:
        key: The pool's intent key.
        pool: The pool.
        tier: The tier.
        numbering: The first address of a device's block.
        offset: How far the block begins before it.
        size: Addresses of a block.
    """

    key: str
    pool: Pool
    tier: Tier
    numbering: Numbering
    offset: int
    size: int


class Overlap(NamedTuple):
    """Overlap of a network and a pool.

    Attributes:
        key: The pool's intent key.
        pool: The pool as text.
        device: The first switch that has addresses of the network; None where nothing has them yet.
    """

    key: str
    pool: str
    device: DeviceId | None


def find_overlaps(plan: FabricPlan, network: Network) -> Iterator[Overlap]:
    """Name every pool that a network meets, with the switch that has addresses there.

    Args:
        plan: The plan.
        network: A subnet or a single address.
    """
    addressing = plan.addressing
    pools = {
        "loopbacks": addressing.loopbacks,
        "fabric_links": addressing.fabric_links,
        "host_links": addressing.host_links,
        "management": addressing.management,
    }
    for key, pool in pools.items():
        met = _meet(pool, network) if pool else None
        if pool and met:
            text = pool.prefix4 if network.version == 4 else pool.prefix6
            yield Overlap(key, text, _owner(plan, key, pool, *met))


def _meet(pool: Pool, network: Network) -> tuple[int, int] | None:
    """First and last number of a pool that a network has; None if they do not meet."""
    own = pool.ipv4 if network.version == 4 else pool.ipv6
    if own is None:
        return None
    first, length = own
    last = first + (1 << (network.max_prefixlen - length)) - 1
    low, high = max(first, int(network.network_address)), min(last, int(network.broadcast_address))
    shift = 0 if network.version == 4 else pool.shift
    return (low - shift, high - shift) if low <= high else None


def _owner(plan: FabricPlan, key: str, pool: Pool, low: int, high: int) -> DeviceId | None:
    for space in _spaces(plan, key, pool):
        where = _find(space, low, high)
        if where is not None:
            return DeviceId(space.tier.number, where)
    return None


def _spaces(plan: FabricPlan, key: str, pool: Pool) -> Iterator[Space]:
    for tier in plan.tiers:
        layout = tier.layout
        if key == "loopbacks":
            yield Space(key, pool, tier, layout.loopback, 0, 1)
        elif key == "management":
            yield Space(key, pool, tier, layout.management, 0, 1)
        elif key == "fabric_links" and layout.uplink is not None and tier.number + 1 < len(plan.tiers):
            links = plan.links[tier.number + 1]
            yield Space(key, pool, tier, layout.uplink, 1, 2 * links.width * links.per_pair)
        elif key == "host_links" and layout.host_block is not None:
            yield Space(key, pool, tier, layout.host_block, 0, 1 << (32 - plan.addressing.host_block_len))


def _find(space: Space, low: int, high: int) -> Coordinates | None:
    """The first device of a tier whose block meets some numbers.

    Blocks lie inside each other like digits, the largest stride first, so the last one that begins at or before a
    number is found dimension by dimension; the next block is the only other one that can begin in the range.
    """
    counts, strides = space.tier.counts, space.numbering.strides
    order = sorted((at for at in range(len(counts)) if counts[at] > 1 and strides[at]), key=lambda at: -strides[at])
    rest = high - space.numbering.base + space.offset
    if rest < 0:
        return None
    where = [0] * len(counts)
    for at in order:
        where[at] = min(rest // strides[at], counts[at] - 1)
        rest -= where[at] * strides[at]
    found = Coordinates(*where)
    start = space.numbering.at(found) - space.offset
    return found if start <= high and start + space.size > low else None
