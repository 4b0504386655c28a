"""Sessions and cables: the neighbours of each device, compared with the plan, and why one is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fabricgen.lab.lifecycle.boot import find_dead
from fabricgen.lab.lifecycle.kernel import wait_for
from fabricgen.lab.model.blueprint import Blueprint, Interface, LabNode
from fabricgen.lab.verify.findings import LabFinding, LabResult
from fabricgen.lab.verify.observe import ask_all, ask_routing, read_cabling, read_links

_LLDP_PATIENCE_S = 20.0
_NO_POLICY = "no route map lets anything {}; without one everything is dropped (RFC 8212)"
Neighbours = dict[str, dict[str, Any]]


def name_link(node: LabNode, end: Interface) -> str:
    """A link as people say it: own port, then the other end."""
    return f"{end.name} to {end.peer} {end.peer_interface}"


def check_daemons(blueprint: Blueprint) -> LabResult:
    """Every daemon runs; one that does not is named with the end of its log."""
    findings = tuple(
        LabFinding(device, "", f"{daemon} does not run; the end of its log: {log}")
        for device, daemon, log in find_dead(blueprint, blueprint.speakers)
    )
    return LabResult("daemons", len(blueprint.speakers), "devices", findings)


def check_sessions(blueprint: Blueprint) -> LabResult:
    """Every planned session is up with the planned AS numbers and watched as planned, and there are no others."""
    answers = ask_all(blueprint.speakers, lambda node: ask_routing(blueprint, node, "show bgp neighbors json"))
    findings: list[LabFinding] = []
    examined = 0
    for node in blueprint.speakers:
        neighbours: Neighbours = {key: value for key, value in answers[node.name].items() if isinstance(value, dict)}
        planned = {name: end for end in node.interfaces for name in end.neighbors}
        examined += len(planned)
        links = None
        for key, end in planned.items():
            for reason in _judge(node, end, neighbours.get(key)):
                links = links or read_links(blueprint, node)
                findings.append(LabFinding(node.name, name_link(node, end), reason + _carrier(links.get(end.name))))
        for key in neighbours.keys() - planned.keys():
            findings.append(LabFinding(node.name, key, "a session that the plan does not have"))
    ends = [end for node in blueprint.speakers for end in node.interfaces for _ in end.neighbors]
    unwatched = sum(not end.watched for end in ends)
    note = f"{unwatched} of {len(ends)} without BFD, as planned" if unwatched else ""
    return LabResult("sessions", examined, "sessions", tuple(findings), note)


def _judge(node: LabNode, end: Interface, found: dict[str, Any] | None) -> Iterator[str]:
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


def _carrier(link: dict[str, Any] | None) -> str:
    if link is None:
        return "; there is no such interface"
    return "" if "LOWER_UP" in link.get("flags", ()) else "; the link is down"


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
                findings.append(LabFinding(node.name, name_link(node, end), "LLDP has no neighbor"))
            elif found != (end.peer, end.peer_interface):
                reason = f"the cable leads to {found[0]} {found[1]}"
                findings.append(LabFinding(node.name, name_link(node, end), reason))
    return LabResult("cabling", sum(len(node.interfaces) for node in blueprint.nodes), "ports", tuple(findings))
