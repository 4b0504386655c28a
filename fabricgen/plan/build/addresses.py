"""Address and ASN layouts of every tier, and whether the pools hold what is reserved."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from fabricgen.diagnostics import Bag, IntentPath, Related
from fabricgen.intent.network import Addressing as AddressingIntent
from fabricgen.intent.network import AsnPlan
from fabricgen.intent.types import IPAddress, IPNetwork
from fabricgen.physics.capacity import next_power_of_two
from fabricgen.plan.build import codes
from fabricgen.plan.build.numbering import Entries, Tree, build_tree
from fabricgen.plan.build.shape import Shape
from fabricgen.plan.model.fabric import Addressing
from fabricgen.plan.model.topology import Layout

PRIVATE_ASNS = ((64512, 65534), (4_200_000_000, 4_294_967_294))
"""RFC 6996: private AS numbers, 2-byte and 4-byte."""


class Spaces(NamedTuple):
    """What each device needs: link /31s per uplinked tier, positions per leaf.

    Attributes:
        one_block: The leafs a NIC's ports meet have one block of host addresses between them.
        subnet: That block is one subnet, in which the hosts bond.
    """

    uplinks: dict[str, int]
    leaf_positions: int
    one_block: bool = False
    subnet: bool = False


def build_layouts(
    shape: Shape, intent: AddressingIntent, asn: AsnPlan, spaces: Spaces, bag: Bag
) -> tuple[dict[str, Layout], Addressing]:
    """Affine maps for every tier over every pool; pools too small at the reserved maximum are diagnosed."""
    pools = {
        "loopbacks": _pool(intent.loopbacks, ("addressing", "loopbacks"), bag),
        "fabric_links": _pool(intent.fabric_links, ("addressing", "fabric_links"), bag),
        "host_links": _pool(intent.host_links, ("addressing", "host_links"), bag),
        "management": _pool(intent.management.pool, _management_path(intent), bag),
    }
    names = [tier.name for tier in shape.tiers]
    leaf = names[0]
    block = _host_block(shape, spaces)
    skip = management_reserve(pools["management"].prefixlen)
    one = {name: Entries(1) for name in names}
    trees = {
        "loopbacks": build_tree(shape, one, pools["loopbacks"].first + 1),
        "management": build_tree(shape, one, pools["management"].first + skip),
        "fabric_links": build_tree(
            shape,
            {name: Entries(2 * count) for name, count in spaces.uplinks.items()},
            pools["fabric_links"].first + 1,
        ),
        "host_links": _host_tree(shape, block, spaces, pools["host_links"].first),
    }
    extra = {"loopbacks": 1, "management": skip + 1, "fabric_links": 0, "host_links": 0}
    for name, tree in trees.items():
        path = _management_path(intent) if name == "management" else ("addressing", name)
        _check_fit(name, pools[name], tree.reserved + extra[name], path, bag)
    asns = build_tree(shape, {name: Entries(1, shared=name != leaf) for name in names}, asn.base)
    _check_asns(asns, asn, bag)
    layouts = {
        name: Layout(
            trees["loopbacks"].by_tier[name],
            trees["management"].by_tier[name],
            asns.by_tier[name],
            trees["fabric_links"].by_tier.get(name),
            trees["host_links"].by_tier.get(name),
        )
        for name in names
    }
    ranges = {name: (pool.first, pool.prefixlen) for name, pool in pools.items()}
    gateway = _gateway(intent, pools["management"])
    return layouts, Addressing(
        ranges["loopbacks"],
        ranges["fabric_links"],
        ranges["host_links"],
        ranges["management"],
        gateway,
        32 - (block.bit_length() - 1),
        spaces.subnet,
    )


SUBNET_OWN = 2
"""Addresses at the start of a host subnet before those of its leafs: its own and the gateway."""


def _host_block(shape: Shape, spaces: Spaces) -> int:
    """Host addresses of a leaf: a /31 for each position, or in a subnet one each beside its own and the leafs'."""
    if not spaces.subnet:
        return next_power_of_two(max(2, 2 * spaces.leaf_positions))
    room = shape.tiers[0].reserved
    return next_power_of_two(SUBNET_OWN + room.plane * room.index + spaces.leaf_positions + 1)


def _host_tree(shape: Shape, block: int, spaces: Spaces, base: int) -> Tree:
    """The leafs' blocks of host addresses; those that the ports of one NIC meet have the same."""
    leaf = shape.tiers[0]
    if not spaces.one_block:
        return build_tree(shape, {leaf.name: Entries(block)}, base)
    merged = replace(leaf, reserved=leaf.reserved._replace(plane=1, index=1))
    tree = build_tree(replace(shape, tiers=[merged, *shape.tiers[1:]]), {leaf.name: Entries(block)}, base)
    numbering = tree.by_tier[leaf.name]
    same = numbering._replace(strides=numbering.strides._replace(plane=0, index=0))
    return tree._replace(by_tier={leaf.name: same})


def management_reserve(prefix_len: int) -> int:
    """Addresses at the start of the management pool left to gateway and services: 256, or 16 in a small pool."""
    return 256 if prefix_len <= 22 else 16


def _management_path(intent: AddressingIntent) -> IntentPath:
    return ("addressing", "management", "pool")


def _pool(value: IPNetwork | str, path: IntentPath, bag: Bag) -> IPNetwork:
    """The pool, or a private stand-in where the intent names another family or none."""
    if isinstance(value, IPNetwork) and value.version == 4:
        return value
    if isinstance(value, IPNetwork):
        bag.add(
            codes.NOT_IPV4,
            f"{value} is an IPv6 pool, but addressing.families says ipv4",
            path,
            related=[Related("the families", ("addressing", "families"))],
            hint="use an IPv4 pool",
        )
    return IPNetwork("10.0.0.0/8")


def _gateway(intent: AddressingIntent, pool: IPNetwork) -> int:
    gateway = intent.management.gateway
    if isinstance(gateway, IPAddress):
        return int(gateway)
    return int(pool.first + 1 if gateway == "first" else pool.last - 1)


def _check_fit(name: str, pool: IPNetwork, needed: int, path: IntentPath, bag: Bag) -> None:
    if needed > pool.size:
        length = 32 - (next_power_of_two(needed).bit_length() - 1)
        bag.add(
            codes.POOL_TOO_SMALL,
            f"{name} pool {pool} holds {pool.size} addresses; {needed} are needed at the reserved maximum",
            path,
            hint=f"use a /{length} or larger",
        )


def _check_asns(tree: Tree, asn: AsnPlan, bag: Bag) -> None:
    last = asn.base + tree.reserved - 1
    home = next(((low, high) for low, high in PRIVATE_ASNS if low <= asn.base <= high), None)
    path = ("routing", "asn", "base")
    if home is None:
        low, high = PRIVATE_ASNS[1]
        bag.add(
            codes.ASN_EXHAUSTED,
            f"AS number {asn.base} is not private; private ones are 64512-65534 and {low}-{high}",
            path,
            hint=f"use {low}",
        )
    elif last > home[1]:
        bag.add(
            codes.ASN_EXHAUSTED,
            f"{tree.reserved} AS numbers are reserved from {asn.base}; the private range ends at {home[1]}",
            path,
            hint="use 4200000000",
        )
