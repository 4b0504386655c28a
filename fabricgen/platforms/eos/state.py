"""State of an EOS switch, from its commands in JSON; those of VRFs beside the default one are left out.

Source:
    aristanetworks/anta 68667e0ed: commands and data of its tests of sessions, BFD, routes, interfaces, software.
    aristanetworks/anta 68667e0ed, VerifyInterfacesPFCCounters: frames of all priorities together.
    facebook/DNE-TaaC, health checks dsf_pfc and pfc_wd of switches on EOS: keys of frames by priority, and of storms; a
    port and a queue that had no storm are left out.
    aristanetworks/anta 68667e0ed, data of its test of LLDP; napalm-automation/napalm, eos get_lldp_neighbors;
    networktocode/ntc-templates, tests/arista_eos/show_lldp_neighbors: texts of three releases, with a rule and without.
    TechBlueprints/disunified, docs/fixtures/arista-eos-4.26.14M: answers of a switch; aristanetworks/anta 68667e0ed,
    tests/units/anta_tests/test_interfaces.py: VerifyInterfacesOpticsReceivePower, VerifyInterfacesBER.
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
    decode_text,
    members,
    read_map,
    refuse_nothing,
)
from fabricgen.platforms.observations.records import Counter, Level, Observation

_QUANTITIES = {
    "rxPower": records.RX_POWER,
    "txPower": records.TX_POWER,
    "txBias": records.BIAS,
    "temperature": records.TEMPERATURE,
    "voltage": records.VOLTAGE,
}
_WHOLE = "-"
"""Channel of what is measured once in a transceiver."""
_MODES = {"reedSolomon": "rs", "reedSolomon544": "rs", "fireCode": "fc", "disabled": "none"}
_UNCORRECTED = re.compile(r"FEC uncorrected codewords +([0-9]+)")
_HEADS = re.compile(r"Port +Neighbor Device ID +Neighbor Port ID +TTL")
_GAP = re.compile(r" {2,}")
_PROMPT = re.compile(r"[\w.()@-]+[#>]")
_MAC = re.compile(r"[0-9a-f]{4}(?:\.[0-9a-f]{4}){2}")
_LONG = {"Et": "Ethernet", "Ma": "Management"}
_WAYS = ((records.PFC_RECEIVED, "rxFrames"), (records.PFC_SENT, "txFrames"))
_FAMILIES = {"ipv4Unicast": "ipv4", "ipv6Unicast": "ipv6"}
_GIGA = 1_000_000_000


def _default_vrf(data: bytes, *keys: str) -> Mapping[str, Any]:
    """Return what an answer says of the default VRF: at least one of some keys, or nothing at all."""
    vrfs = as_map(read_map(data).get("vrfs"), "vrfs")
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
        taken = {
            family: as_number(row["nlrisAccepted"], f"{what} nlrisAccepted")
            for family, row in rows
            if "nlrisAccepted" in row
        }
        state, asn = as_text(facts.get("peerState"), f"{what} peerState"), facts.get("peerAsn")
        found.append(records.BgpSession(_neighbor(name), state.lower(), as_number(asn, f"{what} peerAsn"), own, taken))
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
                found.append(records.Bfd(name, port, as_text(row.get("status"), f"{name} status").lower()))
    return found


def read_routes(data: bytes) -> list[Observation]:
    """Return the routes of ``show ip route vrf all bgp``."""
    found: list[Observation] = []
    for prefix, facts in members(_default_vrf(data, "routes").get("routes", {}), "route"):
        vias = [as_map(via, prefix) for via in as_list(facts.get("vias", []), f"{prefix} vias")]
        found.append(records.InstalledRoute(prefix, tuple(as_text(via.get("interface", ""), prefix) for via in vias)))
    return found


def read_ports(data: bytes) -> list[Observation]:
    """Return the ports of ``show interfaces``."""
    return [_port(name, facts) for name, facts in members(read_map(data).get("interfaces"), "interface")]


def _port(name: str, facts: Mapping[str, Any]) -> records.PortState:
    line, status = facts.get("lineProtocolStatus"), facts.get("interfaceStatus")
    return records.PortState(
        port=name,
        up=None if line is None else as_text(line, f"{name} lineProtocolStatus") == "up",
        admin_up=None if status is None else as_text(status, f"{name} interfaceStatus") != "disabled",
        speed_gbps=as_number(facts["bandwidth"], f"{name} bandwidth") / _GIGA if facts.get("bandwidth") else None,
        mtu_bytes=as_number(facts["mtu"], f"{name} mtu") if "mtu" in facts else None,
    )


def read_errors(data: bytes) -> list[Observation]:
    """Return the errors of each port of ``show interfaces counters errors``."""
    ports = read_map(data).get("interfaceErrorCounters")
    return [
        Counter(
            name, records.ERRORS, sum(as_number(row.get(key), f"{name} {key}") for key in ("inErrors", "outErrors"))
        )
        for name, row in members(ports, "port")
    ]


def read_queues(data: bytes) -> list[Observation]:
    """Return the drops by traffic class of ``show interfaces counters queue drops``."""
    ports = read_map(data).get("interfaces")
    found: list[Observation] = []
    for name, facts in members(ports, "port"):
        for traffic_class, row in members(facts.get("trafficClasses"), f"{name} class"):
            if counts := list(_dropped(row, name)):
                number = as_number(traffic_class.removeprefix("TC"), f"{name} class")
                found.append(Counter(name, records.DROPS, sum(counts), number))
    return found


def _dropped(row: Mapping[str, Any], name: str) -> Iterator[int]:
    for key in ("ingressVoqCounters", "egressQueueCounters"):
        if key in row:
            total = as_map(as_map(row[key], name).get("countersSum"), name)
            yield as_number(total.get("droppedPackets"), f"{name} droppedPackets")


def read_ecn(data: bytes) -> list[Observation]:
    """Return the packets that each queue of ``show qos interfaces ecn counters queue`` has marked."""
    found: list[Observation] = []
    for name, facts in members(read_map(data).get("intfQueueCounters"), "port"):
        for queue, value in as_map(facts.get("queueCounters"), name).items():
            if value != "-":
                found.append(Counter(name, records.MARKED, as_number(value, f"{name} {queue}"), as_number(queue, name)))
    return found


def read_system(data: bytes) -> list[Observation]:
    """Return version and uptime of ``show version``."""
    facts = read_map(data)
    uptime = facts.get("uptime")
    seconds = float(uptime) if isinstance(uptime, int | float) and not isinstance(uptime, bool) else None
    return [records.System(as_text(facts.get("version"), "version"), seconds)]


def read_pfc(data: bytes) -> list[Observation]:
    """Return the PFC frames by priority of ``show priority-flow-control counters detail``.

    Without ``detail`` they are those of all priorities together.
    """
    document = read_map(data)
    if "interfaces" in document:
        return [
            counter
            for name, facts in members(document["interfaces"], "port")
            for priority, row in members(facts.get("priorities", {}), f"{name} priority")
            for counter in _frames(name, row, as_number(priority, f"{name} priority"))
        ]
    ports = document.get("interfaceCounters")
    return [counter for name, row in members(ports, "port") for counter in _frames(name, row, None)]


def _frames(port: str, row: Mapping[str, Any], priority: int | None) -> Iterator[Counter]:
    for counter, key in _WAYS:
        if key in row:
            yield Counter(port, counter, as_number(row[key], f"{port} {key}"), priority)


def read_watchdog(data: bytes) -> list[Observation]:
    """Return the storms by queue of ``show priority-flow-control counters watchdog``."""
    ports = read_map(data).get("interfaces")
    if ports is None:
        raise MisreadError("it has no interfaces")
    queues = (
        records.QueueWatchdog(
            name,
            as_number(queue, f"{name} queue"),
            "",
            as_number(row.get("stuckCount", 0), f"{name} stuckCount"),
            as_number(row.get("recoveryCount", 0), f"{name} recoveryCount"),
        )
        for name, facts in members(ports, "port")
        for queue, row in members(facts.get("txQueues"), f"{name} queue")
    )
    return [records.Storms(tuple(queues))]


def read_neighbors(data: bytes) -> list[Observation]:
    """Return the neighbors by port; a port may have several."""
    text = decode_text(data)
    if not text.lstrip().startswith("{"):
        return list(_read_text(text))
    entries = read_map(data).get("lldpNeighbors")
    if isinstance(entries, list):
        rows = [as_map(item, "neighbor") for item in entries]
        return [
            _brief(*(as_text(row.get(key), key) for key in ("port", "neighborDevice", "neighborPort"))) for row in rows
        ]
    return [
        _detailed(port, as_map(item, port))
        for port, facts in members(entries, "port")
        for item in as_list(facts.get("lldpNeighborInfo", []), port)
    ]


def _brief(port: str, device: str, peer_port: str) -> records.LldpNeighbor:
    """Return a neighbor; one without name is shown by its chassis' MAC address."""
    return (
        records.LldpNeighbor(port, "", peer_port, "", device)
        if _MAC.fullmatch(device)
        else records.LldpNeighbor(port, device, peer_port)
    )


