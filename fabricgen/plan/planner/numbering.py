"""Numbering trees: every address, ASN and link number as an affine map of where a device stands.

The fabric is a tree of blocks: a unit's block lies in its pod's, a pod's in its zone's, a zone's in the fabric's.
A block starts with the tiers built per that scope, at their reserved sizes, and goes on with its children's
blocks. The outermost declared dimension comes last and most significant, so it may grow without end. Pools that are
smaller than what is reserved are diagnosed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from fabricgen.diagnostics import Bag, IntentPath, Related, format_path
from fabricgen.diagnostics.words import and_list
from fabricgen.intent.network import UNNUMBERED, AsnPlan, Pools
from fabricgen.intent.network import AddressingIntent as AddressingIntent
from fabricgen.intent.types import IPAddress, IPNetwork
from fabricgen.physics.capacity import next_power_of_two
from fabricgen.plan.model.fabric import Addressing, AddressPool
from fabricgen.plan.model.identity import Coordinates, Numbering
from fabricgen.plan.model.topology import Layout
from fabricgen.plan.planner import plan_codes as codes
from fabricgen.plan.planner.factors import Factors, takes_part
from fabricgen.plan.planner.shape import FabricShape, TierShape


class Entries(NamedTuple):
    """Numbers that a device takes: ``shared`` by all devices of a scope and plane, or ``by_group`` of stripes only."""

    each: int
    shared: bool = False
    by_group: bool = False


class Tree(NamedTuple):
    """The maps of all tiers over one number space, and how many numbers are reserved."""

    by_tier: dict[str, Numbering]
    reserved: int
    header: int


def build_tree(shape: FabricShape, entries: dict[str, Entries], base: int) -> Tree:
    """Number every tier that has entries, from the first number of the space on; tiers left out take none.

    ``reserved`` of the result counts the numbers up to the last reserved device.
    """
    leaf = shape.tiers[0]
    room = leaf.reserved
    sizes = {
        tier.name: tier.reserved.plane * _plane_size(tier, entries[tier.name]) if tier.name in entries else 0
        for tier in shape.tiers
    }
    header = {
        per: sum(sizes[tier.name] for tier in shape.tiers if tier.per == per) for per in ("fabric", "zone", "pod")
    }
    unit_block = sizes[leaf.name]
    pod_block = header["pod"] + room.unit * unit_block
    zone_block = header["zone"] + room.pod * pod_block
    first = {"fabric": base, "zone": base + header["fabric"]}
    first["pod"] = first["zone"] + header["zone"]
    first["unit"] = first["pod"] + header["pod"]
    maps: dict[str, Numbering] = {}
    for tier in reversed(shape.tiers):
        entry = entries.get(tier.name)
        if entry is None:
            continue
        plane = _plane_size(tier, entry)
        own = 0 if entry.shared else entry.each
        group = entry.each if entry.by_group else own * tier.reserved.index
        maps[tier.name] = Numbering(
            first[tier.per],
            Coordinates(
                zone_block if tier.per != "fabric" else 0,
                pod_block if tier.per in ("pod", "unit") else 0,
                unit_block if tier.per == "unit" else 0,
                plane,
                group,
                own,
            ),
        )
        first[tier.per] += sizes[tier.name]
    return Tree(maps, header["fabric"] + room.zone * zone_block, header["fabric"])


def build_ordinal(lower: TierShape, upper: TierShape) -> Numbering:
    """Number of a lower device among all those that one upper device meets, at the reserved sizes."""
    strides = dict.fromkeys(Coordinates._fields, 0)
    shared = {"pod": ("pod", "zone"), "zone": ("zone",)}.get(upper.per, ())
    own = {"stripe_index": "index", "stripe_rail": "group"}.get(upper.pattern)
    size = 1
    for name in ("index", "group", "unit", "pod", "zone"):
        if name == own or name in shared:
            continue
        strides[name] = size
        size *= getattr(lower.reserved, name)
    return Numbering(0, Coordinates(**strides))


def _plane_size(tier: TierShape, entry: Entries) -> int:
    if entry.shared:
        return entry.each * (tier.reserved.group if entry.by_group else 1)
    return tier.reserved.group * tier.reserved.index * entry.each


SWITCH_ASNS = ((64512, 65534), (4_200_000_000, 4_294_967_293))
"""RFC 6996: private AS numbers, 2-byte and 4-byte, but for the last, which hosts have (``routing.HOST_ASN``)."""


class Spaces(NamedTuple):
    """Address space that each device needs: link /31s per uplinked tier, positions per leaf.

    Attributes:
        one_block: The leafs a NIC's ports meet have one block of host addresses between them.
        subnet: That block is one subnet, in which the hosts bond.
        host_len: Prefix length of the IPv4 routes into it; 0 where there are none.
    """

    uplinks: dict[str, int]
    leaf_positions: int
    one_block: bool = False
    subnet: bool = False
    host_len: int = 0


def build_layouts(
    shape: FabricShape, intent: AddressingIntent, asn: AsnPlan, spaces: Spaces, factors: Factors, bag: Bag
) -> tuple[dict[str, Layout], Addressing]:
    """Affine maps for every tier over every pool; pools too small at the reserved maximum are diagnosed."""
    names, block = [tier.name for tier in shape.tiers], _host_block(shape, spaces)
    management = _management_pool(intent)
    # Left to gateway and services at the start of the management pool.
    skip = 256 if intent.management.pool.size >= 1024 else 16
    pools = {
        "loopbacks": build_pool(intent, "loopbacks", 0, bag),
        "fabric_links": None if intent.fabric_links == UNNUMBERED else build_pool(intent, "fabric_links", 2, bag),
        "host_links": build_pool(intent, "host_links", block, bag),
        "management": management,
    }
    one = {name: Entries(1) for name in names}
    links = {name: Entries(2 * count) for name, count in spaces.uplinks.items()}
    first = {name: pool.first for name, pool in pools.items() if pool}
    trees = {
        "loopbacks": build_tree(shape, one, first["loopbacks"] + 1),
        "fabric_links": build_tree(shape, links if pools["fabric_links"] else {}, first.get("fabric_links", 0) + 1),
        "host_links": _host_tree(shape, block, spaces, first["host_links"]),
        "management": build_tree(shape, one, first["management"] + skip),
    }
    extra = {"loopbacks": 1, "management": skip + 1, "fabric_links": 0, "host_links": 0}
    for name, pool in pools.items():
        if pool:
            _check_fit(name, pool, trees[name].reserved + extra[name], factors, bag)
    asns = build_tree(shape, {tier.name: _as_numbers(shape, tier) for tier in shape.tiers}, asn.base)
    _check_asns(asns, asn, factors, bag)
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
    return layouts, Addressing(
        loopbacks=pools["loopbacks"] or AddressPool(),
        fabric_links=pools["fabric_links"],
        host_links=pools["host_links"] or AddressPool(),
        management=management,
        management_gateway=_gateway(intent),
        host_block_len=32 - (block.bit_length() - 1),
        host_subnet=spaces.subnet,
        host_len=spaces.host_len,
    )


def _management_pool(intent: AddressingIntent) -> AddressPool:
    pool = intent.management.pool
    return AddressPool(ipv4=_range(pool)) if pool.version == 4 else AddressPool(ipv6=_range(pool))


def _as_numbers(shape: FabricShape, tier: TierShape) -> Entries:
    """A leaf's number is its own; the switches above share one, or one per stripe group where these meet further up.

    Two switches of one number never take each other's routes (RFC 4271 section 9.1.2), so what a stripe keeps apart
    below would stay apart above.
    """
    meet_above = tier.pattern != "mesh" and tier is not shape.tiers[-1]
    return Entries(1, shared=tier is not shape.tiers[0], by_group=meet_above)


SUBNET_OWN = 2
"""Addresses at the start of a host subnet before those of its leafs: its own and the gateway."""


def _host_block(shape: FabricShape, spaces: Spaces) -> int:
    """Host addresses of a leaf: a /31 for each position, or in a subnet one each beside its own and the leafs'.

    A block that leafs announce beside the prefixes of its bonds is larger than one of them.
    """
    if not spaces.subnet:
        least = 4 if spaces.host_len else 2
        return next_power_of_two(max(least, 2 * spaces.leaf_positions))
    room = shape.tiers[0].reserved
    return next_power_of_two(SUBNET_OWN + room.plane * room.index + spaces.leaf_positions + 1)


def _host_tree(shape: FabricShape, block: int, spaces: Spaces, base: int) -> Tree:
    """The leafs' blocks of host addresses; those that the ports of one NIC meet have the same."""
    leaf = shape.tiers[0]
    if not spaces.one_block:
        return build_tree(shape, {leaf.name: Entries(block)}, base)
    merged = replace(leaf, reserved=leaf.reserved._replace(plane=1, index=1))
    tree = build_tree(replace(shape, tiers=[merged, *shape.tiers[1:]]), {leaf.name: Entries(block)}, base)
    numbering = tree.by_tier[leaf.name]
    same = numbering._replace(strides=numbering.strides._replace(plane=0, index=0))
    return tree._replace(by_tier={leaf.name: same})


