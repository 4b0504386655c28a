"""Observed state of the running lab: forwarding tables of the kernel, sessions, neighbours on cables.

Sessions and cables are compared with the plan here, with the reason why one is missing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from fabricgen.lab.lifecycle.boot import WORKERS, find_dead, vtysh
from fabricgen.lab.lifecycle.kernel import CommandError, ask_ip, run, wait_for
from fabricgen.lab.lifecycle.state import device_folder
from fabricgen.lab.model.blueprint import Blueprint, Interface, LabNode, have_session
from fabricgen.lab.verify.findings import LabFinding, LabResult
from fabricgen.lab.verify.predict import Prediction
from fabricgen.platforms.observations.linux import list_neighbors, list_routes

_BGP = "186"
"""Number of BGP in the kernel's table of routing protocols; names depend on a file of the machine."""
_MAIN = "main"
T = TypeVar("T")

Routes = dict[str, frozenset[str]]
"""Next hop interfaces by prefix."""


def ask_all(nodes: Iterable[LabNode], question: Callable[[LabNode], T]) -> dict[str, T]:
    """Ask several devices at a time; answers by name."""
    todo = list(nodes)
    with ThreadPoolExecutor(WORKERS) as pool:
        return dict(zip([node.name for node in todo], pool.map(question, todo), strict=True))


def read_routes(blueprint: Blueprint, node: LabNode) -> Routes:
    """Return what the kernel forwards by BGP: next hops that are alive, by prefix."""
    namespace = blueprint.namespace(node.name)
    # A table that is still empty in a family is none, and asking for it an error.
    asked = _MAIN if node.table == _MAIN else "all"
    found: Routes = {}
    for family in ("-4", "-6") if blueprint.uses_ipv6 else ("-4",):
        routes = ask_ip(namespace, family, "route", "show", "table", asked, "proto", _BGP)
        # Asked for one protocol, the command leaves it out of its answer.
        own = ({"protocol": _BGP, **each} for each in routes if str(each.get("table", _MAIN)) == node.table)
        found |= {route.prefix: frozenset(route.ports) for route in list_routes(own)}
    return found


def routes_differ(blueprint: Blueprint, prediction: Prediction, nodes: Iterable[LabNode]) -> list[LabNode]:
    """Devices whose kernel does not forward as predicted."""
    todo = list(nodes)
    found = ask_all(todo, lambda node: read_routes(blueprint, node))
    return [node for node in todo if found[node.name] != prediction.interfaces[node.name]]


def ask_routing(blueprint: Blueprint, node: LabNode, command: str) -> dict[str, Any]:
    """Return what a device's routing daemons answer, as data; empty if they do not."""
    try:
        answer = json.loads(run(vtysh(blueprint, node.name, command)))
    except (CommandError, ValueError):
        return {}
    return answer if isinstance(answer, dict) else {"": answer}


def read_cabling(blueprint: Blueprint, node: LabNode) -> dict[str, tuple[str, str]]:
    """Return the LLDP neighbours: device and port by own interface."""
    socket = device_folder(blueprint.lab, node.name) / "lldpd.socket"
    try:
        answer = run(["lldpcli", "-u", str(socket), "-f", "json0", "show", "neighbors"])
        return {each.port: (each.device, each.peer_port) for each in list_neighbors(json.loads(answer).get("lldp", []))}
    except (CommandError, ValueError):
        return {}


def read_links(blueprint: Blueprint, node: LabNode) -> dict[str, dict[str, Any]]:
    """The kernel's own view of a device's interfaces, by name."""
    return {str(link["ifname"]): link for link in ask_ip(blueprint.namespace(node.name), "link", "show")}


_LLDP_PATIENCE_S = _SESSIONS_PATIENCE_S = 20.0
_NEIGHBORS = "show bgp neighbors json"
_NO_POLICY = "no route map lets anything {}; without one everything is dropped (RFC 8212)"
Neighbours = dict[str, dict[str, Any]]


def name_link(end: Interface) -> str:
    """A link as people say it: own port, then the other end."""
    return f"{end.name} to {end.peer} {end.peer_interface}"


def check_daemons(blueprint: Blueprint) -> LabResult:
    """Every daemon runs; one that does not is named with the end of its log."""
    findings = tuple(
        LabFinding(device, "", f"{daemon} does not run; the end of its log: {log}")
        for device, daemon, log in find_dead(blueprint, blueprint.speakers)
    )
    return LabResult("daemons", len(blueprint.speakers), "devices", findings)


