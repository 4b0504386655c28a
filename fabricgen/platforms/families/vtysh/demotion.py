"""Import policies of a router with FRR: those that hide graceful shutdown.

FRR gives a route from an eBGP neighbor that carries GRACEFUL_SHUTDOWN local preference 0 behind the import policy, so
one that replaces or deletes communities hides it. A router that is drained adds the community behind its own export
policies, which therefore cannot take it away.

Source:
    FRRouting/frr, bgpd/bgp_route.c of 8.4.4, 10.0 and fbfc8222: bgp_update asks for COMMUNITY_GSHUT behind
    bgp_input_modifier, and subgroup_announce_check calls bgp_attr_add_gshut_community behind the outbound route map.
    FRR user guide, routemap and bgp: ``set community`` replaces unless it is ``additive``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fabricgen.platforms.families.vtysh.reader import ACTION, NO
from fabricgen.platforms.patching.demotion import PolicyEntry, PolicyForm, all_honour
from fabricgen.platforms.reading.reader import Tree

_LIST, _MAP, _ROUTER = "bgp community-list standard ", "route-map ", "router bgp"
_MATCH, _SET, _PREFERENCE, _INWARD = "match community", "set community", "set local-preference", "route-map in"
_SENDING = "send-community standard"
_SHUTDOWN = frozenset(("permit graceful-shutdown", "permit 65535:0"))


def honours_shutdown(tree: Tree) -> bool:
    """Return whether no import policy accepts a drained route at the preference of others."""
    return all_honour(tree, _FORM)


def announces_shutdown(tree: Tree) -> bool:
    """Return whether all neighbors are sent communities, also that of a drain: FRR sends them unless told not to."""
    return not any(row.get(_SENDING) == NO for row in _router_rows(tree))


def _shutdown_lists(tree: Tree) -> set[str]:
    """Return the names of the lists that hold the community of graceful shutdown and nothing else."""
    lists = ((key.removeprefix(_LIST), row) for key, row in tree.items() if key.startswith(_LIST))
    return {name for name, row in lists if isinstance(row, dict) and row and set(row.values()) <= _SHUTDOWN}


def _maps(tree: Tree) -> dict[str, list[PolicyEntry]]:
    """Return the entries of every route map."""
    maps = ((key.removeprefix(_MAP), rows) for key, rows in tree.items() if key.startswith(_MAP))
    return {name: list(_entries(rows)) for name, rows in maps if isinstance(rows, dict)}


def _entries(rows: Mapping[str, Any]) -> Iterator[PolicyEntry]:
    """Yield the entries of a route map; what is no entry is a setting of how it is looked up."""
    for number, body in rows.items():
        if isinstance(body, dict) and number.isdigit():
            conditions = {key: value for key, value in body.items() if key.startswith("match ") and key != _MATCH}
            last = str(body.get(_PREFERENCE)) == "0"
            permits, lists = body.get(ACTION) == "permit", str(body.get(_MATCH, ""))
            yield PolicyEntry(int(number), permits, conditions, lists, last, native=not _hides(body))


def _hides(body: Mapping[str, Any]) -> bool:
    """Return whether a route may leave an entry without the communities that it had."""
    words = str(body.get(_SET, "additive")).split()
    return "additive" not in words or any(key.startswith("set comm-list ") for key in body)


def _attached(tree: Tree) -> Iterator[str]:
    """Yield the names of the import policies of neighbors and peer groups, in the router or a family of it."""
    return (str(row[_INWARD]) for row in _router_rows(tree) if _INWARD in row)


def _router_rows(tree: Tree) -> Iterator[Tree]:
    """Yield every section of every router."""
    left = [row for key, row in tree.items() if key.startswith(_ROUTER)]
    while left:
        row = left.pop()
        if isinstance(row, dict):
            left += [below for below in row.values() if isinstance(below, dict)]
            yield row


_FORM = PolicyForm(_shutdown_lists, _maps, _attached)
