"""Pools of a fabric as prefixes, which its switches and the hosts that speak BGP have alike."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class FabricPrefixes:
    """Address pools that routing policy names, as text, with the prefix lengths that may appear inside.

    What ends in ``6`` is of IPv6; a pool is empty where the fabric has not the family.

    Attributes:
        host_len: Length of routes to single hosts; 0 where no host has one.
        fabric_links: Links between switches; empty where these are unnumbered.
    """

    loopbacks: str
    loopback_len: int
    host_links: str
    host_block_len: int
    loopbacks6: str = ""
    loopback_len6: int = 128
    host_links6: str = ""
    host_block_len6: int = 128
    host_len: int = 0
    host_len6: int = 0
    fabric_links: str = ""
    fabric_links6: str = ""
