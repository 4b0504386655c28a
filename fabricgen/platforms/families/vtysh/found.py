"""The routing of a switch as its frr.conf describes it, for imports: identity, sessions, settings.

The tree is that of ``reader``, which comparisons read too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from fabricgen.platforms.families.vtysh.reader import ASN, GROUP, INTERFACE, NO, YES
from fabricgen.platforms.found import FoundSession, FoundSetting, Spot
from fabricgen.platforms.found_links import find_pools
from fabricgen.platforms.found_settings import describe_session
from fabricgen.platforms.reading.reader import Tree, look_up, number_of

_ROUTER = "router bgp"
_WEIGHT = "set extcommunity bandwidth"
_TIMERS = {
    "keepalive_s": ("timers", 0, "60 180"),
    "hold_s": ("timers", 1, "60 180"),
    "connect_retry_s": ("timers connect", 0, "120"),
    "advertisement_s": ("advertisement-interval", 0, "0"),
}
"""Timers, with what ``frr defaults traditional`` has by itself: FRRouting/frr, bgpd/bgp_vty.c."""


class FoundRouting(NamedTuple):
    """Routing of a switch by its frr.conf; 0 or empty where it has no BGP."""

    asn: int
    router_id: str
    prefixes: frozenset[str]
    sessions: tuple[FoundSession, ...]
    prefix_limit: int
    settings: tuple[FoundSetting, ...]
    described: Mapping[str, str]
    """Description of each session that has one, by its peer."""


def find_routing(path: str, tree: Tree) -> FoundRouting:
    """Return what the tree of a frr.conf, by its path on the device, says of the default VRF's BGP."""
    router = look_up(tree, _ROUTER)
    sessions = tuple(_sessions(path, router))
    rows = {key.removeprefix("neighbor "): row for key, row in router.items() if key.startswith("neighbor ")}
    return FoundRouting(
        number_of(router.get(ASN)) or 0,
        str(router.get("bgp router-id", "")),
        frozenset(find_pools(tree)),
        sessions,
        max(_limits(router), default=0),
        tuple(_settings(path, tree, router, next(iter(sessions), None))),
        {peer: str(row["description"]) for peer, row in rows.items() if "description" in row},
    )


def _limits(router: Tree) -> Iterator[int]:
    """Yield the limits on prefixes of the neighbors in all families."""
    for family in ("ipv4", "ipv6"):
        for neighbor in look_up(router, f"address-family {family} unicast").values():
            words = str(neighbor.get("maximum-prefix", "")) if isinstance(neighbor, dict) else ""
            yield number_of(words.partition(" ")[0]) or 0


def _sessions(path: str, router: Tree) -> Iterator[FoundSession]:
    for key, neighbor in router.items():
        if not key.startswith("neighbor ") or not isinstance(neighbor, dict) or GROUP in neighbor:
            continue
        group = str(neighbor.get("peer-group", ""))
        remote = neighbor.get("remote-as") or look_up(router, f"neighbor {group}").get("remote-as")
        remote = router.get(ASN) if remote == "internal" else remote
        name = key.removeprefix("neighbor ")
        port = neighbor.get(INTERFACE) == YES
        yield FoundSession(name, Spot(path, (_ROUTER, key)), number_of(remote) or 0, group, is_port=port)


def _settings(path: str, tree: Tree, router: Tree, session: FoundSession | None) -> Iterator[FoundSetting]:
    """Yield the settings of a session, of its group where it has none itself, and of equal-cost paths."""
    if not router:
        return
    names = [f"neighbor {name}" for name in (session.peer, session.group) if name] if session else []
    is_datacenter = tree.get("frr defaults") == "datacenter"
    assumed = {"timers": router.get("timers bgp", NO), "timers connect": "10" if is_datacenter else NO}

    def look(word: str) -> tuple[str, Spot]:
        name = next((name for name in names if word in look_up(router, name)), "")
        value = str(look_up(router, name).get(word, assumed.get(word, NO)))
        return "" if value == NO else value, Spot(path, (_ROUTER, name, word) if name else (_ROUTER,))

    yield from describe_session(_TIMERS, "bfd", "ttl-security hops", look)
    for family in ("ipv4", "ipv6"):
        steps = _ROUTER, f"address-family {family} unicast", "maximum-paths"
        if (width := number_of(look_up(tree, *steps[:2]).get(steps[2]))) is not None:
            yield FoundSetting("routing.ecmp.max_paths", width, Spot(path, steps))
    rows = ((key, number, row) for key in tree if key.startswith("route-map ") for number, row in tree[key].items())
    weighted = next(((key, number) for key, number, row in rows if _WEIGHT in row), ())
    yield FoundSetting("routing.ecmp.weights", "on" if weighted else "off", Spot(path, weighted or (_ROUTER,)))
