"""Import policies of an EOS switch: those that ignore graceful shutdown, and the configuration in which none does.

Source:
    Arista EOS User Manual 4.36, ACLs and Route Maps (entries by sequence number, the first that matches decides) and
    BGP (``neighbor route-map in``; a map of an address family goes before one of the neighbor; ``missing-policy``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from fabricgen.platforms.patching.demotion import SHUTDOWN_MAP, CannotPrepare, Entry
from fabricgen.platforms.patching.import_policies import PolicyForm, all_honour, choose_list, make_honour
from fabricgen.platforms.reading.reader import Tree

_ROUTER = "router bgp"
_ENTRY = re.compile(r"route-map (\S+) (permit|deny) (\d+)")
_LIST = re.compile(r"ip community-list (\S+) (.+)")
_SHUTDOWN = ("permit GSHUT", "permit 65535:0")
_MATCH, _PREFERENCE = "match community", "set local-preference"
_MEMBER = re.compile(r"neighbor (?:interface (?P<ports>.+)|\S+ peer[ -]group)")
_DENIED = re.compile(r"(?:neighbor (\S+)|bgp) missing-policy .*direction in action deny")
Steps = tuple[str, ...]


class Gap(NamedTuple):
    """A neighbor or peer group without import policy, and the section of the router that it is active in."""

    section: Steps
    neighbor: str


def honours_shutdown(tree: Tree) -> bool:
    """Return whether no import policy accepts a drained route at the preference of others."""
    return all_honour(tree, _FORM) and not any(_gaps(tree))


def prepare_shutdown(before: Tree, after: Tree) -> Tree:
    """Return a configuration in which no import policy ignores graceful shutdown, and nothing else has changed.

    Args:
        before: What the switch runs.
        after: What is intended.

    Raises:
        CannotPrepare: The policy cannot be put into what the switch runs.
    """
    maps = _route_maps(before)
    for name in _attached(before):
        if name not in maps:
            raise CannotPrepare(
                f"the route map {name}, which a neighbor names, does not exist", f"remove {name} from it"
            )
    tree = make_honour(before, after, _FORM)
    gaps = list(_gaps(before))
    if gaps:
        if SHUTDOWN_MAP in maps:
            hint = f"rename {SHUTDOWN_MAP} on the switch"
            raise CannotPrepare(f"{SHUTDOWN_MAP} exists, and neighbors without a policy do not use it", hint)
        tree = _with_map(tree, SHUTDOWN_MAP, [(10, True, _demote({}, choose_list(after, _FORM))), (20, True, {})])
    for gap in gaps:
        tree = _put(tree, (*gap.section, f"neighbor {gap.neighbor} route-map in"), SHUTDOWN_MAP)
    return tree


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


def _has_list(tree: Tree, name: str) -> bool:
    return any(match[1] == name for match in map(_LIST.fullmatch, tree) if match)


def _put_list(tree: Tree, name: str) -> Tree:
    return {**tree, f"ip community-list {name} permit GSHUT": "yes"}


def _route_maps(tree: Tree) -> dict[str, list[Entry]]:
    """Return the entries of every route map."""
    found: dict[str, list[Entry]] = {}
    for key, value in tree.items():
        if match := _ENTRY.fullmatch(key):
            body = value if isinstance(value, dict) else {}
            found.setdefault(match[1], []).append(_entry(int(match[3]), match[2] == "permit", body))
    return found


def _entry(number: int, permits: bool, body: Mapping[str, Any]) -> Entry:
    conditions = {key: value for key, value in body.items() if key.startswith("match ") and key != _MATCH}
    jumps = any(key.startswith(("continue", "sub-route-map")) for key in body)
    last = str(body.get(_PREFERENCE)) == "0"
    return Entry(number, permits, conditions, str(body.get(_MATCH, "")), last, jumps, dict(body))


def _demote(body: Mapping[str, Any], shutdown: str) -> Any:
    return {**body, _MATCH: shutdown, _PREFERENCE: "0"}


def _with_map(tree: Tree, name: str, entries: list[tuple[int, bool, Any]]) -> Tree:
    """The tree with other entries of a route map, in the place of the former ones."""
    rows = {f"route-map {name} {'permit' if permits else 'deny'} {at}": body or "yes" for at, permits, body in entries}
    kept = {key: value for key, value in tree.items() if not ((match := _ENTRY.fullmatch(key)) and match[1] == name)}
    return {**kept, **rows}


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


def _gaps(tree: Tree) -> Iterator[Gap]:
    """Yield the neighbors and peer groups that accept routes without a policy."""
    router = tree.get(_ROUTER)
    if not isinstance(router, dict):
        return
    denied = {match[1] for key, value in router.items() if (match := _DENIED.match(f"{key} {value}"))}
    families = {
        key: row for key, row in router.items() if key.startswith("address-family ipv") and isinstance(row, dict)
    }
    for name in dict.fromkeys(_holders(router)):
        if not {None, name} & denied and f"neighbor {name} route-map in" not in router:
            yield from _gaps_of(name, families)


def _gaps_of(name: str, families: Mapping[str, Tree]) -> Iterator[Gap]:
    """Yield the families in which a neighbor is active without a policy; the router where no family has it."""
    known = {key: row for key, row in families.items() if f"neighbor {name} activate" in row}
    for key, row in known.items():
        if row[f"neighbor {name} activate"] == "yes" and f"neighbor {name} route-map in" not in row:
            yield Gap((_ROUTER, key), name)
    if not known:
        yield Gap((_ROUTER,), name)


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


def _put(tree: Tree, steps: Steps, value: str) -> Tree:
    """The tree with a value at a path."""
    head, *rest = steps
    return {**tree, head: _put(tree.get(head, {}), tuple(rest), value) if rest else value}


_FORM = PolicyForm(_shutdown_lists, _has_list, _put_list, _route_maps, _attached, _with_map, _demote)
