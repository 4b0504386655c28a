"""Forwarding tables of the kernels, compared with the plan: width of every route, no valleys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from fabricgen.diagnostics.words import name_few
from fabricgen.lab.model.blueprint import Blueprint, Interface, LabNode
from fabricgen.lab.verify.findings import LabFinding, LabResult
from fabricgen.lab.verify.observe import Routes, ask_all, ask_routing, name_link, read_routes
from fabricgen.lab.verify.predict import Prediction

_NAMED = 3
"""Links that one finding names before it counts the rest."""


def read_all_routes(blueprint: Blueprint, nodes: Iterable[LabNode]) -> dict[str, Routes]:
    """Forwarding tables by device."""
    return ask_all(nodes, lambda node: read_routes(blueprint, node))


def check_widths(blueprint: Blueprint, prediction: Prediction, routes: dict[str, Routes]) -> LabResult:
    """For every prefix on every device with BGP the kernel has the next hops of the plan, all of them and no other."""
    findings: list[LabFinding] = []
    examined = 0
    for name, planned in prediction.interfaces.items():
        if name not in routes:
            continue
        node = blueprint.node(name)
        examined += len(planned)
        findings += _compare_routes(node, planned, routes[name])
    return LabResult("ecmp width", examined, "routes in kernels", tuple(findings))


def _compare_routes(node: LabNode, planned: Routes, found: Routes) -> Iterator[LabFinding]:
    """Differences of one device; prefixes that differ in the same way are one finding."""
    same: dict[tuple[frozenset[str], frozenset[str]], list[str]] = {}
    for prefix in planned.keys() | found.keys():
        wanted, there = planned.get(prefix, frozenset()), found.get(prefix, frozenset())
        if wanted != there or (prefix in planned) != (prefix in found):
            same.setdefault((wanted, there), []).append(prefix)
    for (wanted, there), prefixes in sorted(same.items(), key=lambda item: sorted(item[1])):
        missing, extra = wanted - there, there - wanted
        reason = f"{len(there)} next hops in the kernel, planned are {len(wanted)}"
        if not wanted:
            reason = f"a route that the plan does not have, over {_ends(node, there)}"
        elif missing and there:
            reason += f"; missing are {_ends(node, missing)}"
        if wanted and extra:
            reason += f"; not planned are {_ends(node, extra)}"
        yield LabFinding(node.name, name_few(sorted(prefixes)), reason)


def _ends(node: LabNode, interfaces: frozenset[str]) -> str:
    """A few of some interfaces with who is behind them."""
    known = {end.name: f"{end.name} ({end.peer})" for end in node.interfaces}
    return name_few([known.get(name, name) for name in sorted(interfaces)], _NAMED)


def check_valleys(blueprint: Blueprint, prediction: Prediction) -> LabResult:
    """No switch accepts from below what is not below: such a path waits for a failure to become a valley."""
    lowest = min((node.tier for node in blueprint.speakers), default=0)
    upper = [node for node in blueprint.switches if node.tier > lowest]
    commands = ["show bgp ipv4 unicast json", *(["show bgp ipv6 unicast json"] if blueprint.uses_ipv6 else [])]
    answers = ask_all(upper, lambda node: [ask_routing(blueprint, node, command) for command in commands])
    peers = ask_all(upper, lambda node: _read_peers(blueprint, node))
    findings: list[LabFinding] = []
    examined = 0
    for node in upper:
        below = {other.name for other in blueprint.speakers if other.tier < node.tier}
        for answer in answers[node.name]:
            routes = answer.get("routes", {})
            examined += sum(len(paths) for paths in routes.values())
            findings += _judge_offers(node, routes, prediction, below, peers[node.name])
    return LabResult("no valleys", examined, "paths in BGP", tuple(findings))


def _read_peers(blueprint: Blueprint, node: LabNode) -> dict[str, Interface]:
    """Interfaces by what a path calls the neighbour it came from: its address, also where the session has none."""
    ends = {name: end for end in node.interfaces for name in end.neighbors}
    if any(end.neighbors and not end.addresses for end in node.interfaces):
        neighbours = ask_routing(blueprint, node, "show bgp neighbors json")
        for name, facts in neighbours.items():
            if name in ends and isinstance(facts, dict):
                ends[str(facts.get("bgpNeighborAddr"))] = ends[name]
    return ends


def _judge_offers(
    node: LabNode,
    routes: dict[str, list[dict[str, Any]]],
    prediction: Prediction,
    below: set[str],
    ends: dict[str, Interface],
) -> Iterator[LabFinding]:
    wrong: dict[str, list[str]] = {}
    for prefix, paths in routes.items():
        for path in paths:
            end = ends.get(str(path.get("peerId", "")))
            if end and end.peer in below and prefix not in prediction.below.get((node.name, end.peer), ()):
                wrong.setdefault(name_link(end), []).append(f"{prefix} over AS {path.get('path', '')}")
    for link, found in wrong.items():
        yield LabFinding(node.name, link, f"a valley is offered from below: {name_few(found)}")
