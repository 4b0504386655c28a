"""State of a Linux switch with FRRouting: vtysh, the kernel, lldpd."""

from __future__ import annotations

import re

from fabricgen.platforms.observations import ethtool, linux, lldpcli, vtysh
from fabricgen.platforms.observations.content import MisreadError, decode_text
from fabricgen.platforms.observations.records import Observation, Readers, System

_VERSION = re.compile(r"FRRouting (\S+)")


def read_system(data: bytes) -> list[Observation]:
    """Return the version of ``vtysh -c 'show version'``."""
    match = _VERSION.search(decode_text(data))
    if match is None:
        raise MisreadError("it names no version of FRRouting")
    return [System(match[1])]


READERS: Readers = {
    "sessions": vtysh.read_sessions,
    "bfd": vtysh.read_bfd,
    "routes": linux.read_routes,
    "routes6": linux.read_routes,
    "lldp": lldpcli.read_neighbors,
    "ports": linux.read_ports,
    "errors": linux.read_errors,
    "fec": ethtool.read_fec,
    "fec_modes": ethtool.read_fec_modes,
    "optics": ethtool.read_optics,
    "system": read_system,
}
"""Readers by state reading."""
