"""Import policies of an EOS switch: those that ignore graceful shutdown.

Source:
    Arista EOS User Manual 4.36, ACLs and Route Maps (entries by sequence number, the first that matches decides) and
    BGP (``neighbor route-map in``; a map of an address family goes before one of the neighbor; ``missing-policy``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fabricgen.platforms.patching.demotion import PolicyEntry, PolicyForm, all_honour
from fabricgen.platforms.reading.reader import Tree

_ROUTER = "router bgp"
_ENTRY = re.compile(r"route-map (\S+) (permit|deny) (\d+)")
_LIST = re.compile(r"ip community-list (\S+) (.+)")
_SHUTDOWN = ("permit GSHUT", "permit 65535:0")
_MATCH, _PREFERENCE = "match community", "set local-preference"
_MEMBER = re.compile(r"neighbor (?:interface (?P<ports>.+)|\S+ peer[ -]group)")
_DENIED = re.compile(r"(?:neighbor (\S+)|bgp) missing-policy .*direction in action deny")


def honours_shutdown(tree: Tree) -> bool:
    """Return whether no import policy accepts a drained route at the preference of others."""
    return all_honour(tree, _FORM) and not _has_gap(tree)


def announces_shutdown(tree: Tree) -> bool:
    """Return whether all neighbors are sent communities, also that of a drain; EOS sends none by itself."""
    router = tree.get(_ROUTER)
    return not isinstance(router, dict) or all(
        _sends(router, *names, "default") for names in dict.fromkeys(_chains(router))
    )


def _sends(router: Tree, *names: str) -> bool:
    """Return whether standard communities are sent to a neighbor by its own command, that of its group or that of all.

    Without a word the command stands for every kind, with words for these alone; ``add`` and ``remove`` change what
    the group has, or all have.

    Source:
        Batfish 14ce6944, AristaControlPlaneExtractor, ``exitEos_rbinc_send_community``; pyavd 6.4, where
        ``send_community: all`` is the command without a word.
    """
    if not names:
        return False
    first, *words = str(router.get(f"neighbor {names[0]} send-community", "")).split() or [""]
    if first in ("", "add", "remove") and "standard" not in words:
        return _sends(router, *names[1:])
    return first != "remove" and bool({"yes", "standard"} & {first, *words})


def _shutdown_lists(tree: Tree) -> set[str]:
    """Return the names of the lists that hold the community GSHUT and nothing else."""
    found: dict[str, list[str]] = {}
    for name in tree:
        if match := _LIST.fullmatch(name):
            found.setdefault(match[1], []).append(match[2])
    return {name for name, entries in found.items() if all(entry in _SHUTDOWN for entry in entries)}


def _route_maps(tree: Tree) -> dict[str, list[PolicyEntry]]:
    """Return the entries of every route map."""
    found: dict[str, list[PolicyEntry]] = {}
    for key, value in tree.items():
        if match := _ENTRY.fullmatch(key):
            body = value if isinstance(value, dict) else {}
            found.setdefault(match[1], []).append(_entry(int(match[3]), match[2] == "permit", body))
    return found


def _entry(number: int, permits: bool, body: Mapping[str, Any]) -> PolicyEntry:
    conditions = {key: value for key, value in body.items() if key.startswith("match ") and key != _MATCH}
    last = str(body.get(_PREFERENCE)) == "0"
    return PolicyEntry(number, permits, conditions, str(body.get(_MATCH, "")), last)


def _attached(tree: Tree) -> Iterator[str]:
    """Yield the names of the import policies that are used, in the router and the sections below it."""
    left: list[Any] = [tree.get(_ROUTER)]
    while left:
        row = left.pop(0)
        if isinstance(row, dict):
            left += [below for below in row.values() if isinstance(below, dict)]
            for key, value in row.items():
                if key.startswith("neighbor ") and key.endswith(" route-map in"):
                    yield str(value)


def _has_gap(tree: Tree) -> bool:
    """Return whether a neighbor or peer group accepts routes without a policy."""
    router = tree.get(_ROUTER)
    if not isinstance(router, dict):
        return False
    denied = {match[1] for key, value in router.items() if (match := _DENIED.match(f"{key} {value}"))}
    families = [row for key, row in router.items() if key.startswith("address-family ipv") and isinstance(row, dict)]
    return any(
        not {None, name} & denied and f"neighbor {name} route-map in" not in router and _is_open(name, families)
        for name in dict.fromkeys(_holders(router))
    )


def _is_open(name: str, families: Sequence[Tree]) -> bool:
    """Return whether a neighbor is active in a family without a policy, or in the router alone."""
    known = [row for row in families if f"neighbor {name} activate" in row]
    active = (row for row in known if row[f"neighbor {name} activate"] == "yes")
    return not known or any(f"neighbor {name} route-map in" not in row for row in active)


def _holders(router: Tree) -> Iterator[str]:
    """Yield the peer groups that neighbors belong to, and the neighbors that belong to none."""
    return (names[-1] for names in _chains(router))


def _chains(router: Tree) -> Iterator[tuple[str, ...]]:
    """Yield the names under which neighbors have commands: an address, and the peer group behind it if it has one."""
    for key, value in router.items():
        member, words = _MEMBER.fullmatch(key), str(value).split()
        if member and member["ports"] and "peer-group" in words[:-1]:
            yield (words[words.index("peer-group") + 1],)
        elif member and not member["ports"] and words != ["yes"]:
            yield key.split()[1], words[0]
        elif key.startswith("neighbor ") and key.endswith(" remote-as"):
            name = key.split()[1]
            if not any(f"neighbor {name} {word}" in router for word in ("peer group", "peer-group")):
                yield (name,)


_FORM = PolicyForm(_shutdown_lists, _route_maps, _attached)