def _detailed(port: str, facts: Mapping[str, Any]) -> records.LldpNeighbor:
    peer = as_map(facts.get("neighborInterfaceInfo", {}), port)
    return records.LldpNeighbor(
        port,
        as_text(facts.get("systemName", ""), port),
        as_text(peer.get("interfaceId_v2", peer.get("interfaceId", "")), port).strip('"'),
        as_text(peer.get("interfaceDescription", ""), port),
        as_text(facts.get("chassisId", ""), port),
    )


def _read_text(text: str) -> Iterator[records.LldpNeighbor]:
    """Yield the rows of the table, to an empty line, a prompt or the end.

    Raises:
        MisreadError: There is no such table, or a line of it is not whole.
    """
    lines = iter(text.splitlines())
    if not any(_HEADS.fullmatch(line.strip()) for line in lines):
        raise MisreadError("it is neither JSON nor the table of show lldp neighbors")
    for line in lines:
        if not line.strip() or _PROMPT.match(line):
            return
        if not line.strip("- "):
            continue
        head, _, ttl = line.strip().rpartition(" ")
        row = _GAP.split(head.strip())
        if len(row) != 3 or not ttl.isdecimal():
            raise MisreadError(f"the line of {line.split()[0][:40]} is not whole")
        yield _brief(re.sub(r"^(?:Et|Ma)(?=\d)", lambda short: _LONG[short[0]], row[0]), *row[1:])


