"""State of a Cumulus switch, whose routing is FRRouting and whose kernel knows its ports.

What only NVUE shows of each port by itself (marks, drops of queues, the watchdog) is not read: a command of NVUE takes
about a second for each port, and no public source has one that answers for all ports.

Source:
    CumulusNetworks/docs, Monitoring Interfaces and Transceivers with ethtool, and Network Troubleshooting: statistics
    HwIfInPfc0Pkt and HwIfOutPfc0Pkt; napalm-automation-community/napalm-cumulus, get_facts: build of the system.
"""

from __future__ import annotations

import re

from fabricgen.platforms.observations import ethtool, linux, lldpcli, vtysh
from fabricgen.platforms.observations.content import LackingError, MisreadError, as_map, as_text, read_document
from fabricgen.platforms.observations.records import (
    PFC_RECEIVED,
    PFC_SENT,
    Counter,
    Observation,
    Readers,
    System,
)

_PAUSE = re.compile(r"HwIf(In|Out)Pfc([0-7])Pkt")


def read_pfc(data: bytes) -> list[Observation]:
    """Return the PFC frames of each port by priority of ``ethtool -S``."""
    found: list[Observation] = [
        Counter(port, PFC_RECEIVED if match[1] == "In" else PFC_SENT, value, int(match[2]))
        for port, values in ethtool.read_statistics(data)
        for name, value in values.items()
        if (match := _PAUSE.fullmatch(name))
    ]
    if not found:
        raise LackingError("no port counts PFC frames")
    return found


def read_system(data: bytes) -> list[Observation]:
    """Return the version of ``nv show system -o json``."""
    facts = as_map(read_document(data), "the answer")
    version = facts.get("build", facts.get("product-release"))
    if version is None:
        raise MisreadError("it has neither build nor product-release")
    return [System(as_text(version, "build"))]


READERS: Readers = {
    "sessions": vtysh.read_sessions,
    "bfd": vtysh.read_bfd,
    "routes": vtysh.read_routes,
    "routes6": vtysh.read_routes,
    "lldp": lldpcli.read_neighbors,
    "ports": linux.read_ports,
    "errors": linux.read_errors,
    "fec": ethtool.read_fec,
    "fec_modes": ethtool.read_fec_modes,
    "optics": ethtool.read_optics,
    "pfc": read_pfc,
    "system": read_system,
}
"""Readers by state reading."""
