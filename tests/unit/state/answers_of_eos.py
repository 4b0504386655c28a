"""Answers of EOS."""

from __future__ import annotations

import json
from typing import Any

from tests.unit.state.bench import Bench


def eos_sessions(bench: Bench) -> str:
    peers = {}
    for neighbor, (asn, state, count) in bench.sessions.items():
        family = {"ipv6Unicast" if ":" in neighbor else "ipv4Unicast": {"nlrisReceived": count, "nlrisAccepted": count}}
        peers[neighbor] = {"peerState": state, "peerAsn": str(asn), **family}
    return json.dumps({"vrfs": {"default": {"asn": str(bench.asn), "peers": peers}}})


def eos_bfd(bench: Bench) -> str:
    rows = {neighbor: {"peerStats": {"": {"status": state}}} for neighbor, state in bench.bfd.items()}
    return json.dumps({"vrfs": {"default": {"ipv4Neighbors": rows, "ipv6Neighbors": {}}}})


def eos_routes(bench: Bench) -> str:
    rows = {prefix: {"vias": [{"interface": port} for port in ports]} for prefix, ports in bench.routes.items()}
    return json.dumps({"vrfs": {"default": {"routes": rows}}})


def eos_neighbors(bench: Bench) -> str:
    rows = [
        {"port": port, "neighborDevice": f"{device}.example.net", "neighborPort": peer_port, "ttl": 120}
        for port, (device, peer_port) in bench.neighbors.items()
    ]
    return json.dumps({"lldpNeighbors": rows})


def eos_ports(bench: Bench) -> str:
    rows = {}
    for name, (up, speed, _, mtu) in bench.ports.items():
        status = {"lineProtocolStatus": "up" if up else "down", "interfaceStatus": "connected"}
        rows[name] = {**status, "bandwidth": speed * 1_000_000_000, "mtu": mtu}
    return json.dumps({"interfaces": rows})


def eos_errors(bench: Bench) -> str:
    rows = {port: {"inErrors": count, "outErrors": 0} for port, count in bench.errors.items()}
    return json.dumps({"interfaceErrorCounters": rows})


def eos_queues(bench: Bench) -> str:
    rows = {}
    for port, counts in bench.drops.items():
        sums = [{"countersSum": {"droppedPackets": count}} for count in counts]
        rows[port] = {"trafficClasses": {f"TC{at}": {"egressQueueCounters": each} for at, each in enumerate(sums)}}
    return json.dumps({"interfaces": rows})


def eos_pfc(bench: Bench) -> str:
    rows = {
        port: {"priorities": {str(at): {"rxFrames": count, "txFrames": count} for at, count in enumerate(counts)}}
        for port, counts in bench.pauses.items()
    }
    return json.dumps({"interfaces": rows})


def eos_watchdog(bench: Bench) -> str:
    """Queues without a storm are left out, as the switch does; whether the watchdog runs is not said."""
    rows = {
        port: {"txQueues": {"3": {"stuckCount": detected, "recoveryCount": restored}}}
        for port, (_, detected, restored) in bench.watchdogs.items()
        if detected
    }
    return json.dumps({"interfaces": rows})


def eos_fec(bench: Bench) -> str:
    rows = {
        port: {
            "phyStatuses": [
                {"description": {"location": "line"}, "fec": {"uncorrectedCodewords": {"value": count - 1}}},
                {"description": {"location": "system"}, "fec": {"uncorrectedCodewords": {"value": 1}}},
                {"description": {}},
            ]
        }
        for port, count in bench.uncorrected.items()
    }
    return json.dumps({"interfacePhyStatuses": rows})


def eos_fec_modes(bench: Bench) -> str:
    words = {"rs": "reedSolomon", "fc": "fireCode"}
    rows = {port: {"errCorrEncodingStatus": words.get(fec, "disabled")} for port, (_, _, fec, _) in bench.ports.items()}
    return json.dumps({"interfaceErrCorrStatuses": rows})


def eos_optics(bench: Bench) -> str:
    def row(values: dict[str, float], low: float, high: float, unit: str) -> dict[str, Any]:
        limits = {"highAlarm": high, "highWarn": high - 0.1, "lowAlarm": low, "lowWarn": low + 0.1}
        return {"channels": values, "threshold": limits, "unit": unit}

    def lanes(values: list[Any]) -> dict[str, float]:
        return {str(at + 1): -40.0 if value == "-inf" else value for at, value in enumerate(values)}

    ports: dict[str, Any] = {
        port: {
            "displayName": port,
            "mediaType": "400GBASE-DR4",
            "parameters": {
                "rxPower": row(lanes(optic["rx"]), -10.0, 5.5, "dBm"),
                "txPower": row(lanes(optic["tx"]), -8.5, 4.5, "dBm"),
                "temperature": row({"-": optic["degrees"]}, 10.0, 65.0, "C"),
                "voltage": row({"-": optic["volts"]}, 3.0, 3.6, "V"),
                "aggrRxPwr": {"channels": {"-": 5.45}, "unit": "dBm"},
            },
        }
        for port, optic in bench.optics.items()
    }
    return json.dumps({"interfaces": {**ports, "Ethernet900/1": {"displayName": "Ethernet900/1"}}})


def eos_ecn(bench: Bench) -> str:
    rows = {p: {"queueCounters": {str(q): str(n) for q, n in enumerate(counts)}} for p, counts in bench.marks.items()}
    return json.dumps({"intfQueueCounters": rows})


def eos_system(bench: Bench) -> str:
    return json.dumps({"modelName": "box", "version": bench.version, "uptime": 1000.5})
