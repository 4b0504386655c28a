"""The routing policy of a class of switches in no platform's syntax, built once per class.

It is free of valleys: a route from the tier above carries a mark, and what carries it is neither announced to the tier
above nor accepted from the tier below. Hosts accept whole host blocks and advertise nothing. On a drained link the same
policy demotes what is heard and marks what is announced, so that the other end demotes it.

Source:
    RFC 8326 (community GRACEFUL_SHUTDOWN).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from fabricgen.device.model import SwitchClass

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

    Attributes:
        name: The same in all families; a platform with policies by family adds its suffix.
        inward: It is for routes that are heard.
        drained: It is for links that are drained.
    """

    name: Annotated[str, "SwitchClass.has_upper", "SwitchClass.role", "SwitchClass.hosts_bgp"]
    side: Annotated[str, "SwitchClass.has_upper", "SwitchClass.role", "SwitchClass.hosts_bgp"]
    inward: Annotated[bool, "SwitchClass.has_upper", "SwitchClass.role", "SwitchClass.hosts_bgp"]
    drained: Annotated[bool, "Port.drained"]
    statements: Annotated[tuple[Statement, ...], "SwitchClass.has_upper", "SwitchClass.role", "SwitchClass.hosts_bgp"]
    origins: Mapping[str, tuple[str, ...]]


_UNDRAINED: Mapping[str, tuple[str, ...]] = dict.fromkeys(("adds", "demotes"), ("SwitchClass.role",))
"""Origins of what a statement of a switch and a link does that are not drained."""
_OF_SIDE = {UPPER: "SwitchClass.has_upper", LOWER: "SwitchClass.role", HOSTS: "SwitchClass.hosts_bgp"}


def class_policies(cls: SwitchClass, below: str, *, demotes: bool) -> Iterator[RoutePolicy]:
    """Yield the policies of a class, two for each side that has neighbours.

    Args:
        cls: The class.
        below: ``LOWER`` or ``HOSTS``; empty where no neighbour is below.
        demotes: They demote what carries ``DRAINED``; otherwise the platform does that by itself.
    """
    turned_back = Statement(0, "descended", DENY, "", DESCENDED, "", False, False, _UNDRAINED)
    fabric = Statement(0, "fabric", PERMIT, FABRIC, "", "", False, False, _UNDRAINED)
    marked = replace(fabric, adds=DESCENDED)
    accepted, accepted_above = (
        [*([replace(row, about="graceful-shutdown", community=DRAINED, demotes=True)] if demotes else []), row]
        for row in (fabric, marked)
    )
    advertised = replace(fabric, about="own", prefixes=OWN, bandwidth=cls.weighted) if cls.role == "leaf" else fabric
    nothing, blocks = (
        replace(turned_back, about="nothing", community=""),
        replace(fabric, about="blocks", prefixes=BLOCKS),
    )
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
