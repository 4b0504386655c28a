"""Prefix lists of a switch in no platform's syntax: those of its class, its own, and those of the leafs below it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated

from fabricgen.device.model import FabricPrefixes, LeafRoutes, Switch
from fabricgen.platforms.views.policy import BLOCKS, FABRIC, OWN, STEP

ATTACHED = "HOSTS"
"""List of what a leaf announces beside its block: single hosts, by their ARP entries, or prefixes of routed bonds."""


@dataclass(slots=True)
class PrefixRule:
    """A rule, which permits a block, or with ``inside`` everything inside it that has one length."""

    number: Annotated[int, "FabricPrefixes.host_links"]
    block: Annotated[
        str,
        "FabricPrefixes.loopbacks",
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
_OF_BLOCKS, _OF_ATTACHED = _origins("SwitchClass.hosts_bgp"), _origins("SwitchClass.bond_mac", "Switch.host_subnet")
_OF_LEAF = _origins("LeafRoutes.name", "Switch.leafs")
_CONSTANT: Mapping[str, tuple[str, ...]] = {"number": (), "inside": ()}


def class_lists(prefixes: FabricPrefixes, suffix: str, *, hosts: bool) -> tuple[PrefixList, ...]:
    """Return the lists of a family that a class shares.

    Args:
        prefixes: Pools of the fabric.
        suffix: ``6`` in IPv6: names of lists end in it, and names of fields.
        hosts: Hosts are neighbours.
    """
    loopbacks = _inside(prefixes, 1, "loopbacks", "loopback_len", suffix)
    blocks = _inside(prefixes, 2, "host_links", "host_block_len", suffix)
    single = _inside(prefixes, 3, "host_links", "host_len", suffix)
    rules = (loopbacks, blocks, single) if single.length else (loopbacks, blocks)
    fabric = _named(FABRIC, suffix, rules, _OF_FAMILY[suffix])
    return (fabric, _named(BLOCKS, suffix, (replace(blocks, number=STEP),), _OF_BLOCKS))[: 1 + hosts]


def _named(
    kind: str, suffix: str, rules: tuple[PrefixRule, ...], origins: Mapping[str, tuple[str, ...]], leaf: str = ""
) -> PrefixList:
    """Return a list by its kind, or by the leaf below that it is for."""
    name = list_name(leaf, suffix) if leaf else kind + suffix
    return PrefixList(kind, name, f"{'ipv6' if suffix else 'ip'} prefix-list {name}", rules, origins)


def _inside(prefixes: FabricPrefixes, place: int, block: str, length: str, suffix: str) -> PrefixRule:
    """Return a rule for what has one length inside a pool of the fabric, both by the name of their field."""
    fields = {"block": block + suffix, "length": length + suffix}
    values = {name: getattr(prefixes, field) for name, field in fields.items()}
    origins = {**_CONSTANT, **{name: (f"FabricPrefixes.{field}",) for name, field in fields.items()}}
    return PrefixRule(STEP * place, **values, inside=True, origins=origins)


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


def _rules_of(
    leaf: Switch | LeafRoutes, prefixes: FabricPrefixes, suffix: str, *, single: bool
) -> tuple[PrefixRule, ...]:
    """Return the rules for a leaf: its loopback, the block of its hosts, and ``single`` hosts in that."""
    of_loopback, of_block, of_host = _OF_RULES[type(leaf).__name__, suffix]
    if suffix:
        loopback, block = f"{leaf.loopback6}/{prefixes.loopback_len6}", leaf.aggregate6
        whole, host = prefixes.host_block_len6, prefixes.host_len6
    else:
        loopback, block = f"{leaf.loopback}/{prefixes.loopback_len}", leaf.aggregate
        whole, host = prefixes.host_block_len, prefixes.host_len
    length = prefixes.loopback_len6 if suffix else prefixes.loopback_len
    rules = (
        PrefixRule(STEP, loopback, length, False, of_loopback),
        PrefixRule(2 * STEP, block, whole, False, of_block),
    )
    return (*rules, PrefixRule(3 * STEP, block, host, True, of_host)) if single else rules


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