def check_sessions(blueprint: Blueprint, unplugged: Mapping[str, Collection[str]] | None = None) -> LabResult:
    """Every planned session is up with the planned AS numbers and watched as planned, and there are no others.

    Those by device that are planned over cables which the lab lacks, ``unplugged``, are not looked at.
    """
    answers = ask_all(blueprint.speakers, lambda node: ask_routing(blueprint, node, _NEIGHBORS))
    findings: list[LabFinding] = []
    examined = 0
    for node in blueprint.speakers:
        neighbours: Neighbours = {key: value for key, value in answers[node.name].items() if isinstance(value, dict)}
        planned = {name: end for end in node.interfaces for name in end.neighbors}
        examined += len(planned)
        for key, end in planned.items():
            reasons = _judge_session(node, end, neighbours.get(key))
            findings += (LabFinding(node.name, name_link(end), reason) for reason in reasons)
        for key in neighbours.keys() - planned.keys() - {*(unplugged or {}).get(node.name, ())}:
            findings.append(LabFinding(node.name, key, "a session that the plan does not have"))
    ends = [end for node in blueprint.speakers for end in node.interfaces for _ in end.neighbors]
    unwatched = sum(not end.watched for end in ends)
    note = f"{unwatched} of {len(ends)} without BFD, as planned" if unwatched else ""
    return LabResult("sessions", examined, "sessions", tuple(findings), note)


def _judge_session(node: LabNode, end: Interface, found: dict[str, Any] | None) -> Iterator[str]:
    if found is None:
        yield "the neighbour is not configured"
        return
    if found.get("remoteAs") != end.peer_asn:
        yield f"configured for AS {found.get('remoteAs')}, but {end.peer} is planned as AS {end.peer_asn}"
        return
    if found.get("localAs") != node.asn and node.asn:
        yield f"speaks as AS {found.get('localAs')}, planned is AS {node.asn}"
        return
    if found.get("bgpState") != "Established":
        reset = found.get("lastNotificationReason") or found.get("lastResetDueTo") or ""
        yield f"state {found.get('bgpState')}{f', last reset: {reset}' if reset else ''}"
        return
    yield from _judge_families(found.get("addressFamilyInfo", {}))
    yield from _judge_bfd(end, found)


def _judge_families(families: Any) -> Iterator[str]:
    for facts in families.values() if isinstance(families, dict) else ():
        for direction in ("in", "out"):
            if f"{direction}boundEbgpRequiresPolicy" in facts:
                yield _NO_POLICY.format(direction)


def _judge_bfd(end: Interface, found: Mapping[str, Any]) -> Iterator[str]:
    watched = str(found.get("peerBfdInfo", {}).get("status", ""))
    if end.watched and watched.lower() != "up":
        yield f"BFD is {watched.lower() or 'not configured'}, planned is up"
    if watched and not end.watched:
        yield "BFD is configured, planned is none"


def check_established(blueprint: Blueprint, devices: Iterable[str]) -> list[LabFinding]:
    """Return the sessions of some devices that are not established; both ends may differ in what they watch by BFD.

    A session that only one end has is not expected: its other end gets it in a later wave, or has given it up.
    """
    nodes = [node for node in map(blueprint.node, devices) if node.config]
    found: list[LabFinding] = []

    def is_complete() -> bool:
        found[:] = _list_down(blueprint, nodes)
        return not found

    wait_for(is_complete, _SESSIONS_PATIENCE_S, 0.5)
    return found


def _list_down(blueprint: Blueprint, nodes: Sequence[LabNode]) -> Iterator[LabFinding]:
    answers = ask_all(nodes, lambda node: ask_routing(blueprint, node, _NEIGHBORS))
    for node in nodes:
        for end in node.interfaces:
            other = blueprint.node(end.peer)
            for name in end.neighbors if other.config and have_session(node, end, other) else ():
                session = answers[node.name].get(name)
                state = session.get("bgpState", "unknown") if isinstance(session, dict) else "not configured"
                if state != "Established":
                    yield LabFinding(node.name, name_link(end), f"the session is {state} after the wave")


def check_cabling(blueprint: Blueprint) -> LabResult:
    """LLDP reports on every port the neighbour of the cabling plan."""
    neighbors: dict[str, dict[str, tuple[str, str]]] = {node.name: {} for node in blueprint.nodes}

    def complete() -> bool:
        silent = [node for node in blueprint.nodes if len(neighbors[node.name]) < len(node.interfaces)]
        neighbors.update(ask_all(silent, lambda node: read_cabling(blueprint, node)))
        return all(len(neighbors[node.name]) >= len(node.interfaces) for node in blueprint.nodes)

    wait_for(complete, _LLDP_PATIENCE_S, 1.0)
    findings = []
    for node in blueprint.nodes:
        for end in node.interfaces:
            found = neighbors[node.name].get(end.name)
            if found is None:
                findings.append(LabFinding(node.name, name_link(end), "LLDP has no neighbor"))
            elif found != (end.peer, end.peer_interface):
                reason = f"the cable leads to {found[0]} {found[1]}"
                findings.append(LabFinding(node.name, name_link(end), reason))
    return LabResult("cabling", sum(len(node.interfaces) for node in blueprint.nodes), "ports", tuple(findings))
