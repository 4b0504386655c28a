"""Texts of LLDP as devices print them, from a list of cables; the expectations under test are not looked at.

Each form is that of a public sample: SONiC's of the tests of sonic-utilities (tests/lldp_test.py), lldpctl's of lldpd
(tests/integration/test_lldpcli.py) and of Cumulus Linux's guide, EOS's of networktocode/ntc-templates
(tests/arista_eos/show_lldp_neighbors).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from fabricgen.device.lower import Lowering
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.tables.tables import list_links


class End(NamedTuple):
    """A port of a device."""

    device: str
    port: str


Cables = dict[End, End]
"""Cables of a fabric, each under both of its ends."""


def cables_of(plan: FabricPlan) -> Cables:
    """Return the planned cables, as ``show links`` has them."""
    found: Cables = {}
    for row in list_links(plan):
        connect(found, End(str(row["a"]), str(row["a_port"])), End(str(row["b"]), str(row["b_port"])))
    return found


def connect(cables: Cables, one: End, other: End) -> None:
    """Put a cable into two ports."""
    cables[one], cables[other] = other, one


def unplug(cables: Cables, end: End) -> End:
    """Take the cable out of a port, and return the port at its other end."""
    other = cables.pop(end)
    del cables[other]
    return other


def swap(cables: Cables, one: End, other: End) -> None:
    """Exchange the cables of two ports."""
    far, near = unplug(cables, one), unplug(cables, other)
    connect(cables, one, near)
    connect(cables, other, far)


def aliases_of(plan: FabricPlan) -> dict[End, str]:
    """Return what SONiC sends as the name of its ports."""
    lowering = Lowering(plan)
    switches = [lowering.lower_switch(device) for device in plan.switches() if plan.tier_of(device).platform == "sonic"]
    shapes = [(switch.hostname, shape) for switch in switches for shape in switch.cls.ports if shape.alias]
    return {End(name, shape.name): shape.alias for name, shape in shapes}


class Heard(NamedTuple):
    """Neighbor of a port: its device, and its name for the port at its end."""

    port: str
    device: str
    peer_port: str


def hear(cables: Cables, aliases: Mapping[End, str]) -> dict[str, list[Heard]]:
    """Return the neighbors of each device."""
    found: dict[str, list[Heard]] = {}
    for own, other in cables.items():
        found.setdefault(own.device, []).append(Heard(own.port, other.device, aliases.get(other, other.port)))
    return found


def sonic_table(heard: Iterable[Heard]) -> str:
    """Return ``show lldp table``, with a neighbor of the management port."""
    heads = ("LocalPort", "RemoteDevice", "RemotePortID", "Capability", "RemotePortDescr")
    rows = [(each.port, each.device, each.peer_port, "BR", f"to {each.port}") for each in heard]
    rows.append(("eth0", "oob-switch", "0c:69:cf:50:00:00", "BR", ""))
    widths = [max(len(row[column]) for row in (heads, *rows)) for column in range(5)]
    lines = [heads, ["-" * width for width in widths], *rows]
    text = "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)
    head = "Capability codes: (R) Router, (B) Bridge, (O) Other"
    return f"{head}\n{text}\n{'-' * 50}\nTotal entries displayed:  {len(rows)}\n"


_RULE = "-" * 79


def lldpctl(heard: Iterable[Heard]) -> str:
    """Return the text of ``lldpctl``."""
    return "\n".join([_RULE, "LLDP neighbors:", _RULE, *(line for each in heard for line in _entry(each))]) + "\n"


def _entry(each: Heard) -> Iterator[str]:
    yield f"Interface:    {each.port}, via: LLDP, RID: 3, Time: 1 day, 03:07:48"
    yield "  Chassis:     "
    yield "    ChassisID:    mac 00:01:00:00:09:00"
    yield f"    SysName:      {each.device}.example.net"
    yield "    SysDescr:     Linux"
    yield "    Capability:   Router, on"
    yield "  Port:        "
    yield f"    PortID:       ifname {each.peer_port}"
    yield "    PortDescr:    a cable, PortID: none"
    yield "    TTL:          120"
    yield _RULE


def lldpcli_json(heard: Iterable[Heard]) -> str:
    """Return ``lldpctl -f json``."""
    rows = [
        {
            each.port: {
                "via": "LLDP",
                "rid": "1",
                "age": "0 day, 00:00:10",
                "chassis": {each.device: {"id": {"type": "mac", "value": "00:01:00:00:09:00"}, "descr": "Linux"}},
                "port": {"id": {"type": "ifname", "value": each.peer_port}, "descr": "a cable", "ttl": "120"},
            }
        }
        for each in heard
    ]
    return json.dumps({"lldp": {"interface": rows[0] if len(rows) == 1 else rows}})


def eos_table(heard: Iterable[Heard]) -> str:
    """Return ``show lldp neighbors``, with its prompt and a neighbor of the management port."""
    lines = [
        "leaf#show lldp neighbors",
        "Last table change time   : 5 days, 8:24:38 ago",
        "Number of table inserts  : 9",
        "",
        "Port          Neighbor Device ID       Neighbor Port ID    TTL",
        "---------- ------------------------ ---------------------- ---",
        *(f"{each.port.replace('Ethernet', 'Et'):13} {each.device:24} {each.peer_port:19} 120" for each in heard),
        "Ma1           oob-switch               12                  120",
        "",
        "leaf#",
    ]
    return "\n".join(lines) + "\n"


TEXTS: dict[str, Callable[[Iterable[Heard]], str]] = {
    "sonic": sonic_table,
    "cumulus_nvue": lldpctl,
    "frr": lldpcli_json,
    "eos": eos_table,
    "ubuntu": lldpctl,
}
"""A form of each platform."""