LAST_OF_SUBNET = 128
"""Addresses at the end of an IPv6 pool that nothing gets: reserved anycast addresses, RFC 2526."""
PLACEHOLDER: Mapping[str, IPNetwork] = {"ipv4": IPNetwork("10.0.0.0/8"), "ipv6": IPNetwork("fd00::/32")}
"""Pool to plan with where the intent names none, so that everything else is still looked at."""


def build_pool(intent: AddressingIntent, name: str, skip: int, bag: Bag) -> AddressPool:
    """A pool in the families of the fabric; what is missing or used by no family is reported.

    The first ``skip`` addresses of an IPv6 pool are given to nothing: with them the first one of every link differs
    from the subnet's router anycast address, RFC 6164 section 5.2.
    """
    value = getattr(intent, name) if name in intent.model_fields_set or "ipv4" in intent.families else Pools()
    ranges: dict[str, tuple[int, int]] = {}
    foreign = [family for family in PLACEHOLDER if family not in intent.families and getattr(value, family) is not None]
    for family in foreign:
        bag.add(
            codes.POOL_OF_OTHER_FAMILY,
            f"{getattr(value, family)} is an {_FAMILY_WORDS[family]} pool, but addressing.families is "
            f"{and_list(intent.families)}",
            ("addressing", name, family),
            related=[Related("the families", ("addressing", "families"))],
            hint=f"add {family} to addressing.families, or remove {family} here",
        )
    for family in intent.families:
        network = getattr(value, family)
        if network is None and not foreign:
            _report_missing(name, family, bag)
        ranges[family] = _range(network or PLACEHOLDER[family])
    ipv4, ipv6 = ranges.get("ipv4"), ranges.get("ipv6")
    return AddressPool(ipv4, ipv6, ipv6[0] + skip - (ipv4 or ipv6)[0] if ipv6 else 0)


