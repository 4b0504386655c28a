"""The routing of a switch as its frr.conf describes it, for imports: identity, sessions, settings.

The tree is that of ``reader``, which comparisons read too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.platforms.families.vtysh.reader import ASN, GROUP, INTERFACE, NO, YES
from fabricgen.platforms.found import FoundSession, FoundSetting, Spot, secret_reference
from fabricgen.platforms.reading.reader import Tree, look_up, number_of

_ROUTER = "router bgp"
_NETWORK = re.compile(r"(?<= )[0-9a-fA-F.:]+/[0-9]{1,3}(?= |$)")
_WEIGHT = "set extcommunity bandwidth"
_TIMERS = (
    ("timers", ("keepalive_s", "hold_s")),
    ("timers connect", ("connect_retry_s",)),
    ("advertisement-interval", ("advertisement_s",)),
)
_GUARDS = (("routing.bfd", "bfd"), ("routing.security.ttl", "ttl-security hops"))


class FoundRouting(NamedTuple):
    """Routing of a switch by its frr.conf; 0 or empty where it has no BGP."""

    asn: int
    router_id: str
    prefixes: frozenset[str]
    sessions: tuple[FoundSession, ...]
    prefix_limit: int
    settings: tuple[FoundSetting, ...]


def find_routing(path: str, tree: Tree) -> FoundRouting:
    """Return what the tree of a frr.conf, by its path on the device, says of the default VRF's BGP."""
    router = look_up(tree, _ROUTER)
    return FoundRouting(
        number_of(router.get(ASN)) or 0,
        str(router.get("bgp router-id", "")),
        frozenset(_prefixes(tree)),
        tuple(_sessions(path, router)),
        max(_limits(router), default=0),
        tuple(_settings(path, tree, router)),
    )


def _prefixes(tree: Tree) -> Iterator[str]:
    """Yield the networks of prefix lists that stand for all prefixes inside them: those of pools."""
    for name, rules in tree.items():
        if name.startswith(("ip prefix-list ", "ipv6 prefix-list ")) and isinstance(rules, dict):
            yield from (found[0] for rule in rules.values() if " ge " in rule and (found := _NETWORK.search(rule)))


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
        name = key.removeprefix("neighbor ")
        port = neighbor.get(INTERFACE) == YES
        yield FoundSession(name, Spot(path, (_ROUTER, key)), number_of(remote) or 0, group, is_port=port)


def _settings(path: str, tree: Tree, router: Tree) -> Iterator[FoundSetting]:
    """Yield what the first group of neighbors has, or the first neighbor where there are no groups, and the paths."""
    neighbors = [(key, value) for key, value in router.items() if key.startswith("neighbor ")]
    neighbors.sort(key=lambda pair: GROUP not in pair[1])
    for key, group in neighbors[:1]:
        yield from _group_settings(Spot(path, (_ROUTER, key)), group)
    for family in ("ipv4", "ipv6"):
        steps = _ROUTER, f"address-family {family} unicast", "maximum-paths"
        if (width := number_of(look_up(tree, *steps[:2]).get(steps[2]))) is not None:
            yield FoundSetting("routing.ecmp.max_paths", width, Spot(path, steps))
    rows = ((key, number, row) for key in tree if key.startswith("route-map ") for number, row in tree[key].items())
    weighted = next(((key, number) for key, number, row in rows if _WEIGHT in row), ())
    if router:
        yield FoundSetting("routing.ecmp.weights", "on" if weighted else "off", Spot(path, weighted or (_ROUTER,)))


def _group_settings(spot: Spot, group: Tree) -> Iterator[FoundSetting]:
    for word, names in _TIMERS:
        for name, value in zip(names, str(group.get(word, "")).split(), strict=False):
            yield FoundSetting(f"routing.timers.{name}", number_of(value), spot.below(word))
    for name, word in _GUARDS:
        is_on = group.get(word, NO) != NO
        yield FoundSetting(name, "on" if is_on else "off", spot.below(word) if is_on else spot)
    if password := group.get("password"):
        yield FoundSetting("routing.security.key", secret_reference(str(password)), spot.below("password"))
