"""Load balancing of EOS beside the hash: by load, and resilient where a next hop is lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fabricgen.device.model import SwitchClass

TABLE_MAX = 2047
"""Entries of a resilient table on 7280 and 7800: capacity times redundancy.

Source:
    Arista TOI 13938, Resilient ECMP, limitations, as dantte-lp/pulumi-eos quotes them.
"""
COPIES = 8
"""Entries of a next hop while none is lost: the share of a lost one is split to an eighth.

Source:
    Arista EOS User Manual, IPv4, Resilient ECMP: the command and its arithmetic; the number is ours.
"""


@dataclass(frozen=True, slots=True)
class Resilience:
    """A fixed table of next hops for all routes of a pool; ``word`` is ``ip`` or ``ipv6``."""

    word: Annotated[str, "SwitchClass.ipv4", "SwitchClass.ipv6"]
    prefix: Annotated[str, "FabricPrefixes.host_links", "FabricPrefixes.host_links6"]
    capacity: Annotated[int, "RoutingPolicy.max_paths"]
    redundancy: Annotated[int, "RoutingPolicy.resilient", "RoutingPolicy.max_paths"]


def build_resilience(cls: SwitchClass) -> tuple[Resilience, ...]:
    """Tables of the pools that hosts have addresses of, one in each family; none without resilient hashing."""
    width = cls.routing.max_paths
    pools = (("ip", cls.prefixes.host_links), ("ipv6", cls.prefixes.host_links6))
    if not cls.routing.resilient:
        return ()
    copies = max(1, min(COPIES, TABLE_MAX // width))
    return tuple(Resilience(word, pool, width, copies) for word, pool in pools if pool)
