"""Ranges of the numbers that EOS takes, where its command line, its maker or a standard states them.

Source:
    aristanetworks/avd, pull request 3164 (``mtu ?``, ``l2 mtu ?`` and ``l2 mru ?`` as a switch answers them) and the
    schemas arp, mac_address_table and router_bfd of eos_cli_config_gen; IEEE 802.1Q (VLANs, priorities); RFC 2474
    (DSCP); RFC 4271 (timers, local preference); RFC 9293 and RFC 768 (ports).
"""

from __future__ import annotations

import re

from fabricgen.platforms.commands.values import Bound

_RANGES = (
    (r"^mtu (\d+)", 68, 65535, "an MTU"),
    (r"^l2 mtu (\d+)", 64, 65535, "an L2 MTU"),
    (r"^l2 mru (\d+)", 68, 65535, "an L2 MRU"),
    (r"^switchport access vlan (\d+)", 1, 4094, "a VLAN"),
    (r"^switchport trunk native vlan (\d+)", 1, 4094, "a VLAN"),
    (r"^interface Vlan(\d+)$", 1, 4094, "a VLAN"),
    (r"^qos map dscp (\d+)", 0, 63, "a DSCP"),
    (r"^qos (?:rewrite )?dscp (\d+)$", 0, 63, "a DSCP"),
    (r"^qos map .* to traffic-class (\d+)", 0, 7, "a traffic class"),
    (r"^qos map traffic-class (\d+)", 0, 7, "a traffic class"),
    (r"^qos cos (\d+)$", 0, 7, "a class of service"),
    (r"\bpriority-flow-control priority (\d+)", 0, 7, "a priority"),
    (r"\bbandwidth percent (\d+)", 1, 100, "a share in percent"),
    (r"\bmax-mark-probability (\d+)", 1, 100, "a probability in percent"),
    (r"\bmultiplier (\d+)", 3, 50, "a BFD multiplier"),
    (r"^arp aging timeout default (\d+)", 60, 65535, "an ARP timeout in seconds"),
    (r"^mac address-table aging-time (\d+)", 0, 1_000_000, "an aging time in seconds"),
    (r"^timers bgp (\d+)", 0, 65535, "a keepalive time in seconds"),
    (r"^timers bgp \d+ (\d+)", 0, 65535, "a hold time in seconds"),
    (r"^neighbor \S+ timers (\d+)", 0, 65535, "a keepalive time in seconds"),
    (r"^neighbor \S+ timers \d+ (\d+)", 0, 65535, "a hold time in seconds"),
    (r"^set local-preference (\d+)", 0, 4_294_967_295, "a local preference"),
    (r"^sflow (?:vrf \S+ )?destination \S+ (\d+)", 1, 65535, "a port"),
    (r"^logging (?:vrf \S+ )?host \S+ (\d+)", 1, 65535, "a port"),
)
BOUNDS = tuple(
    Bound(re.compile(pattern), f"({low}-{high})", f"use {what} from {low} to {high}")
    for pattern, low, high, what in _RANGES
)
"""A number on a line, its range and a hint."""
