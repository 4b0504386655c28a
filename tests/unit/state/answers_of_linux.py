"""Answers of FRRouting and Linux."""

from __future__ import annotations

import json
from typing import Any

from tests.unit.state.bench import Bench


def frr_sessions(bench: Bench) -> str:
    families: dict[str, Any] = {}
    for neighbor, (asn, state, count) in bench.sessions.items():
        family = families.setdefault("ipv6Unicast" if ":" in neighbor else "ipv4Unicast", {"peers": {}})
        row = {"remoteAs": asn, "localAs": bench.asn, "pfxRcd": count, "pfxSnt": 3, "state": state}
        family["peers"][neighbor] = row
    return json.dumps(families)


def frr_system(bench: Bench) -> str:
    return f"FRRouting {bench.version} ({bench.name}) on Linux(6.8.0).\nCopyright 1996-2005 Kunihiro Ishiguro, et al.\n"


def frr_bfd(bench: Bench) -> str:
    return json.dumps([{"peer": each, "vrf": "default", "status": state} for each, state in bench.bfd.items()])


def frr_routes(bench: Bench) -> str:
    found: dict[str, Any] = {"10.0.0.0/31": [{"protocol": "connected", "selected": True, "nexthops": []}]}
    for prefix, ports in bench.routes.items():
        hops = [{"fib": True, "active": True, "interfaceName": port} for port in ports]
        found[prefix] = [{"protocol": "bgp", "selected": True, "nexthops": hops}]
    return json.dumps(found)


def kernel_routes(bench: Bench) -> str:
    rows: list[dict[str, Any]] = [{"dst": "default", "dev": "eth0", "protocol": "static"}]
    for prefix, ports in bench.routes.items():
        hops = [{"gateway": "10.0.0.1", "dev": port, "weight": 1, "flags": []} for port in ports]
        rows.append({"dst": prefix.removesuffix("/32"), "protocol": "bgp", "nexthops": hops, "flags": []})
    return json.dumps(rows)


def lldp_neighbors(bench: Bench) -> str:
    ports = [
        {
            "name": port,
            "chassis": [{"id": [{"type": "mac", "value": "00:11:22:33:44:55"}], "name": [{"value": device}]}],
            "port": [{"id": [{"type": "local", "value": peer_port}], "descr": [{"value": "a cable"}]}],
        }
        for port, (device, peer_port) in bench.neighbors.items()
    ]
    return json.dumps({"lldp": [{"interface": ports}]})


def linux_ports(bench: Bench) -> str:
    lines = []
    for name, (up, speed, _, mtu) in bench.ports.items():
        folder = f"/sys/class/net/{name}"
        lines += [f"{folder}/operstate:{'up' if up else 'down'}", f"{folder}/mtu:{mtu}"]
        lines += [f"{folder}/speed:{speed * 1000}"] if up else []
    return "\n".join(lines) + "\n"


def linux_errors(bench: Bench) -> str:
    found = []
    for port, count in bench.errors.items():
        found.append({"ifname": port, "stats64": {"rx": {"errors": count, "dropped": 99}, "tx": {"errors": 0}}})
    return json.dumps(found)