_FAMILY_WORDS: Mapping[str, str] = {"ipv4": "IPv4", "ipv6": "IPv6"}


def _report_missing(name: str, family: str, bag: Bag) -> None:
    bag.add(
        codes.NO_POOL,
        f"addressing.families has {family}, but {name} has no {_FAMILY_WORDS[family]} pool",
        ("addressing", name),
        related=[Related("the families", ("addressing", "families"))],
        hint=f"write {name}: {{{family}: …}} with a prefix of your own"
        + (", for instance of a random fd00::/8 one (RFC 4193)" if family == "ipv6" else ""),
    )


def _range(pool: IPNetwork) -> tuple[int, int]:
    return int(pool.first), int(pool.prefixlen)


def _deciding_keys(factors: Factors, name: str) -> list[IntentPath]:
    """Keys behind the number of addresses that a pool must hold."""
    tiers = range(len(factors.tiers))
    if name == "host_links":
        return [*factors.devices(0), *factors.ports_down(0)]
    links = [path for number in tiers for path in factors.ports_up(number)] if name == "fabric_links" else []
    return [*factors.all_devices(), *links]


def _check_fit(name: str, pool: AddressPool, needed: int, factors: Factors, bag: Bag) -> None:
    """Report a pool that is smaller than what is reserved, in each family."""
    rooms = []
    if pool.ipv4:
        rooms.append(("ipv4", pool.ipv4, needed, 32))
    if pool.ipv6:
        skipped = pool.shift + pool.first - pool.ipv6[0]
        rooms.append(("ipv6", pool.ipv6, needed + skipped + LAST_OF_SUBNET, 128))
    for family, (first, length), count, bits in rooms:
        size = 1 << (bits - length)
        if count > size:
            path = ("addressing", name, "pool" if name == "management" else family)
            wide = bits - (next_power_of_two(count).bit_length() - 1)
            larger = IPNetwork(f"{IPAddress(first)}/{wide}").cidr
            deciding = _deciding_keys(factors, name)
            message = (
                f"{name} pool {IPAddress(first)}/{length} holds {size} addresses; {count} are needed at the reserved "
                "maximum"
            )
            hint = f"set {format_path(path)} to {larger}, or use a /{wide} or larger"
            bag.add(codes.POOL_TOO_SMALL, message, path, hint=hint, related=takes_part(factors.intent, deciding))


def _gateway(intent: AddressingIntent) -> int:
    gateway, pool = intent.management.gateway, intent.management.pool
    if isinstance(gateway, IPAddress):
        return int(gateway)
    # The end of an IPv6 subnet is anycast addresses.
    last = pool.last - (1 if pool.version == 4 else LAST_OF_SUBNET)
    return int(pool.first + 1 if gateway == "first" else last)


def _check_asns(tree: Tree, asn: AsnPlan, factors: Factors, bag: Bag) -> None:
    last = asn.base + tree.reserved - 1
    home = next(((low, high) for low, high in SWITCH_ASNS if low <= asn.base <= high), None)
    path = ("routing", "asn", "base")
    if home is None:
        low, high = SWITCH_ASNS[1]
        message = f"AS number {asn.base} is not one of the private ones for switches: 64512-65534 and {low}-{high}"
        bag.add(codes.ASN_EXHAUSTED, message, path, hint=f"use {low}")
    elif last > home[1]:
        message = f"{tree.reserved} AS numbers are reserved from {asn.base}; those for switches end at {home[1]}"
        related = takes_part(factors.intent, factors.all_devices())
        bag.add(codes.ASN_EXHAUSTED, message, path, hint="use 4200000000", related=related)
