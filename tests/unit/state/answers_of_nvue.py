"""Answers of NVUE's REST API."""

from __future__ import annotations

import json
from typing import Any

from tests.unit.state.bench import Bench


def nvue_sessions(bench: Bench) -> str:
    found: dict[str, Any] = {}
    for neighbor, (asn, state, count) in bench.sessions.items():
        family = "ipv6-unicast" if ":" in neighbor else "ipv4-unicast"
        found[neighbor] = {
            "address-family": {family: {"rx-prefix": count, "tx-prefix": 3}, "l2vpn-evpn": {"rx-prefix": 9}},
            "local-as": {"asn": bench.asn, "prepend": "enabled"},
            "remote-as": asn,
            "state": state.lower(),
        }
    return json.dumps(found)


def nvue_neighbors(bench: Bench) -> str:
    ports: dict[str, Any] = {"lo": {}}
    for port, (device, peer_port) in bench.neighbors.items():
        chassis = {"chassis-id": "00:11:22:33:44:55", "system-name": device}
        neighbor = {"age": "7", "chassis": chassis, "port": {"name": peer_port, "type": "local"}}
        ports[port] = {"lldp": {"neighbor": {device: neighbor}}}
    return json.dumps(ports)


def nvue_ports(bench: Bench) -> str:
    ports: dict[str, Any] = {
        port: {"link": {"oper-status": "up" if up else "down", "speed": f"{speed}G", "mtu": mtu}}
        for port, (up, speed, _, mtu) in bench.ports.items()
    }
    return json.dumps(ports | {"lo": {"link": {"oper-status": "unknown", "mtu": 65536}}})


def nvue_errors(bench: Bench) -> str:
    counts = {port: {"in-drops": 0, "in-errors": count, "out-errors": 0} for port, count in bench.errors.items()}
    return json.dumps({port: {"link": {"stats": stats}} for port, stats in counts.items()})


def nvue_system(bench: Bench) -> str:
    return json.dumps({"version": {"product-release": bench.version}, "hostname": bench.name, "uptime": 86400})
