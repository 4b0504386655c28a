"""State of a Cumulus switch, whose routing is FRRouting and whose kernel knows its ports.

What NVUE alone shows (PFC, ECN, the watchdog) is not read: no public source has the keys of its JSON.
"""

from __future__ import annotations

from fabricgen.platforms.observations import linux, lldpcli, vtysh
from fabricgen.platforms.observations.records import Readers

READERS: Readers = {
    "sessions": vtysh.read_sessions,
    "bfd": vtysh.read_bfd,
    "routes": vtysh.read_routes,
    "routes6": vtysh.read_routes,
    "lldp": lldpcli.read_neighbors,
    "ports": linux.read_ports,
    "errors": linux.read_errors,
}
"""Readers by state reading."""
