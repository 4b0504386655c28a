"""State of a Cumulus switch, whose routing is FRRouting and whose kernel knows its ports; or as NVUE's REST API has it.

Marks and drops of queues, and the watchdog, are not read: only NVUE shows them (``nv show interface PORT counters qos
egress-queue-stats -o json``: ``ecn-marked-frames``, ``tx-uc-buffer-discards`` by traffic class), a command takes about
a second for each port, and no public source has one that answers for all ports.

Source:
    CumulusNetworks/docs, Monitoring Interfaces and Transceivers with ethtool, and Network Troubleshooting: statistics
    HwIfInPfc0Pkt and HwIfOutPfc0Pkt; napalm-automation-community/napalm-cumulus, get_facts: build of the system.
    NVIDIA nv-config-manager, temporal/client/device/cumulus.py: release of 5.11 and 5.14, uptime in seconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from fabricgen.platforms.cumulus_nvue import answers
from fabricgen.platforms.observations import ethtool, linux, lldpcli, vtysh
from fabricgen.platforms.observations.content import MisreadError, as_text, read_document, read_map, refuse_nothing
from fabricgen.platforms.observations.records import (
    PFC_RECEIVED,
    PFC_SENT,
    Counter,
    Observation,
    Reader,
    Readers,
    System,
)

_PAUSE = re.compile(r"HwIf(In|Out)Pfc([0-7])Pkt")


def read_pfc(data: bytes) -> list[Observation]:
    """Return the PFC frames of each port by priority of ``ethtool -S``."""
    ports = ethtool.read_statistics(data)
    found: list[Observation] = [
        Counter(port, PFC_RECEIVED if match[1] == "In" else PFC_SENT, value, int(match[2]))
        for port, values in ports
        for name, value in values.items()
        if (match := _PAUSE.fullmatch(name))
    ]
    foreign = any(values for _, values in ports)
    refuse_nothing(found, "count of PFC frames", "" if foreign else "no port counts PFC frames")
    return found


def read_system(data: bytes) -> list[Observation]:
    """Return version and uptime of ``nv show system -o json``; since 5.14 the release stands below ``version``."""
    facts = read_map(data)
    release = facts.get("version")
    inner = release.get("product-release") if isinstance(release, dict) else None
    version = facts.get("build", facts.get("product-release", inner))
    if version is None:
        raise MisreadError("it has neither build nor product-release")
    uptime = facts.get("uptime")
    seconds = float(uptime) if isinstance(uptime, int) and not isinstance(uptime, bool) else None
    return [System(as_text(version, "build"), seconds)]


def _either(over_ssh: Reader, by_nvue: Reader, is_nvue: Callable[[Any], bool]) -> Reader:
    """Return the reader of answers that come by SSH or by NVUE's REST API.

    Args:
        over_ssh: Reads what a program of the switch answers.
        by_nvue: Reads objects of NVUE.
        is_nvue: Distinguishes JSON documents.
    """

    def read(data: bytes) -> list[Observation]:
        try:
            document = read_document(data)
        except MisreadError:
            return over_ssh(data)
        return (by_nvue if isinstance(document, dict) and is_nvue(document) else over_ssh)(data)

    return read


READERS: Readers = {
    "sessions": _either(vtysh.read_sessions, answers.read_sessions, answers.has_neighbors),
    "bfd": vtysh.read_bfd,
    "routes": vtysh.read_routes,
    "routes6": vtysh.read_routes,
    "lldp": _either(lldpcli.read_neighbors, answers.read_neighbors, lambda document: "lldp" not in document),
    "ports": _either(linux.read_ports, answers.read_ports, bool),
    "errors": _either(linux.read_errors, answers.read_errors, bool),
    "fec": ethtool.read_fec,
    "fec_modes": ethtool.read_fec_modes,
    "optics": ethtool.read_optics,
    "pfc": read_pfc,
    "system": read_system,
}
"""Readers by state reading."""
