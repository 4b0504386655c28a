"""State of an EOS switch, from its commands in JSON; those of VRFs beside the default one are left out.

Source:
    aristanetworks/anta 68667e0ed: commands and data of its tests of sessions, BFD, routes, interfaces, software.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fabricgen.platforms.eos.neighbors import read_neighbors
from fabricgen.platforms.eos.pauses import read_pfc, read_watchdog
from fabricgen.platforms.eos.physical import read_fec, read_fec_modes, read_optics
from fabricgen.platforms.observations.content import (
    as_list,
    as_map,
    as_number,
    as_text,
    members,
    read_document,
    refuse_nothing,
)
from fabricgen.platforms.observations.records import (
    DROPS,
    ERRORS,
    MARKED,
    Bfd,
    Counter,
    Observation,
    PortState,
    Readers,
    Route,
    Session,
    System,
)

_FAMILIES = {"ipv4Unicast": "ipv4", "ipv6Unicast": "ipv6"}
_GIGA = 1_000_000_000


def _default_vrf(data: bytes, *keys: str) -> Mapping[str, Any]:
    """Return what an answer says of the default VRF: at least one of some keys, or nothing at all."""
    vrfs = as_map(as_map(read_document(data), "the answer").get("vrfs"), "vrfs")
    vrf = as_map(vrfs.get("default", {}), "vrfs default")
    if vrf:
        refuse_nothing([key for key in keys if key in vrf], f"{' or '.join(keys)} of the default VRF")
    return vrf


def read_sessions(data: bytes) -> list[Observation]:
    """Return the sessions of ``show bgp summary vrf all``."""
    vrf = _default_vrf(data, "peers")
    own = as_number(vrf["asn"], "asn") if "asn" in vrf else None
    found: list[Observation] = []
    for name, facts in members(vrf.get("peers", {}), "peer"):
        what = f"peer {name}"
        rows = [(family, as_map(facts[key], what)) for key, family in _FAMILIES.items() if key in facts]
        received = {
            family: as_number(row["nlrisAccepted"], f"{what} nlrisAccepted")
            for family, row in rows
            if "nlrisAccepted" in row
        }
        state, asn = as_text(facts.get("peerState"), f"{what} peerState"), facts.get("peerAsn")
        found.append(Session(_neighbor(name), state.lower(), as_number(asn, f"{what} peerAsn"), own, received))
    return found


def _neighbor(name: str) -> str:
    """Return what the plan calls a neighbor: the own port where it has a link-local address, ``fe80::2%Et1/1``."""
    _, percent, port = name.partition("%")
    return f"Ethernet{port.removeprefix('Et')}" if percent and port.startswith("Et") else name


def read_bfd(data: bytes) -> list[Observation]:
    """Return the BFD sessions of ``show bfd peers``."""
    keys = ("ipv4Neighbors", "ipv6Neighbors")
    vrf = _default_vrf(data, *keys)
    found: list[Observation] = []
    for key in keys:
        for name, facts in members(vrf.get(key, {}), "neighbor"):
            for port, row in members(facts.get("peerStats", {}), f"{name} port"):
                found.append(Bfd(name, port, as_text(row.get("status"), f"{name} status").lower()))
    return found


def read_routes(data: bytes) -> list[Observation]:
    """Return the routes of ``show ip route vrf all bgp``."""
    found: list[Observation] = []
    for prefix, facts in members(_default_vrf(data, "routes").get("routes", {}), "route"):
        vias = [as_map(via, prefix) for via in as_list(facts.get("vias", []), f"{prefix} vias")]
        found.append(Route(prefix, tuple(as_text(via.get("interface", ""), prefix) for via in vias)))
    return found


def read_ports(data: bytes) -> list[Observation]:
    """Return the ports of ``show interfaces``."""
    return [
        _port(name, facts)
        for name, facts in members(as_map(read_document(data), "the answer").get("interfaces"), "interface")
    ]


def _port(name: str, facts: Mapping[str, Any]) -> PortState:
    line, status = facts.get("lineProtocolStatus"), facts.get("interfaceStatus")
    return PortState(
        port=name,
        up=None if line is None else as_text(line, f"{name} lineProtocolStatus") == "up",
        admin_up=None if status is None else as_text(status, f"{name} interfaceStatus") != "disabled",
        speed_gbps=as_number(facts["bandwidth"], f"{name} bandwidth") / _GIGA if facts.get("bandwidth") else None,
        mtu_bytes=as_number(facts["mtu"], f"{name} mtu") if "mtu" in facts else None,
    )


def read_errors(data: bytes) -> list[Observation]:
    """Return the errors of each port of ``show interfaces counters errors``."""
    ports = as_map(read_document(data), "the answer").get("interfaceErrorCounters")
    return [
        Counter(name, ERRORS, sum(as_number(row.get(key), f"{name} {key}") for key in ("inErrors", "outErrors")))
        for name, row in members(ports, "port")
    ]


def read_queues(data: bytes) -> list[Observation]:
    """Return the drops by traffic class of ``show interfaces counters queue drops``."""
    ports = as_map(read_document(data), "the answer").get("interfaces")
    found: list[Observation] = []
    for name, facts in members(ports, "port"):
        for traffic_class, row in members(facts.get("trafficClasses"), f"{name} class"):
            if counts := list(_dropped(row, name)):
                number = as_number(traffic_class.removeprefix("TC"), f"{name} class")
                found.append(Counter(name, DROPS, sum(counts), number))
    return found


def _dropped(row: Mapping[str, Any], name: str) -> Iterator[int]:
    for key in ("ingressVoqCounters", "egressQueueCounters"):
        if key in row:
            total = as_map(as_map(row[key], name).get("countersSum"), name)
            yield as_number(total.get("droppedPackets"), f"{name} droppedPackets")


def read_ecn(data: bytes) -> list[Observation]:
    """Return the packets that each queue of ``show qos interfaces ecn counters queue`` has marked."""
    found: list[Observation] = []
    for name, facts in members(as_map(read_document(data), "the answer").get("intfQueueCounters"), "port"):
        for queue, value in as_map(facts.get("queueCounters"), name).items():
            if value != "-":
                found.append(Counter(name, MARKED, as_number(value, f"{name} {queue}"), as_number(queue, name)))
    return found


def read_system(data: bytes) -> list[Observation]:
    """Return version and uptime of ``show version``."""
    facts = as_map(read_document(data), "the answer")
    uptime = facts.get("uptime")
    seconds = float(uptime) if isinstance(uptime, int | float) and not isinstance(uptime, bool) else None
    return [System(as_text(facts.get("version"), "version"), seconds)]


READERS: Readers = {
    "sessions": read_sessions,
    "bfd": read_bfd,
    "routes": read_routes,
    "routes6": read_routes,
    "lldp": read_neighbors,
    "ports": read_ports,
    "errors": read_errors,
    "fec": read_fec,
    "fec_modes": read_fec_modes,
    "optics": read_optics,
    "queues": read_queues,
    "pfc": read_pfc,
    "watchdog": read_watchdog,
    "ecn": read_ecn,
    "system": read_system,
}
"""Readers by state reading."""
