"""Numbering trees: every address, ASN and link number as an affine map of where a device stands.

The fabric is a tree of blocks: a unit's block lies in its pod's, a pod's in its zone's, a zone's in the fabric's.
A block starts with the tiers built per that scope, at their reserved sizes, and goes on with its children's
blocks. The outermost declared dimension comes last and most significant, so it may grow without end. Pools that are
smaller than what is reserved are diagnosed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fabricgen.diagnostics import Bag, IntentPath, Related, format_path
from fabricgen.diagnostics.words import and_list
from fabricgen.intent.network import UNNUMBERED, AsnPlan, Pools
from fabricgen.intent.network import AddressingIntent as AddressingIntent
from fabricgen.intent.types import IPAddress, IPNetwork
from fabricgen.physics.capacity import next_power_of_two
from fabricgen.plan.model.fabric import Addressing
from fabricgen.plan.model.identity import AddressPool, Coordinates, Numbering
from fabricgen.plan.model.topology import Layout
from fabricgen.plan.planner import plan_codes as codes
from fabricgen.plan.planner.factors import Factors, takes_part
from fabricgen.plan.planner.series import (
    ASN,
    DEVICES,
    SCOPES,
    OwnNumbers,
    Spaces,
    Taken,
    as_order,
    check_apart,
    count_series,
    place_addresses,
)
from fabricgen.plan.planner.shape import FabricShape, TierShape


class Entries(NamedTuple):
    """Numbers that a device takes, and the dimensions within a scope along which they differ, the outermost first."""

    each: int
    order: Sequence[str] = DEVICES


class Tree(NamedTuple):
    """The maps of all tiers over one number space, and how many numbers are reserved."""

    by_tier: dict[str, Numbering]
    reserved: int


def build_tree(shape: FabricShape, entries: dict[str, Entries], base: int) -> Tree:
    """Number every tier that has entries, from the first number of the space on; tiers left out take none.

    ``reserved`` of the result counts the numbers up to the last reserved device.
    """
    room, sizes = shape.tiers[0].reserved, dict.fromkeys((tier.name for tier in shape.tiers), 0)
    inner: dict[str, dict[str, int]] = {}
    for tier in shape.tiers:
        if entry := entries.get(tier.name):
            strides, size = inner.setdefault(tier.name, {}), entry.each
            for name in reversed(entry.order):
                strides[name] = size
                size *= getattr(tier.reserved, name)
            sizes[tier.name] = size
    header = {
        per: sum(sizes[tier.name] for tier in shape.tiers if tier.per == per) for per in ("fabric", "zone", "pod")
    }
    blocks = {"unit": sizes[shape.tiers[0].name]}
    blocks["pod"] = header["pod"] + room.unit * blocks["unit"]
    blocks["zone"] = header["zone"] + room.pod * blocks["pod"]
    first = {"fabric": base, "zone": base + header["fabric"]}
    first["pod"] = first["zone"] + header["zone"]
    first["unit"] = first["pod"] + header["pod"]
    maps: dict[str, Numbering] = {}
    for tier in reversed(shape.tiers):
        if tier.name in inner:
            scopes = {name: blocks[name] for name in SCOPES[tier.per]}
            maps[tier.name] = Numbering(first[tier.per], Coordinates(**scopes, **inner[tier.name]))
            first[tier.per] += sizes[tier.name]
    return Tree(maps, header["fabric"] + room.zone * blocks["zone"])


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


Placed = dict[str, tuple[Numbering, Numbering | None]]
"""Numberings by tier, and of leafs that share blocks those of the blocks."""
LINK_LEN = 31
"""Prefix length of the routes to single host links."""
SWITCH_ASNS = ((64512, 65534), (4_200_000_000, 4_294_967_293))
"""RFC 6996: private AS numbers, 2-byte and 4-byte, but for the last, which hosts have (``routing.HOST_ASN``)."""


def build_layouts(
    shape: FabricShape, intent: AddressingIntent, asn: AsnPlan, spaces: Spaces, factors: Factors, bag: Bag
) -> tuple[dict[str, Layout], Addressing]:
    """Affine maps for every tier over every pool; pools too small at the reserved maximum are diagnosed."""
    numbered = intent.fabric_links != UNNUMBERED
    spaces = spaces if numbered else spaces._replace(uplinks={})
    own = count_series(shape, factors.intent, spaces, bag)
    block = next((each.block for each in own if each.name == "host_links"), 0) or _host_block(shape, spaces)
    pools = {"loopbacks": build_pool(intent, "loopbacks", 0, bag)}
    pools |= {"fabric_links": build_pool(intent, "fabric_links", 2, bag)} if numbered else {}
    pools |= {
        "host_links": build_pool(intent, "host_links", block, bag),
        "management": _pool_of(intent.management.pool),
    }
    placed = {name: _place_pool(name, pool, block, own, shape, spaces, factors, bag) for name, pool in pools.items()}
    asns, nothing = _place_asns(own, shape, asn, factors, bag), (None, None)
    layouts = {
        tier.name: Layout(
            placed["loopbacks"][tier.name][0],
            placed["management"][tier.name][0],
            asns[tier.name],
            placed.get("fabric_links", {}).get(tier.name, nothing)[0],
            *placed["host_links"].get(tier.name, nothing),
        )
        for tier in shape.tiers
    }
    shared = layouts[shape.tiers[0].name].shared_block is not None
    return layouts, Addressing(
        loopbacks=pools["loopbacks"],
        fabric_links=pools.get("fabric_links"),
        host_links=pools["host_links"],
        management=pools["management"],
        management_gateway=find_gateway(intent.management.gateway, intent.management.pool),
        host_block_len=32 - (block.bit_length() - 1),
        host_subnet=spaces.subnet,
        host_len=LINK_LEN if shared else spaces.host_len,
    )


def _place_pool(
    name: str,
    pool: AddressPool,
    block: int,
    own: Sequence[OwnNumbers],
    shape: FabricShape,
    spaces: Spaces,
    factors: Factors,
    bag: Bag,
) -> Placed:
    """Number all tiers that have addresses in a pool, at the start of which some are left out."""
    # Left to gateway and services; elsewhere the address of the network itself.
    left = {
        "loopbacks": 1,
        "management": 256 if (pool.ipv4 or (0, 32))[1] <= 22 or (pool.ipv6 or (0, 128))[1] <= 118 else 16,
    }.get(name, 0)
    entries = {tier.name: Entries(1) for tier in shape.tiers}
    if name == "fabric_links":
        entries = {tier: Entries(2 * count) for tier, count in spaces.uplinks.items()}
    elif name == "host_links":
        # The leafs that the ports of one NIC meet have the same addresses.
        entries = {shape.tiers[0].name: Entries(block, ("group",) if spaces.one_block else DEVICES)}
    mine = {each.tier.name: each for each in own if each.name == name}
    base = pool.first + left
    rest = {tier: entry for tier, entry in entries.items() if tier not in mine}
    tree = build_tree(shape, rest, base + (name == "fabric_links"))
    _check_fit(name, pool, tree.reserved + left + (name == "management"), factors, bag)
    others = Taken(f"{name} of the other tiers", ("addressing", name), base, base + tree.reserved - 1)
    placed: Placed = {tier: (each, None) for tier, each in tree.by_tier.items()}
    return placed | dict(place_addresses(mine.values(), pool, _last(pool), others, bag))


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


def _pool_of(pool: IPNetwork) -> AddressPool:
    return AddressPool(ipv4=_range(pool)) if pool.version == 4 else AddressPool(ipv6=_range(pool))


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


def _last(pool: AddressPool) -> int:
    """The last number that a pool has an address for in each of its families."""
    ends = [pool.ipv4[0] + (1 << 32 - pool.ipv4[1]) - 1] if pool.ipv4 else []
    if pool.ipv6:
        ends.append(pool.ipv6[0] + (1 << 128 - pool.ipv6[1]) - 1 - LAST_OF_SUBNET - pool.shift)
    return min(ends)


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


def find_gateway(gateway: IPAddress | str, pool: IPNetwork) -> int:
    """Return the gateway of a management subnet: an address, or its first or last one."""
    if isinstance(gateway, IPAddress):
        return int(gateway)
    # The end of an IPv6 subnet is anycast addresses.
    last = pool.last - (1 if pool.version == 4 else LAST_OF_SUBNET)
    return int(pool.first + 1 if gateway == "first" else last)


def _place_asns(
    series: Sequence[OwnNumbers], shape: FabricShape, asn: AsnPlan, factors: Factors, bag: Bag
) -> dict[str, Numbering]:
    """AS numbers of every tier; those that are not private, or belong to two tiers, are reported."""
    own = [each for each in series if each.name == ASN]
    bases = {each.tier.name: each.series.first if isinstance(each.series.first, int) else asn.base for each in own}
    rest = {tier.name: Entries(1, as_order(tier, shape)) for tier in shape.tiers if tier.name not in bases}
    tree, spans = build_tree(shape, rest, asn.base), [each.span(bases[each.tier.name]) for each in own]
    if rest:
        path, last = ("routing", "asn", "base"), asn.base + tree.reserved - 1
        spans.append(Taken("AS numbers of the other tiers", path, asn.base, last))
    for span in spans:
        _check_private(span, factors, bag)
    check_apart(spans, bag)
    return tree.by_tier | {each.tier.name: each.numbering(bases[each.tier.name]) for each in own}


def _check_private(span: Taken, factors: Factors, bag: Bag) -> None:
    first, count = span.first, span.last - span.first + 1
    home = next(((low, high) for low, high in SWITCH_ASNS if low <= first <= high), None)
    if home is None:
        low, high = SWITCH_ASNS[1]
        message = f"AS number {first} is not one of the private ones for switches: 64512-65534 and {low}-{high}"
        bag.add(codes.ASN_EXHAUSTED, message, span.path, hint=f"use {low}")
    elif span.last > home[1]:
        message = f"{count} AS numbers are reserved from {first}; those for switches end at {home[1]}"
        related = takes_part(factors.intent, factors.all_devices())
        bag.add(codes.ASN_EXHAUSTED, message, span.path, hint="use 4200000000", related=related)
