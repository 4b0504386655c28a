"""The routing suite that the lab runs: its programs, files and user.

This is the one module that names it; a switch platform may have the same name without being meant here.
"""

from __future__ import annotations

from pathlib import Path

SUITE = "frr"
"""Name of the suite: of its user, its group, its package and its folders."""

PROGRAMS = Path("/usr/lib") / SUITE
"""Folder of the daemons."""

MANAGER = "mgmtd"
"""The daemon that newer releases configure the others through."""

SHELL = "/usr/bin/vtysh"
"""The shell that talks to all daemons of a device."""

CONFIG_NAME = f"{SUITE}.conf"
"""Name of the one file that configures all daemons of a device."""

CONFIG_PATH = f"etc/{SUITE}/{CONFIG_NAME}"
"""Path of that file on a plain Linux switch."""

PACKAGES = f"{SUITE} iproute2 lldpd nftables"
"""Packages that have to be installed, by Debian's names."""

IMAGE = "quay.io/frrouting/frr:8.4.1"
"""Container image of the suite, as the examples of containerlab have it."""
