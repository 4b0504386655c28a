"""Answers of FBOSS' command line in JSON: numbers of maps are text, enumerations are numbers."""

from __future__ import annotations

import json
from typing import Any

from tests.unit.state.bench import Bench


def _model(**members: Any) -> str:
    return json.dumps({"localhost": members})


def fboss_sessions(bench: Bench) -> str:
    states = {"Idle": 0, "Active": 2, "Established": 5}
    rows = []
    for neighbor, (asn, state, count) in bench.sessions.items():
        peer = {"peer_id": neighbor, "peer_state": states[state], "local_as": -1}
        peer |= {"local_as_4_byte": bench.asn, "remote_as_4_byte": asn}
        counts = {"rcvd_prefix_count": 0, "postpolicy_rcvd_prefix_count": count}
        rows.append({"peer": peer, "peer_addr": neighbor, **counts})
    return _model(sessions=rows, config={"local_as_4_byte": bench.asn}, drain_state={}, rib_version=1)


def fboss_routes(bench: Bench) -> str:
    rows: list[dict[str, Any]] = [{"networkAddress": "10.0.0.0/31", "nextHops": [], "overridenEcmpMode": ""}]
    for prefix, ports in bench.routes.items():
        hops = [{"addr": bench.behind.get(port, port), "weight": 1, "ifName": "fboss2001"} for port in ports]
        rows.append({"networkAddress": prefix, "nextHops": [*hops, {"addr": "fe80::1", "weight": 1, "isBackup": True}]})
    return _model(routeEntries=rows)


def fboss_neighbors(bench: Bench) -> str:
    rows = [
        {"localPort": port, "systemName": device, "remotePort": peer_port, "remotePortDescription": "a cable"}
        for port, (device, peer_port) in bench.neighbors.items()
    ]
    return _model(lldpEntries=rows)


def fboss_ports(bench: Bench) -> str:
    """One command has ports, drops of queues and PFC."""
    rows = [
        {
            "id": at,
            "name": name,
            "adminState": "Enabled",
            "linkState": "Up" if up else "Down",
            "speed": f"{speed}G",
            "tcvrPresent": "Present",
            "hwPortStats": {
                "inErrorPkts": 0,
                "queueOutDiscardBytes": {str(queue): count for queue, count in enumerate(bench.drops[name])},
                "inPfcPriorityPackets": {str(priority): count for priority, count in enumerate(bench.pauses[name])},
                "outPfcPriorityPackets": {str(priority): count for priority, count in enumerate(bench.pauses[name])},
            },
        }
        for at, (name, (up, speed, _, _)) in enumerate(bench.ports.items())
    ]
    return _model(portEntries=rows)


def fboss_errors(bench: Bench) -> str:
    rows = [
        {"interfaceName": port, "inputErrors": count, "inputDiscards": 9, "outputErrors": 0, "outputDiscards": 0}
        for port, count in bench.errors.items()
    ]
    return _model(error_counters=rows)


def fboss_fec(bench: Bench) -> str:
    ports = {port: {"0": {"totalCount": count, "tenMinuteCount": 0}} for port, count in bench.uncorrected.items()}
    return _model(uncorrectableFrames=ports, direction=1)


def fboss_optics(bench: Bench) -> str:
    def flags(*, high: bool, low: bool) -> dict[str, Any]:
        return {"alarm": {"high": high, "low": low}, "warn": {"high": True, "low": False}}

    ports: dict[str, Any] = {
        port: {
            "name": port,
            "isPresent": True,
            "temperature": optic["degrees"],
            "voltage": optic["volts"],
            "rxPower": [-1.5] * 4,
            "tempFlags": flags(high=optic["degrees"] > 75, low=False),
            "vccFlags": flags(high=False, low=optic["volts"] < 3),
        }
        for port, optic in bench.optics.items()
    }
    return _model(transceivers={**ports, "eth99/1/1": {"name": "eth99/1/1", "isPresent": False}})
