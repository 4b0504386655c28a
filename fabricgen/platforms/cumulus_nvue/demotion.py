"""Import policies of a Cumulus switch: those that ignore graceful shutdown.

Source:
    NVUE reference, Router Policy and BGP, Cumulus Linux 5.15: rules of a route map by number, the first that matches
    decides; ``policy inbound route-map`` by neighbor or peer group and address family. ``set community`` replaces, so
    that FRR, which honours the community by itself (bgpd, bgp_update, behind the route map), no longer sees it there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fabricgen.platforms.patching.demotion import PolicyEntry, PolicyForm, all_honour
from fabricgen.platforms.reading.reader import Tree, look_up

_POLICY = ("router", "policy")
_LISTS, _MAPS = (*_POLICY, "community-list"), (*_POLICY, "route-map")
_INBOUND = ("policy", "inbound")
_SHUTDOWN = frozenset(("65535:0", "graceful-shutdown"))
_MANAGEMENT = "mgmt"
_HOLDERS = ("peer-group", "neighbor")


def honours_shutdown(tree: Tree) -> bool:
    """Return whether no import policy accepts a drained route at the preference of others."""
    return all_honour(tree, _FORM)


def _shutdown_lists(tree: Tree) -> set[str]:
    """Return the names of the lists that hold the community of graceful shutdown and nothing else."""
    found = set()
    for name, row in look_up(tree, *_LISTS).items():
        rules = look_up(row, "rule").values() if isinstance(row, dict) else ()
        if rules and all(rule.get("action") == "permit" and _is_shutdown(rule) for rule in rules):
            found.add(name)
    return found


def _is_shutdown(rule: Mapping[str, Any]) -> bool:
    matched = rule.get("community", {})
    return bool(matched) and set(matched if isinstance(matched, dict) else (matched,)) <= _SHUTDOWN


def _maps(tree: Tree) -> dict[str, list[PolicyEntry]]:
    """Return the entries of every route map."""
    maps = look_up(tree, *_MAPS)
    return {name: list(_entries(look_up(maps, name, "rule"))) for name in maps}


def _entries(rules: Tree) -> Iterator[PolicyEntry]:
    """Yield the entries of a route map."""
    for number, body in rules.items():
        match, action = (look_up(body, key) for key in ("match", "action"))
        conditions = {key: value for key, value in match.items() if key not in ("community-list", "type")}
        sets = look_up(body, "set")
        last = str(sets.get("local-preference")) == "0"
        lists, native = str(match.get("community-list", "")), "community" not in sets
        yield PolicyEntry(int(number), "permit" in action, conditions, lists, last, native)


def _attached(tree: Tree) -> Iterator[str]:
    """Yield the names of the import policies of neighbors and peer groups."""
    for vrf in look_up(tree, "vrf"):
        for kind in _HOLDERS if vrf != _MANAGEMENT else ():
            holders = look_up(tree, "vrf", vrf, "router", "bgp", kind)
            for family in (row for name in holders for row in look_up(holders, name, "address-family").values()):
                policy = look_up(family, *_INBOUND) if isinstance(family, dict) else {}
                if "route-map" in policy:
                    yield str(policy["route-map"])


_FORM = PolicyForm(_shutdown_lists, _maps, _attached)
