"""Pairs of NICs that probes go between while a wave is carried out."""

from __future__ import annotations

import random
from collections.abc import Collection
from ipaddress import ip_address, ip_network

from fabricgen.lab.model.blueprint import Blueprint
from fabricgen.lab.rehearsal.crossing import Pair
from fabricgen.lab.rehearsal.stages import Course
from fabricgen.lab.verify.reach import Endpoint, list_endpoints, pairs_of_leafs, routers_between

_ROUTE = ("route", "add")


def choose_pairs(blueprint: Blueprint, course: Course, idle: Collection[str], most: int) -> list[Pair]:
    """Return so many pairs of NICs: at most one of each pair of leafs, between hosts that have a route to each other.

    Hosts that are idle, as they leave their jobs, are left out.
    """
    nics = [nic for nic in list_endpoints(blueprint) if nic.place.device not in idle]
    found = [pair for pair in pairs_of_leafs(nics).values() if _reach(blueprint, course, pair)]
    random.Random(course.number).shuffle(found)  # noqa: S311 - which pairs are probed, no secret
    return found[:most]


def _reach(blueprint: Blueprint, course: Course, pair: Pair) -> bool:
    a, b = pair
    routed = _has_route(blueprint, a, b) and _has_route(blueprint, b, a)
    return routed and routers_between(blueprint, course.whole, a, b) > 0


def _has_route(blueprint: Blueprint, a: Endpoint, b: Endpoint) -> bool:
    """Return whether a host has a static route to an address; one that has none at all learns its routes."""
    target = ip_address(b.place.address)
    commands = [command.removeprefix("-6 ").split() for command in blueprint.node(a.place.device).commands]
    prefixes = [words[2] for words in commands if tuple(words[:2]) == _ROUTE and "/" in words[2]]
    networks = [network for network in map(ip_network, prefixes) if network.version == target.version]
    return not networks or any(target in network for network in networks)