def read_optics(data: bytes) -> list[Observation]:
    """Return what transceivers measure in ``show interfaces transceiver dom thresholds``."""
    ports = read_map(data).get("interfaces")
    found: list[Observation] = []
    for name, facts in members(ports, "port"):
        found += [records.Module(name), *_levels(name, facts)]
    return found


def _levels(port: str, facts: Mapping[str, Any]) -> Iterator[Level]:
    """Yield the levels of a port; a copper cable and an empty cage have none."""
    if facts:
        as_text(facts.get("displayName"), f"{port} displayName")
    parameters = as_map(facts.get("parameters", {}), f"{port} parameters")
    for key, name in _QUANTITIES.items():
        row = as_map(parameters.get(key, {}), f"{port} {key}")
        limits = as_map(row.get("threshold", {}), f"{port} {key} threshold")
        low, high = (
            as_measure(limits[end], f"{port} {key} {end}") if end in limits else None
            for end in ("lowAlarm", "highAlarm")
        )
        for channel, value in as_map(row.get("channels", {}), f"{port} {key}").items():
            lane = None if channel == _WHOLE else as_number(channel, f"{port} {key} channel")
            yield Level(port, name, as_measure(value, f"{port} {key}"), low, high, lane)


def read_fec_modes(data: bytes) -> list[Observation]:
    """Return the FEC in operation on each port of ``show interfaces error-correction``, in words of the catalog."""
    ports = read_map(data).get("interfaceErrCorrStatuses")
    found: list[Observation] = []
    for name, row in members(ports, "port"):
        mode = as_text(row.get("errCorrEncodingStatus", ""), f"{name} errCorrEncodingStatus")
        found.append(records.PortState(name, fec=_MODES.get(mode, "")))
    return found


def read_fec(data: bytes) -> list[Observation]:
    """Return the codewords of each port of ``show interfaces phy detail`` that no part of it could correct.

    Older releases have the same as text inside the document.
    """
    ports = read_map(data).get("interfacePhyStatuses")
    found: list[Observation] = []
    for name, facts in members(ports, "port"):
        parts = [as_map(part, f"{name} part") for part in as_list(facts.get("phyStatuses", []), f"{name} phyStatuses")]
        counts = [count for part in parts for count in _uncorrected(name, part)]
        if counts:
            found.append(Counter(name, records.UNCORRECTED, sum(counts)))
    refuse_nothing(found, "port", "no port counts codewords of FEC" if ports else "")
    return found


def _uncorrected(port: str, part: Mapping[str, Any]) -> Iterator[int]:
    """Yield the codewords that one part between switch chip and cable could not correct."""
    row = as_map(as_map(part.get("fec", {}), f"{port} fec").get("uncorrectedCodewords", {}), f"{port} fec")
    if "value" in row:
        yield as_number(row["value"], f"{port} uncorrectedCodewords")
    else:
        text = as_text(part.get("text", ""), f"{port} text")
        yield from (as_number(each, f"{port} codewords") for each in _UNCORRECTED.findall(text))


READERS: records.Readers = {
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
