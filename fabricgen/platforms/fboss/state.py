"""State of an FBOSS switch, as its command line serializes what its daemons answer: a model for each host, here one.

Maps have their numbers as text, and enumerations are numbers. Whether BFD, the FEC or the MTU of a port, or the
watchdog of a queue is as planned, none of the models says; nor has any of them thresholds or alarms of light.

Source:
    facebook/fboss 14ec47ec32: fboss/cli/fboss2/CmdHandler.cpp (printJson), model.thrift below commands/show of lldp,
    port, interface/errors, interface/counters/fec/uncorrectable, route, transceiver; commands/show/bgp/summary and
    neteng/fboss/bgp/if/bgp_thrift.thrift (TBgpSession, TBgpPeerState); fboss/qsfp_service/if/transceiver.thrift
    (FlagLevels).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from fabricgen.platforms.observations import records
from fabricgen.platforms.observations.content import (
    MisreadError,
    as_list,
    as_map,
    as_measure,
    as_number,
    as_text,
    members,
    read_map,
    refuse_nothing,
)
from fabricgen.platforms.observations.records import Counter, Level, Observation

_QUANTITIES = (("temperature", "tempFlags", records.TEMPERATURE), ("voltage", "vccFlags", records.VOLTAGE))
_STATES = ("idle", "connect", "active", "opensent", "openconfirm", "established", "closing", "idle (admin)")
"""TBgpPeerState by its number."""
_SPEED = re.compile(r"([0-9]+)G")
_PAUSES = ((records.PFC_RECEIVED, "inPfcPriorityPackets"), (records.PFC_SENT, "outPfcPriorityPackets"))


def read_sessions(data: bytes) -> list[Observation]:
    """Return the sessions of ``show bgp summary``, each with the prefixes that its policy accepted."""
    return [_session(row) for row in list_rows(data, "sessions")]


def _session(row: Mapping[str, Any]) -> records.BgpSession:
    name = as_text(row.get("peer_addr"), "peer_addr")
    peer = as_map(row.get("peer"), f"peer {name}")
    state = as_number(peer.get("peer_state"), f"{name} peer_state")
    accepted = row.get("postpolicy_rcvd_prefix_count")
    family = "ipv6" if ":" in name else "ipv4"
    return records.BgpSession(
        neighbor=name,
        state=_STATES[state] if state < len(_STATES) else f"state {state}",
        asn=as_number(peer.get("remote_as_4_byte"), f"{name} remote_as_4_byte"),
        local_asn=as_number(peer.get("local_as_4_byte"), f"{name} local_as_4_byte"),
        received={} if accepted is None else {family: as_number(accepted, f"{name} prefixes")},
    )


def read_neighbors(data: bytes) -> list[Observation]:
    """Return the neighbors of ``show lldp``."""
    keys = ("localPort", "systemName", "remotePort", "remotePortDescription")
    return [
        records.LldpNeighbor(*(as_text(row.get(key, ""), key) for key in keys))
        for row in list_rows(data, "lldpEntries")
    ]


def read_routes(data: bytes) -> list[Observation]:
    """Return the routes of ``show route``, both families, with the addresses of the next hops in the place of ports."""
    found: list[Observation] = []
    for row in list_rows(data, "routeEntries"):
        prefix = as_text(row.get("networkAddress"), "networkAddress")
        hops = [as_map(hop, prefix) for hop in as_list(row.get("nextHops", []), prefix)]
        live = (hop for hop in hops if not hop.get("isBackup"))
        found.append(records.InstalledRoute(prefix, tuple(as_text(hop.get("addr"), f"{prefix} addr") for hop in live)))
    return found


def read_ports(data: bytes) -> list[Observation]:
    """Return the state and speed of the ports of ``show port``."""
    return [_port(row) for row in list_rows(data, "portEntries")]


def _port(row: Mapping[str, Any]) -> records.PortState:
    name = as_text(row.get("name"), "name")
    speed = _SPEED.fullmatch(as_text(row.get("speed", ""), f"{name} speed"))
    return records.PortState(
        port=name,
        up=as_text(row.get("linkState"), f"{name} linkState") == "Up",
        admin_up=as_text(row.get("adminState"), f"{name} adminState") == "Enabled",
        speed_gbps=float(speed[1]) if speed else None,
        optic="none" if row.get("tcvrPresent") == "Absent" else "",
    )


def read_errors(data: bytes) -> list[Observation]:
    """Return the errors of each port of ``show interface errors``."""
    found: list[Observation] = []
    for row in list_rows(data, "error_counters"):
        name = as_text(row.get("interfaceName"), "interfaceName")
        ways = (as_number(row.get(key), f"{name} {key}") for key in ("inputErrors", "outputErrors"))
        found.append(Counter(name, records.ERRORS, sum(ways)))
    return found


def read_fec(data: bytes) -> list[Observation]:
    """Return the frames of ``show interface counters fec line uncorrectable`` that no part of a port could correct."""
    ports = only_model(data).get("uncorrectableFrames")
    found: list[Observation] = []
    for name, parts in members(ports, "port"):
        counts = [as_number(part.get("totalCount"), f"{name} totalCount") for _, part in members(parts, f"{name} part")]
        if counts:
            found.append(Counter(name, records.UNCORRECTED, sum(counts)))
    refuse_nothing(found, "port", "no port counts codewords of FEC" if ports else "")
    return found


def read_queues(data: bytes) -> list[Observation]:
    """Return the bytes that each queue of ``show port`` dropped."""
    return [
        Counter(name, records.DROPPED_BYTES, count, queue)
        for name, stats in _statistics(data)
        for queue, count in _by_number(stats, "queueOutDiscardBytes", name)
    ]


def read_pfc(data: bytes) -> list[Observation]:
    """Return the PFC frames of ``show port`` by priority; ports without PFC have none."""
    return [
        Counter(name, counter, count, priority)
        for name, stats in _statistics(data)
        for counter, key in _PAUSES
        for priority, count in _by_number(stats, key, name)
    ]


def _statistics(data: bytes) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for row in list_rows(data, "portEntries"):
        name = as_text(row.get("name"), "name")
        yield name, as_map(row.get("hwPortStats", {}), f"{name} hwPortStats")


def _by_number(stats: Mapping[str, Any], key: str, name: str) -> Iterator[tuple[int, int]]:
    for number, count in as_map(stats.get(key, {}), f"{name} {key}").items():
        yield as_number(number, f"{name} {key}"), as_number(count, f"{name} {key} {number}")


def read_optics(data: bytes) -> list[Observation]:
    """Return temperature and voltage of the transceivers of ``show transceiver``, with what raises an alarm."""
    ports = only_model(data).get("transceivers")
    found: list[Observation] = []
    for name, row in members(ports, "port"):
        if row.get("isPresent"):
            found += [records.Module(name), *_levels(name, row)]
    return found


def _levels(port: str, row: Mapping[str, Any]) -> Iterator[Level]:
    for key, flags_key, name in _QUANTITIES:
        if key in row:
            alarm = as_map(as_map(row.get(flags_key, {}), f"{port} {flags_key}").get("alarm", {}), f"{port} alarm")
            raised = next((end for end in ("low", "high") if alarm.get(end) is True), "none")
            yield Level(port, name, as_measure(row[key], f"{port} {key}"), alarm=raised)


READERS: records.Readers = {
    "sessions": read_sessions,
    "lldp": read_neighbors,
    "routes": read_routes,
    "routes6": read_routes,
    "ports": read_ports,
    "errors": read_errors,
    "fec": read_fec,
    "optics": read_optics,
    "queues": read_queues,
    "pfc": read_pfc,
}
"""Readers by state reading."""


def only_model(data: bytes) -> Mapping[str, Any]:
    """Return the model of the switch; raises MisreadError for several hosts, or none as a daemon did not answer."""
    hosts = read_map(data)
    if len(hosts) != 1:
        raise MisreadError(f"it has the models of {len(hosts)} hosts; expected that of the switch")
    ((name, model),) = hosts.items()
    return as_map(model, f"the model of {name}")


def list_rows(data: bytes, key: str) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a list of the model."""
    return (as_map(row, key) for row in as_list(only_model(data).get(key), key))
