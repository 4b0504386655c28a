"""State of a host: the kernel's routes and links, and its LLDP neighbors."""

from __future__ import annotations

from fabricgen.platforms.observations import ethtool, files, linux, lldpcli
from fabricgen.platforms.observations.records import Readers

READERS: Readers = {
    "routes": linux.read_routes,
    "routes6": linux.read_routes,
    "lldp": lldpcli.read_neighbors,
    "ports": linux.read_ports,
    "errors": linux.read_errors,
    "fec": ethtool.read_fec,
    "optics": ethtool.read_optics,
    "sysctl": files.read_sysctl,
    "netplan": files.read_netplan,
}
"""Readers by state reading."""
