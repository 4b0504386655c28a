"""State of a Cumulus switch, whose routing is FRRouting and whose kernel knows its ports; or as NVUE's REST API has it.

Marks and drops of queues, and the watchdog, are not read: only NVUE shows them (``nv show interface PORT counters qos
egress-queue-stats -o json``: ``ecn-marked-frames``, ``tx-uc-buffer-discards`` by traffic class), a command takes about
a second for each port, and no public source has one that answers for all ports.

Source:
    CumulusNetworks/docs, Monitoring Interfaces and Transceivers with ethtool, and Network Troubleshooting: statistics
    HwIfInPfc0Pkt and HwIfOutPfc0Pkt; napalm-automation-community/napalm-cumulus, get_facts: build of the system.
    NVIDIA nv-config-manager, temporal/client/device/cumulus.py and models.py: paths with ``include``, neighbors of
    LLDP, ``oper-status`` and before 5.11 ``state`` of links, release of 5.11 and 5.14, uptime in seconds.
    CumulusNetworks/docs, *NVUE API*: ``link`` of interfaces with speed, MTU and ``stats``; *Troubleshooting BGP*:
    ``local-as`` and ``address-family`` of neighbors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fabricgen.platforms.observations import linux, records, vtysh
from fabricgen.platforms.observations.content import (
    MisreadError,
    as_map,
    as_number,
    as_text,
    members,
    read_document,
    read_map,
    refuse_nothing,
)
from fabricgen.platforms.observations.records import Counter, Observation

_FAMILIES = {"ipv4-unicast": "ipv4", "ipv6-unicast": "ipv6"}
_SPEED = re.compile(r"([0-9]{1,4}(?:\.[0-9])?)([GM])")
_PAUSE = re.compile(r"HwIf(In|Out)Pfc([0-7])Pkt")


def _has_neighbors(document: Mapping[str, Any]) -> bool:
    """Return whether a document is NVUE's map of BGP neighbors, each with its state."""
    return any(isinstance(facts, dict) and "state" in facts for facts in document.values())


def read_sessions(data: bytes) -> list[Observation]:
    """Return the sessions of ``vrf/default/router/bgp/neighbor``."""
    return [_session(name, facts) for name, facts in members(read_document(data), "neighbor")]


def _session(name: str, facts: Mapping[str, Any]) -> records.BgpSession:
    what = f"neighbor {name}"
    number, own = facts.get("remote-as"), as_map(facts.get("local-as", {}), f"{what} local-as").get("asn")
    counts = {
        _FAMILIES[key]: as_number(family["rx-prefix"], f"{what} rx-prefix")
        for key, family in members(facts.get("address-family", {}), f"{what} address-family")
        if key in _FAMILIES and "rx-prefix" in family
    }
    return records.BgpSession(
        neighbor=name,
        state=as_text(facts.get("state"), f"{what} state").lower(),
        # A neighbor may be configured by a word: external or internal.
        asn=None if number is None or str(number).isalpha() else as_number(number, f"{what} remote-as"),
        local_asn=None if own is None else as_number(own, f"{what} local-as"),
        received=counts,
    )


def read_neighbors(data: bytes) -> list[Observation]:
    """Return what LLDP reports, of ``interface?include=/*/lldp/neighbor``; a port may have several neighbors."""
    ports = [(name, port["lldp"]) for name, port in members(read_document(data), "interface") if "lldp" in port]
    refuse_nothing(ports, "interface with lldp")
    return [
        _neighbor(name, key, facts)
        for name, port_facts in ports
        for key, facts in members(as_map(port_facts, f"{name} lldp").get("neighbor", {}), f"{name} neighbor")
    ]


def _neighbor(name: str, key: str, facts: Mapping[str, Any]) -> records.LldpNeighbor:
    chassis, port = (as_map(facts.get(part, {}), f"{name} {part}") for part in ("chassis", "port"))
    return records.LldpNeighbor(
        port=name,
        device=as_text(chassis.get("system-name", key), f"{name} system-name"),
        peer_port=as_text(port.get("name", ""), f"{name} port"),
        description=as_text(port.get("description", ""), f"{name} port"),
        chassis=as_text(chassis.get("chassis-id", ""), f"{name} chassis-id"),
    )


