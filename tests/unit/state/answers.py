"""Answers of healthy devices in each platform's own form, written from the tables that ``show`` prints.

The expectations under test are not looked at: links come from ``show links``, sessions from the rendered neighbors of
the plan's addresses, widths from counting links.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fabricgen.device.lower import Lowering
from fabricgen.device.model import Port, Switch
from fabricgen.plan.model.fabric import FabricPlan


@dataclass
class Bench:
    """State of one healthy switch, which a test spoils before it is written down.

    Attributes:
        sessions: Neighbor to AS number, state and prefixes accepted.
        neighbors: Port to device and port that LLDP reports.
        routes: Prefix to ports of the next hops.
        ports: Port to up, speed in Gb/s, FEC, MTU.
        pauses: Port to PFC frames by priority, received; sent are as many.
        watchdogs: Port to state of priority 3, storms detected and restored.
        errors: Port to errors.
        drops: Port to drops by queue.
        marks: Port to marked packets by queue.
        uncorrected: Port to codewords that FEC could not correct.
        optics: Port to what its transceiver measures: received and sent dBm of each lane, degrees, volts.
        version: Software.
    """

    name: str
    asn: int
    sessions: dict[str, tuple[int, str, int]] = field(default_factory=dict)
    bfd: dict[str, str] = field(default_factory=dict)
    neighbors: dict[str, tuple[str, str]] = field(default_factory=dict)
    routes: dict[str, list[str]] = field(default_factory=dict)
    ports: dict[str, list[Any]] = field(default_factory=dict)
    pauses: dict[str, list[int]] = field(default_factory=dict)
    watchdogs: dict[str, list[Any]] = field(default_factory=dict)
    errors: dict[str, int] = field(default_factory=dict)
    drops: dict[str, list[int]] = field(default_factory=dict)
    marks: dict[str, list[int]] = field(default_factory=dict)
    uncorrected: dict[str, int] = field(default_factory=dict)
    optics: dict[str, dict[str, Any]] = field(default_factory=dict)
    version: str = ""


def healthy(plan: FabricPlan, name: str) -> Bench:
    """Return a healthy switch of a fabric with two tiers in which every leaf has links to every spine."""
    lowering = Lowering(plan)
    switches = {found.hostname: found for found in map(lowering.lower_switch, plan.switches())}
    own = switches[name]
    bench = Bench(name, own.asn, version=own.cls.release.name or "4.33.0F")
    for port in own.ports:
        _add_port(bench, own, port, switches)
    toward: dict[str, list[str]] = defaultdict(list)
    for port in own.ports:
        toward[port.peer].append(port.shape.name)
    uplinks = [port.shape.name for port in own.ports if port.shape.side == "up"]
    for other in switches.values():
        if other.cls.role == "leaf" and other is not own:
            for prefix in _prefixes(other):
                bench.routes[prefix] = uplinks if own.cls.role == "leaf" else toward[other.hostname]
    return bench


def _prefixes(leaf: Switch) -> list[str]:
    every = (f"{leaf.loopback}/32" if leaf.loopback else "", f"{leaf.loopback6}/128" if leaf.loopback6 else "")
    return [prefix for prefix in (*every, leaf.aggregate, leaf.aggregate6) if prefix]


def _add_port(bench: Bench, own: Switch, port: Port, switches: Mapping[str, Switch]) -> None:
    name, leafs = port.shape.name, [each for each in switches.values() if each.cls.role == "leaf"]
    peer = switches.get(port.peer)
    bench.neighbors[name] = (port.peer, port.peer_port)
    bench.ports[name] = [True, port.shape.speed_gbps, port.shape.fec, port.shape.mtu_bytes]
    bench.pauses[name] = [0, 0, 0, 17, 0, 0, 0, 0]
    bench.watchdogs[name] = ["operational", 2, 2]
    bench.errors[name] = 4
    bench.drops[name] = [9, 0, 0, 1, 0, 0, 0, 0]
    bench.marks[name] = [0, 0, 0, 5, 0, 0, 0, 0]
    bench.uncorrected[name] = 6
    bench.optics[name] = {"rx": [-1.5] * 4, "tx": [0.5] * 4, "degrees": 41.0, "volts": 3.3}
    if port.peer_asn and peer is not None:
        neighbor = port.peer_address or port.peer_address6 or name
        each = len(_prefixes(leafs[0]))
        # A spine accepts each leaf's own prefixes; a leaf those of all other leafs and the spine's loopback.
        count = each if own.cls.role != "leaf" else each * (len(leafs) - 1) + 1
        bench.sessions[neighbor] = (port.peer_asn, "Established", count)
        bench.bfd[neighbor] = "up"


def write_table(heads: list[str], rows: list[list[Any]]) -> str:
    """Write a table as python-tabulate does in its format ``simple``, cells to the right."""
    texts = [heads, *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[at]) for row in texts) for at in range(len(heads))]
    widths = [max(width, 2 + len(head)) if rows else width for width, head in zip(widths, heads, strict=True)]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in texts]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]]) + "\n"


def frr_sessions(bench: Bench) -> str:
    families: dict[str, Any] = {}
    for neighbor, (asn, state, count) in bench.sessions.items():
        family = families.setdefault("ipv6Unicast" if ":" in neighbor else "ipv4Unicast", {"peers": {}})
        row = {"remoteAs": asn, "localAs": bench.asn, "pfxRcd": count, "pfxSnt": 3, "state": state}
        family["peers"][neighbor] = row
    return json.dumps(families)


def frr_bfd(bench: Bench) -> str:
    return json.dumps([{"peer": each, "vrf": "default", "status": state} for each, state in bench.bfd.items()])


def frr_routes(bench: Bench) -> str:
    return json.dumps(
        {
            prefix: [
                {
                    "protocol": "bgp",
                    "selected": True,
                    "nexthops": [{"fib": True, "active": True, "interfaceName": port} for port in ports],
                }
            ]
            for prefix, ports in bench.routes.items()
        }
        | {"10.0.0.0/31": [{"protocol": "connected", "selected": True, "nexthops": []}]}
    )


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


def sonic_ports(bench: Bench) -> str:
    heads = ["Interface", "Lanes", "Speed", "MTU", "FEC", "Alias", "Vlan", "Oper", "Admin", "Type", "Asym PFC"]
    rows = [
        [name, "1,2,3,4", f"{speed}G", mtu, fec or "N/A", "etp1", "routed", "up" if up else "down", "up", "OSFP", "off"]
        for name, (up, speed, fec, mtu) in bench.ports.items()
    ]
    return write_table(heads, rows)


def sonic_pfc(bench: Bench) -> str:
    titles = [f"PFC{number}" for number in range(8)]
    rows = [[port, *(f"{count:,}" for count in counts)] for port, counts in bench.pauses.items()]
    return write_table(["Port Rx", *titles], rows) + "\n" + write_table(["Port Tx", *titles], rows)


def sonic_watchdog(bench: Bench) -> str:
    heads = ["QUEUE", "STATUS", "STORM DETECTED/RESTORED", "TX OK/DROP", "RX OK/DROP"]
    rows = [
        [f"{port}:3", state, f"{detected}/{restored}", "0/0", "0/0"]
        for port, (state, detected, restored) in bench.watchdogs.items()
    ]
    return write_table(heads, rows)


def sonic_errors(bench: Bench) -> str:
    rows = {
        port: {"STATE": "U", "RX_ERR": str(count), "TX_ERR": "0", "RX_DRP": "N/A"}
        for port, count in bench.errors.items()
    }
    return json.dumps(rows)


def sonic_fec(bench: Bench) -> str:
    rows = {
        port: {"STATE": "U", "FEC_CORR": "130,402", "FEC_UNCORR": f"{count:,}", "FEC_PRE_BER": "1.00e-09"}
        for port, count in bench.uncorrected.items()
    }
    return json.dumps(rows)


def sonic_optics(bench: Bench) -> str:
    """As ``sfpshow`` prints a module of eight host lanes and four of its medium; an empty cage in the end."""
    lines = []
    for port, optic in bench.optics.items():
        lines += [f"{port}: SFP EEPROM detected", "        CMIS Rev: 5.0", "        Media Lane Count: 4"]
        lines.append("        ChannelMonitorValues:")
        for lane in range(8):
            rx, tx = (optic[way][lane] if lane < 4 else "-inf" for way in ("rx", "tx"))
            lines += [f"                RX{lane + 1}Power: {rx}dBm", f"                TX{lane + 1}Power: {tx}dBm"]
        lines.append("        ChannelThresholdValues:")
        for way in ("Rx", "Tx"):
            lines += [
                f"                {f'{way}PowerHighAlarm':18}: 6.9999dBm",
                f"                {f'{way}PowerHighWarning':18}: 4.9999dBm",
                f"                {f'{way}PowerLowAlarm':18}: -11.9044dBm",
            ]
        lines += ["        ModuleMonitorValues:", f"                Temperature: {optic['degrees']}C"]
        lines += [f"                Vcc: {optic['volts']}Volts", "        ModuleThresholdValues:"]
        lines += ["                TempHighAlarm  : 80.0000C", "                TempLowAlarm   : -10.0000C"]
        lines += ["                VccHighAlarm   : 3.6352Volts", "                VccLowAlarm    : 2.9696Volts", ""]
    return "\n".join([*lines, "Ethernet900: SFP EEPROM Not detected", ""])


def sonic_ecn(bench: Bench) -> str:
    rows = {
        port: {
            "time": "2026-01-01 00:00:00",
            **{
                f"UC{number}": {"ecnmarkedbytes": "N/A", "ecnmarkedpacket": str(count), "wreddroppacket": "0"}
                for number, count in enumerate(counts)
            },
            "ALL20": {"ecnmarkedpacket": "N/A"},
        }
        for port, counts in bench.marks.items()
    }
    return json.dumps(rows)


def sonic_queues(bench: Bench) -> str:
    return json.dumps(
        {
            port: {
                "time": "2026-01-01 00:00:00",
                **{
                    f"UC{number}": {"totalpacket": "10", "droppacket": str(count)}
                    for number, count in enumerate(counts)
                },
                "ALL20": {"totalpacket": "N/A", "droppacket": "N/A"},
            }
            for port, counts in bench.drops.items()
        }
    )


def sonic_system(bench: Bench) -> str:
    return f"\nSONiC Software Version: SONiC.{bench.version}.1-abc\nSONiC OS Version: 12\nUptime: up 3 days\n"


def linux_ports(bench: Bench) -> str:
    lines = []
    for name, (up, speed, _, mtu) in bench.ports.items():
        folder = f"/sys/class/net/{name}"
        lines += [f"{folder}/operstate:{'up' if up else 'down'}", f"{folder}/mtu:{mtu}"]
        lines += [f"{folder}/speed:{speed * 1000}"] if up else []
    return "\n".join(lines) + "\n"


def linux_errors(bench: Bench) -> str:
    return json.dumps(
        [
            {"ifname": port, "stats64": {"rx": {"errors": count, "dropped": 99}, "tx": {"errors": 0}}}
            for port, count in bench.errors.items()
        ]
    )


def eos_sessions(bench: Bench) -> str:
    peers = {
        neighbor: {
            "peerState": state,
            "peerAsn": str(asn),
            "ipv6Unicast" if ":" in neighbor else "ipv4Unicast": {"nlrisReceived": count, "nlrisAccepted": count},
        }
        for neighbor, (asn, state, count) in bench.sessions.items()
    }
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
    rows = {
        name: {
            "lineProtocolStatus": "up" if up else "down",
            "interfaceStatus": "connected",
            "bandwidth": speed * 1_000_000_000,
            "mtu": mtu,
        }
        for name, (up, speed, _, mtu) in bench.ports.items()
    }
    return json.dumps({"interfaces": rows})


def eos_errors(bench: Bench) -> str:
    rows = {port: {"inErrors": count, "outErrors": 0} for port, count in bench.errors.items()}
    return json.dumps({"interfaceErrorCounters": rows})


def eos_queues(bench: Bench) -> str:
    rows = {
        port: {
            "trafficClasses": {
                f"TC{number}": {"egressQueueCounters": {"countersSum": {"droppedPackets": count}}}
                for number, count in enumerate(counts)
            }
        }
        for port, counts in bench.drops.items()
    }
    return json.dumps({"interfaces": rows})


def eos_pfc(bench: Bench) -> str:
    rows = {port: {"rxFrames": sum(counts), "txFrames": sum(counts)} for port, counts in bench.pauses.items()}
    return json.dumps({"interfaceCounters": rows})


def eos_ecn(bench: Bench) -> str:
    rows = {
        port: {"queueCounters": {str(number): str(count) for number, count in enumerate(counts)}}
        for port, counts in bench.marks.items()
    }
    return json.dumps({"intfQueueCounters": rows})


def eos_system(bench: Bench) -> str:
    return json.dumps({"modelName": "box", "version": bench.version, "uptime": 1000.5})


WRITERS: dict[str, dict[str, Callable[[Bench], str]]] = {
    "sonic": {
        "sessions": frr_sessions,
        "bfd": frr_bfd,
        "routes": frr_routes,
        "lldp": lldp_neighbors,
        "ports": sonic_ports,
        "errors": sonic_errors,
        "fec": sonic_fec,
        "optics": sonic_optics,
        "queues": sonic_queues,
        "pfc": sonic_pfc,
        "watchdog": sonic_watchdog,
        "ecn": sonic_ecn,
        "system": sonic_system,
    },
    "frr": {
        "sessions": frr_sessions,
        "bfd": frr_bfd,
        "routes": kernel_routes,
        "lldp": lldp_neighbors,
        "ports": linux_ports,
        "errors": linux_errors,
    },
    "cumulus_nvue": {
        "sessions": frr_sessions,
        "bfd": frr_bfd,
        "routes": frr_routes,
        "lldp": lldp_neighbors,
        "ports": linux_ports,
        "errors": linux_errors,
    },
    "eos": {
        "sessions": eos_sessions,
        "bfd": eos_bfd,
        "routes": eos_routes,
        "lldp": eos_neighbors,
        "ports": eos_ports,
        "errors": eos_errors,
        "queues": eos_queues,
        "pfc": eos_pfc,
        "ecn": eos_ecn,
        "system": eos_system,
    },
}
"""Writers by platform and state reading."""
