"""The routing policy of a class of switches and its prefix lists in no platform's syntax.

It is free of valleys: a route from the tier above carries a mark, and what carries it is neither announced to the tier
above nor accepted from the tier below. Hosts accept whole host blocks and advertise nothing. On a drained link the same
policy demotes what is heard and marks what is announced, so that the other end demotes it.

Source:
    RFC 8326 (community GRACEFUL_SHUTDOWN).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from fabricgen.device.model import FabricPrefixes, LeafRoutes, Switch, SwitchClass

UPPER, LOWER, HOSTS = "UPPER", "LOWER", "HOSTS"
"""Sides of a switch: the tier above, the tier below, the hosts of a leaf."""
FABRIC, OWN, BLOCKS = "FABRIC", "OWN", "BLOCKS"
"""Prefix lists: all routes of the fabric; those of a leaf itself; whole host blocks."""
PERMIT, DENY = "permit", "deny"
ENDING = "_DRAINED"
"""Ending of the names of policies, and of peer groups, for drained links."""
STEP = 10
"""Distance of the numbers of statements, and of the rules of a list."""


DESCENDED, DRAINED = "DESCENDED", "DRAINED"
"""Communities: a route came from above, 64512:1; it is a last resort, 65535:0 (RFC 8326)."""
_UNDRAINED: Mapping[str, tuple[str, ...]] = dict.fromkeys(("adds", "demotes"), ("SwitchClass.role",))
"""Origins of what a statement of a switch and a link does that are not drained."""
_OF_SIDE = {UPPER: "SwitchClass.has_upper", LOWER: "SwitchClass.role", HOSTS: "SwitchClass.hosts_bgp"}
ATTACHED = "HOSTS"
"""List of what a leaf announces beside its block: single hosts, by their ARP entries, or prefixes of their links."""
_CONSTANT: Mapping[str, tuple[str, ...]] = {"number": (), "inside": ()}
_OF_RULES = {
    (owner, suffix): tuple(
        {**_CONSTANT, "block": (f"{owner}.{block}{suffix}",), "length": length}
        for block, length in (
            ("loopback", ()),
            ("aggregate", (f"{owner}.aggregate{suffix}",)),
            ("aggregate", (f"FabricPrefixes.host_len{suffix}",)),
        )
    )
    for owner in (Switch.__name__, LeafRoutes.__name__)
    for suffix in ("", "6")
}
"""Origins of the rules for a leaf, by the class that describes it and the family."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement: the first of which a route meets all conditions decides, and a route that meets none is denied.

    Attributes:
        about: What it is for, in words.
        prefixes: Name of the list that has to permit the route; empty where any route will do.
        community: ``DESCENDED`` or ``DRAINED``, which it has to carry; empty where any route will do.
        adds: What a permitted route carries from here on beside.
        demotes: A permitted route is used only where there is no other: its local preference is 0.
        bandwidth: A permitted route carries the link bandwidth of one link; where several come together, the switch
            above adds them up, so that next hops can be weighted by the links behind them.
    """

    number: Annotated[int, "SwitchClass.role"]
    about: Annotated[str, "SwitchClass.role"]
    action: Annotated[str, "SwitchClass.role"]
    prefixes: Annotated[str, "SwitchClass.role"]
    community: Annotated[str, "SwitchClass.role"]
    adds: Annotated[str, "Port.drained", "Switch.state"]
    demotes: Annotated[bool, "Port.drained", "Switch.state"]
    bandwidth: Annotated[bool, "SwitchClass.weighted"]
    origins: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class RoutePolicy:
    """The policy towards one side in one direction.

    It is ``inward`` for routes that are heard, ``drained`` for links that are drained. Its name is the same in all
    families; a platform with policies by family adds its suffix.
    """

    name: Annotated[str, "SwitchClass.has_upper", "SwitchClass.role", "SwitchClass.hosts_bgp"]
    side: Annotated[str, "SwitchClass.has_upper", "SwitchClass.role", "SwitchClass.hosts_bgp"]
    inward: Annotated[bool, "SwitchClass.has_upper", "SwitchClass.role", "SwitchClass.hosts_bgp"]
    drained: Annotated[bool, "Port.drained"]
    statements: Annotated[tuple[Statement, ...], "SwitchClass.has_upper", "SwitchClass.role", "SwitchClass.hosts_bgp"]
    origins: Mapping[str, tuple[str, ...]]


def class_policies(cls: SwitchClass, below: str, *, demotes: bool) -> Iterator[RoutePolicy]:
    """Yield the policies of a class, two for each side that has neighbours.

    ``below`` is ``LOWER`` or ``HOSTS``, empty without neighbours below. If the policies do not demote what carries
    ``DRAINED``, the platform does so by itself.
    """
    turned_back = Statement(0, "descended", DENY, "", DESCENDED, "", False, False, _UNDRAINED)
    fabric = Statement(0, "fabric", PERMIT, FABRIC, "", "", False, False, _UNDRAINED)
    marked = replace(fabric, adds=DESCENDED)
    accepted, accepted_above = (
        [*([replace(row, about="graceful-shutdown", community=DRAINED, demotes=True)] if demotes else []), row]
        for row in (fabric, marked)
    )
    advertised = replace(fabric, about="own", prefixes=OWN, bandwidth=cls.weighted) if cls.role == "leaf" else fabric
    nothing = replace(turned_back, about="nothing", community="")
    blocks = replace(fabric, about="blocks", prefixes=BLOCKS)
    if cls.has_upper:
        yield from _pair(UPPER, accepted_above, [turned_back, advertised])
    if below == LOWER:
        yield from _pair(LOWER, [turned_back, *accepted], [fabric])
    elif below == HOSTS:
        yield from _pair(HOSTS, [nothing], [blocks])


def last_resort(policy: RoutePolicy, origin: str) -> RoutePolicy:
    """Return a policy under which what is heard or told is a last resort; ``origin`` is the field that drains it."""
    rows = [_drained(row, policy, origin) for row in policy.statements if row.community != DRAINED]
    return replace(policy, statements=_numbered(rows))


def _drained(row: Statement, policy: RoutePolicy, origin: str) -> Statement:
    """Return a statement under which what it permits is a last resort."""
    if row.action == DENY:
        return row
    if policy.inward:
        return replace(row, demotes=True, origins={**row.origins, "demotes": (origin,)})
    return replace(row, adds=DRAINED, origins={**row.origins, "adds": (origin,)})


def for_drained_links(policy: RoutePolicy) -> RoutePolicy:
    """Return a policy for the sessions over drained links, under a name of its own."""
    return replace(last_resort(policy, "Port.drained"), name=f"{policy.name}{ENDING}", drained=True)


def _pair(side: str, accepted: Sequence[Statement], advertised: Sequence[Statement]) -> Iterator[RoutePolicy]:
    """Yield the policies of a side."""
    origins = {**dict.fromkeys(("name", "side", "statements"), (_OF_SIDE[side],)), "inward": (), "drained": ()}
    for way, rows in (("IN", accepted), ("OUT", advertised)):
        yield RoutePolicy(f"{side}_{way}", side, way == "IN", False, _numbered(rows), origins)


def _numbered(rows: Sequence[Statement]) -> tuple[Statement, ...]:
    """Return statements with their numbers."""
    return tuple(replace(row, number=STEP * place) for place, row in enumerate(rows, 1))


@dataclass(slots=True)
class PrefixRule:
    """A rule, which permits a block, or with ``inside`` everything inside it that has one length."""

    number: Annotated[int, "FabricPrefixes.host_links"]
    block: Annotated[
        str,
        "FabricPrefixes.loopbacks",
        "FabricPrefixes.own_loopbacks",
        "FabricPrefixes.host_links",
        "FabricPrefixes.loopbacks6",
        "FabricPrefixes.host_links6",
        "Switch.loopback",
        "Switch.aggregate",
        "Switch.loopback6",
        "Switch.aggregate6",
        "LeafRoutes.loopback",
        "LeafRoutes.aggregate",
        "LeafRoutes.loopback6",
        "LeafRoutes.aggregate6",
    ]
    length: Annotated[
        int,
        "FabricPrefixes.host_block_len",
        "FabricPrefixes.host_block_len6",
        "FabricPrefixes.host_len",
        "FabricPrefixes.host_len6",
        "FabricPrefixes.loopback_len",
        "FabricPrefixes.loopback_len6",
        "Switch.aggregate",
        "Switch.aggregate6",
        "LeafRoutes.aggregate",
        "LeafRoutes.aggregate6",
    ]
    inside: Annotated[bool, "FabricPrefixes.host_links"]
    origins: Mapping[str, tuple[str, ...]]


@dataclass(slots=True)
class PrefixList:
    """A list; ``kind`` is ``FABRIC``, ``OWN``, ``BLOCKS`` or ``ATTACHED``, empty for that of a leaf below.

    ``command`` is how its lines begin in FRR and EOS.
    """

    kind: Annotated[str, "SwitchClass.role"]
    name: Annotated[str, "SwitchClass.role", "LeafRoutes.name"]
    command: Annotated[str, "SwitchClass.role", "LeafRoutes.name"]
    rules: Annotated[tuple[PrefixRule, ...], "SwitchClass.prefixes"]
    origins: Mapping[str, tuple[str, ...]]


def _origins(*decides: str) -> Mapping[str, tuple[str, ...]]:
    """Return the origins of a list, by what decides that there is one."""
    return {"kind": decides[-1:], "name": decides, "command": decides, "rules": decides[-1:]}


_OF_FAMILY = {"": _origins("SwitchClass.ipv4"), "6": _origins("SwitchClass.ipv6")}
_OF_BLOCKS, _OF_ATTACHED = _origins("SwitchClass.hosts_bgp"), _origins("FabricPrefixes.host_len", "Switch.host_subnet")
_OF_LEAF = _origins("LeafRoutes.name", "Switch.leafs")


def class_lists(prefixes: FabricPrefixes, suffix: str, *, hosts: bool) -> tuple[PrefixList, ...]:
    """Return the lists of a family that a class shares; ``suffix``, ``6`` in IPv6, ends names of lists and fields."""
    pools = prefixes.permitted or (prefixes,)
    rules = [rule for pool in pools for rule in (*_list_pools(pool, suffix), *_list_own(pool, suffix))]
    fabric = _named(FABRIC, suffix, _unique(rules), _OF_FAMILY[suffix])
    blocks = [_inside(pool, "host_links", "host_block_len", suffix) for pool in pools]
    return (fabric, _named(BLOCKS, suffix, _unique(blocks), _OF_BLOCKS))[: 1 + hosts]


def _list_pools(prefixes: FabricPrefixes, suffix: str) -> Iterator[PrefixRule]:
    """Yield the rules for loopbacks, the blocks of leafs, and single hosts where routes lead to them."""
    fields = (("loopbacks", "loopback_len"), ("host_links", "host_block_len"), ("host_links", "host_len"))
    return (rule for each in fields if (rule := _inside(prefixes, *each, suffix)).length)


def _list_own(prefixes: FabricPrefixes, suffix: str) -> Iterator[PrefixRule]:
    """Yield the rules for loopbacks outside the pool: single ones, and blocks that hold nothing else."""
    origins = {
        **_CONSTANT,
        "block": ("FabricPrefixes.own_loopbacks",),
        "length": (f"FabricPrefixes.loopback_len{suffix}",),
    }
    length = prefixes.loopback_len6 if suffix else prefixes.loopback_len
    for block in prefixes.own_loopbacks:
        if (":" in block) == bool(suffix):
            yield PrefixRule(STEP, block, length, not block.endswith(f"/{length}"), origins)


def _unique(rules: Iterable[PrefixRule]) -> tuple[PrefixRule, ...]:
    """Return rules with their numbers, each once."""
    found: dict[tuple[str, int], PrefixRule] = {}
    for rule in rules:
        found.setdefault((rule.block, rule.length), rule)
    return tuple(replace(rule, number=STEP * place) for place, rule in enumerate(found.values(), 1))


def _named(
    kind: str, suffix: str, rules: tuple[PrefixRule, ...], origins: Mapping[str, tuple[str, ...]], leaf: str = ""
) -> PrefixList:
    """Return a list by its kind, or by the leaf below that it is for."""
    name = list_name(leaf, suffix) if leaf else kind + suffix
    return PrefixList(kind, name, f"{'ipv6' if suffix else 'ip'} prefix-list {name}", rules, origins)


def _inside(prefixes: FabricPrefixes, block: str, length: str, suffix: str) -> PrefixRule:
    """Return a rule for what has one length inside a pool of the fabric, both by the name of their field."""
    fields = {"block": block + suffix, "length": length + suffix}
    values = {name: getattr(prefixes, field) for name, field in fields.items()}
    origins = {**_CONSTANT, **{name: (f"FabricPrefixes.{field}",) for name, field in fields.items()}}
    return PrefixRule(STEP, **values, inside=True, origins=origins)


def own_lists(leaf: Switch, suffix: str) -> tuple[PrefixList, ...]:
    """Return the lists of a leaf itself in a family; that of its hosts too where it announces routes to them."""
    prefixes = leaf.cls.prefixes
    rules = _rules_of(leaf, prefixes, suffix, single=bool(prefixes.host_len6 if suffix else prefixes.host_len))
    own = _named(OWN, suffix, rules, _OF_FAMILY[suffix])
    hosts = tuple(replace(rule, number=STEP) for rule in rules if rule.inside)
    return (own, _named(ATTACHED, suffix, hosts, _OF_ATTACHED)) if hosts else (own,)


def leaf_list(leaf: LeafRoutes, prefixes: FabricPrefixes, suffix: str) -> PrefixList:
    """Return the list that a leaf below is held to in a family."""
    rules = _rules_of(leaf, prefixes, suffix, single=bool(getattr(prefixes, f"host_len{suffix}")))
    return _named("", suffix, rules, _OF_LEAF, leaf.name)


def list_name(leaf: str, suffix: str) -> str:
    """Return the name of the list that a leaf below is held to."""
    return f"FROM_{leaf}{suffix}"


def _rules_of(leaf: Switch | LeafRoutes, pools: FabricPrefixes, suffix: str, *, single: bool) -> tuple[PrefixRule, ...]:
    """Return the rules for a leaf: its loopback, the block of its hosts, and ``single`` hosts in that."""
    of_loopback, of_block, of_host = _OF_RULES[type(leaf).__name__, suffix]
    if suffix:
        loopback, block = f"{leaf.loopback6}/{pools.loopback_len6}", leaf.aggregate6
        full, host = pools.host_block_len6, pools.host_len6
    else:
        loopback, block = f"{leaf.loopback}/{pools.loopback_len}", leaf.aggregate
        full, host = pools.host_block_len, pools.host_len
    length = pools.loopback_len6 if suffix else pools.loopback_len
    rules = (PrefixRule(STEP, loopback, length, False, of_loopback), PrefixRule(2 * STEP, block, full, False, of_block))
    return (*rules, PrefixRule(3 * STEP, block, host, True, of_host)) if single else rules
