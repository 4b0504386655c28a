"""Import policies of a Cumulus switch: those that ignore graceful shutdown, and the configuration in which none does.

Source:
    NVUE reference, Router Policy and BGP, Cumulus Linux 5.15: rules of a route map by number, the first that matches
    decides; ``policy inbound route-map`` by neighbor or peer group and address family. ``set community`` replaces, so
    that FRR, which honours the community by itself (bgpd, bgp_update, behind the route map), no longer sees it there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fabricgen.platforms.patching.demotion import (
    SHUTDOWN_LIST,
    CannotPrepare,
    Entry,
    demote_first,
    ignores_shutdown,
)
from fabricgen.platforms.reading.reader import Tree, look_up

_POLICY = ("router", "policy")
_LISTS, _MAPS = (*_POLICY, "community-list"), (*_POLICY, "route-map")
_INBOUND = ("policy", "inbound")
_SHUTDOWN = frozenset(("65535:0", "graceful-shutdown"))
_MANAGEMENT = "mgmt"
_HOLDERS = ("peer-group", "neighbor")
Steps = tuple[str, ...]


def honours_shutdown(tree: Tree) -> bool:
    """Return whether no import policy accepts a drained route at the preference of others."""
    lists, maps = _shutdown_lists(tree), look_up(tree, *_MAPS)
    return not any(ignores_shutdown(_entries(maps, name), lists) for name in _attached(tree))


def prepare_shutdown(before: Tree, after: Tree) -> Tree:
    """Return a configuration in which no import policy ignores graceful shutdown, and nothing else has changed.

    Args:
        before: What the switch runs.
        after: What is intended.

    Raises:
        CannotPrepare: The policy cannot be put into what the switch runs.
    """
    shutdown = min(_shutdown_lists(after), default=SHUTDOWN_LIST)
    tree = _with_list(before, shutdown)
    maps, intended = look_up(before, *_MAPS), look_up(after, *_MAPS)
    for name in dict.fromkeys(_attached(before)):
        runs = list(_entries(maps, name))
        if ignores_shutdown(runs, _shutdown_lists(tree)):
            entries = demote_first(name, runs, _entries(intended, name), shutdown, _demoting(shutdown))
            tree = _put(tree, (*_MAPS, name, "rule"), {str(number): body for number, _, body in entries})
    return tree


def _shutdown_lists(tree: Tree) -> set[str]:
    """Return the names of the lists that hold the community of graceful shutdown and nothing else."""
    found = set()
    for name, row in look_up(tree, *_LISTS).items():
        rules = look_up(row, "rule").values() if isinstance(row, dict) else ()
        if rules and all(rule.get("action") == "permit" and _is_shutdown(rule) for rule in rules):
            found.add(name)
    return found


def _is_shutdown(rule: Mapping[str, Any]) -> bool:
    said = rule.get("community", {})
    return bool(said) and set(said if isinstance(said, dict) else (said,)) <= _SHUTDOWN


def _with_list(tree: Tree, name: str) -> Tree:
    """The tree with a list of the community of graceful shutdown."""
    if name in _shutdown_lists(tree):
        return tree
    if name in look_up(tree, *_LISTS):
        raise CannotPrepare(f"its community list {name} holds other communities", f"rename {name} on the switch")
    return _put(tree, (*_LISTS, name, "rule"), {"10": {"action": "permit", "community": {"65535:0": {}}}})


def _entries(maps: Tree, name: str) -> Iterator[Entry]:
    """Yield the entries of a route map."""
    for number, body in look_up(maps, name, "rule").items():
        match, action = (look_up(body, key) for key in ("match", "action"))
        conditions = {key: value for key, value in match.items() if key not in ("community-list", "type")}
        sets = look_up(body, "set")
        last, jumps = str(sets.get("local-preference")) == "0", "exit-policy" in look_up(action, "permit")
        lists, native = str(match.get("community-list", "")), "community" not in sets
        yield Entry(int(number), "permit" in action, conditions, lists, last, jumps, body, native)


def _demoting(shutdown: str) -> Callable[[Any], Any]:
    def demote(body: Tree) -> Tree:
        match, sets = look_up(body, "match"), look_up(body, "set")
        return {
            **body,
            "match": {**match, "community-list": shutdown},
            "set": {**sets, "local-preference": "0"},
        }

    return demote


def _attached(tree: Tree) -> Iterator[str]:
    """Yield the names of the import policies of neighbors and peer groups."""
    for vrf in look_up(tree, "vrf"):
        for kind in _HOLDERS if vrf != _MANAGEMENT else ():
            holders = look_up(tree, "vrf", vrf, "router", "bgp", kind)
            for family in (row for name in holders for row in look_up(holders, name, "address-family").values()):
                policy = look_up(family, *_INBOUND) if isinstance(family, dict) else {}
                if "route-map" in policy:
                    yield str(policy["route-map"])


def _put(tree: Tree, steps: Steps, value: Any) -> Tree:
    """The tree with a value at a path."""
    head, *rest = steps
    return {**tree, head: _put(tree.get(head, {}), tuple(rest), value) if rest else value}
