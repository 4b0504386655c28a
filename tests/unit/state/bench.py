"""State of healthy devices, from the tables that ``show`` prints; ``answers`` writes it in each platform's own form.

The expectations under test are not looked at: links come from ``show links``, sessions from the rendered neighbors of
the plan's addresses, widths from counting links.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fabricgen.device.lower import Lowering
from fabricgen.device.model import Port, Switch
from fabricgen.plan.model.fabric import FabricPlan


@dataclass
class Bench:
    """State of one healthy switch, which a test spoils before it is written down; most fields are by port.

    ``sessions`` are by neighbor: AS number, state, prefixes accepted; ``routes`` by prefix: ports of the next hops;
    ``ports``: up, speed in Gb/s, FEC, MTU; ``pauses``: PFC frames by priority, received and sent; ``watchdogs``: state
    of priority 3, storms detected and restored; ``cnps``: marked packets received, CNPs sent, acted on, ignored;
    ``shown`` is by state reading of a host's files, ``saved`` by path of an output, None where there is no file.
    """

    name: str
    asn: int
    sessions: dict[str, tuple[int, str, int]] = field(default_factory=dict)
    bfd: dict[str, str] = field(default_factory=dict)
    neighbors: dict[str, tuple[str, str]] = field(default_factory=dict)
    behind: dict[str, str] = field(default_factory=dict)
    routes: dict[str, list[str]] = field(default_factory=dict)
    ports: dict[str, list[Any]] = field(default_factory=dict)
    pauses: dict[str, list[int]] = field(default_factory=dict)
    watchdogs: dict[str, list[Any]] = field(default_factory=dict)
    errors: dict[str, int] = field(default_factory=dict)
    drops: dict[str, list[int]] = field(default_factory=dict)
    marks: dict[str, list[int]] = field(default_factory=dict)
    uncorrected: dict[str, int] = field(default_factory=dict)
    optics: dict[str, dict[str, Any]] = field(default_factory=dict)
    cnps: dict[str, list[int]] = field(default_factory=dict)
    contract: dict[str, dict[str, Any]] = field(default_factory=dict)
    rdma: dict[str, str] = field(default_factory=dict)
    shown: dict[str, str] = field(default_factory=dict)
    saved: dict[str, str | None] = field(default_factory=dict)
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
        bench.behind[name] = neighbor
        each = len(_prefixes(leafs[0]))
        # A spine accepts each leaf's own prefixes; a leaf those of all other leafs and the spine's loopback.
        count = each if own.cls.role != "leaf" else each * (len(leafs) - 1) + 1
        bench.sessions[neighbor] = (port.peer_asn, "Established", count)
        bench.bfd[neighbor] = "up"
