"""Routing policy in the terms of BGP++: both families share a policy, and each leaf below has one of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from fabricgen.device.model import Switch
from fabricgen.platforms.views.bgp import ClassBgp, device_lists
from fabricgen.platforms.views.policy import ENDING, FABRIC, LOWER, UPPER, RoutePolicy, Statement, last_resort
from fabricgen.platforms.views.prefix_lists import PrefixList, PrefixRule, list_name

Prefixes = tuple[PrefixRule, ...]


@dataclass(slots=True)
class Policy:
    """A named policy of one direction; ``prefixes`` is the list of those of its statements that have one."""

    name: Annotated[str, "SwitchClass.role", "LeafRoutes.name"]
    description: Annotated[str, "Switch.reason"]
    statements: Annotated[tuple[Statement, ...], "SwitchClass.role", "Switch.leafs"]
    prefixes: Annotated[Prefixes, "SwitchClass.prefixes"]


def build_policies(device: Switch, cls: ClassBgp) -> Iterator[Policy]:
    """Yield the policies of every side; a drained switch, or link, announces everything as a last resort."""
    drained = device.state == "drained"
    about = f"drained: {device.reason}" if drained else ""
    lists = _lists(device, cls)
    known = dict(lists)
    leafs = list(zip((leaf.name for leaf in device.leafs), (rules for kind, rules in lists if not kind), strict=True))
    for side in dict.fromkeys(policy.side for policy in cls.policies):
        policies = [last_resort(it, "Switch.state") if drained else it for it in cls.policies if it.side == side]
        yield from _of_side(policies, known, leafs, about)
        apart = _drained_peers(device, side)
        if apart:
            policies = [it for it in cls.drained if it.side == side]
            yield from _of_side(policies, known, [row for row in leafs if row[0] in apart], "drained links")


def _lists(device: Switch, cls: ClassBgp) -> list[tuple[str, Prefixes]]:
    """Return the prefix lists of all families by kind."""
    families = [device_lists(device, family) for family in cls.families]
    return [(rows[0].kind, _merged(rows)) for rows in zip(*families, strict=True)]


def _drained_peers(device: Switch, side: str) -> set[str]:
    """Return the neighbours of a side to which a link is drained."""
    ports = (port for port in device.ports if (port.shape.side == "up") == (side == UPPER))
    return {port.peer for port in ports if port.drained and port.peer_asn}


def _of_side(
    policies: Sequence[RoutePolicy], known: Mapping[str, Prefixes], leafs: Sequence[tuple[str, Prefixes]], about: str
) -> Iterator[Policy]:
    """Yield the policies of one side: those that all neighbours share, then what is heard of each leaf."""
    for policy in policies:
        yield Policy(policy.name, about, policy.statements, known.get(policy.statements[-1].prefixes, ()))
    heard = policies[0]
    for leaf, prefixes in leafs if heard.side == LOWER else ():
        name = list_name(leaf, ENDING if heard.drained else "")
        yield Policy(name, about, heard.statements, prefixes)


def _merged(lists: Sequence[PrefixList]) -> Prefixes:
    """Return the rules of the lists of all families as one; those of leafs and hosts kind by kind."""
    rules = [rule for each in lists for rule in each.rules]
    return tuple(rules if lists[0].kind == FABRIC else sorted(rules, key=lambda rule: rule.number))