def read_ports(data: bytes) -> list[Observation]:
    """Return the operation of ports, of ``interface`` with their ``link``; one that is down has no speed."""
    return [_port(name, link) for name, link in _links(data)]


def _port(name: str, link: Mapping[str, Any]) -> records.PortState:
    state = link.get("oper-status", next(iter(as_map(link.get("state", {}), f"{name} state")), None))
    speed, mtu = link.get("speed") if state == "up" else None, link.get("mtu")
    return records.PortState(
        port=name,
        up=None if state is None else state == "up",
        speed_gbps=None if speed is None else _speed(speed, f"{name} speed"),
        mtu_bytes=None if mtu is None else as_number(mtu, f"{name} mtu"),
    )


def _speed(value: Any, what: str) -> float | None:
    """Return a speed in Gb/s; None where a word stands in its place."""
    match = _SPEED.fullmatch(as_text(value, what))
    if match is None:
        return None
    return float(match[1]) / (1 if match[2] == "G" else 1000)


def read_errors(data: bytes) -> list[Observation]:
    """Return the errors of ports in both directions, of ``interface`` with their ``link/stats``."""
    return [
        Counter(
            name, records.ERRORS, sum(as_number(stats[key], f"{name} {key}") for key in ("in-errors", "out-errors"))
        )
        for name, link in _links(data)
        for stats in [as_map(link.get("stats", {}), f"{name} stats")]
        if "in-errors" in stats and "out-errors" in stats
    ]


def _links(data: bytes) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the links of ports; an answer without any is none."""
    found = [(name, port["link"]) for name, port in members(read_document(data), "interface") if "link" in port]
    refuse_nothing(found, "interface with a link")
    yield from ((name, as_map(link, f"{name} link")) for name, link in found)


def read_pfc(data: bytes) -> list[Observation]:
    """Return the PFC frames of each port by priority of ``ethtool -S``."""
    ports = linux.read_statistics(data)
    found: list[Observation] = [
        Counter(port, records.PFC_RECEIVED if match[1] == "In" else records.PFC_SENT, value, int(match[2]))
        for port, values in ports
        for name, value in values.items()
        if (match := _PAUSE.fullmatch(name))
    ]
    foreign = any(values for _, values in ports)
    refuse_nothing(found, "count of PFC frames", "" if foreign else "no port counts PFC frames")
    return found


def read_system(data: bytes) -> list[Observation]:
    """Return version and uptime of ``nv show system -o json``; since 5.14 the release stands below ``version``."""
    facts = read_map(data)
    release = facts.get("version")
    inner = release.get("product-release") if isinstance(release, dict) else None
    version = facts.get("build", facts.get("product-release", inner))
    if version is None:
        raise MisreadError("it has neither build nor product-release")
    uptime = facts.get("uptime")
    seconds = float(uptime) if isinstance(uptime, int) and not isinstance(uptime, bool) else None
    return [records.System(as_text(version, "build"), seconds)]


def _either(over_ssh: records.Reader, by_nvue: records.Reader, is_nvue: Callable[[Any], bool]) -> records.Reader:
    """Return the reader of answers that come by SSH or by NVUE's REST API; ``is_nvue`` tells by their documents."""

    def read(data: bytes) -> list[Observation]:
        try:
            document = read_document(data)
        except MisreadError:
            return over_ssh(data)
        return (by_nvue if isinstance(document, dict) and is_nvue(document) else over_ssh)(data)

    return read


READERS: records.Readers = {
    "sessions": _either(vtysh.read_sessions, read_sessions, _has_neighbors),
    "bfd": vtysh.read_bfd,
    "routes": vtysh.read_routes,
    "routes6": vtysh.read_routes,
    "lldp": _either(linux.read_neighbors, read_neighbors, lambda document: "lldp" not in document),
    "ports": _either(linux.read_ports, read_ports, bool),
    "errors": _either(linux.read_errors, read_errors, bool),
    "fec": linux.read_fec,
    "fec_modes": linux.read_fec_modes,
    "optics": linux.read_optics,
    "pfc": read_pfc,
    "system": read_system,
}
"""Readers by state reading."""
