"""BGP policy figures of each tier: timers, ECMP width, prefix limit, hashing."""

from __future__ import annotations

from typing import NamedTuple

from fabricgen.intent.network import Routing
from fabricgen.intent.topology import TierEcmp
from fabricgen.physics.ecmp import roce_dest_qp_field
from fabricgen.plan.model.contract import RoutingPolicy, Udf

KEEPALIVE_S, HOLD_S, CONNECT_S = 3, 9, 10
"""FRR's datacenter profile (bgpd/bgp_vty.c): keepalive 3, hold 9, connect 10."""
HOST_ASN = 4_294_967_294
"""AS number of every host that speaks BGP: the last private one (RFC 6996), which no switch is given."""
BFD_MULTIPLIER, BFD_INTERVAL_MS = 3, 300
"""FRR's and SONiC's BFD defaults: 300 ms, three times."""


class LinkSupport(NamedTuple):
    """Support of a feature by the platforms at both ends of the links above and below a tier."""

    upper: bool
    lower: bool


class BothEnds(NamedTuple):
    """Features that the sessions above and below a tier use only if both ends support them: one end alone fails."""

    bfd: LinkSupport
    gtsm: LinkSupport
    md5: LinkSupport


def build_routing(
    routing: Routing, own: TierEcmp | None, tier: int, sides: BothEnds, width: int, prefixes: int, asic_vendor: str
) -> RoutingPolicy:
    """Routing policy of one tier.

    Args:
        routing: The fabric's routing intent.
        own: What the tier has different.
        tier: Number of the tier from the leaf up.
        sides: What both ends of the tier's links can.
        width: Equal-cost next hops at the reserved maximum.
        prefixes: Prefixes in the whole fabric at the reserved maximum.
        asic_vendor: Maker of the tier's ASIC.
    """
    ecmp, key = routing.ecmp.with_own(own), routing.security.key.token if routing.security.key else ""
    return RoutingPolicy(
        bfd_upper=sides.bfd.upper and routing.bfd != "off",
        bfd_lower=sides.bfd.lower and routing.bfd != "off",
        bfd_multiplier=BFD_MULTIPLIER,
        bfd_interval_ms=BFD_INTERVAL_MS,
        keepalive_s=KEEPALIVE_S,
        hold_s=HOLD_S,
        connect_s=CONNECT_S,
        max_paths=width if ecmp.max_paths == "auto" else ecmp.max_paths,
        max_prefixes=prefixes,
        hash_fields=tuple(ecmp.hash),
        hash_rank=tier if ecmp.decorrelate == "auto" else 0,
        load_balancing=ecmp.load_balancing,
        resilient=ecmp.resilient,
        flowlet_gap_us=0 if ecmp.flowlet_gap_us == "auto" else ecmp.flowlet_gap_us,
        gtsm_upper=sides.gtsm.upper and routing.security.ttl != "off",
        gtsm_lower=sides.gtsm.lower and routing.security.ttl != "off",
        key_upper=key if sides.md5.upper else "",
        key_lower=key if sides.md5.lower else "",
        udf=Udf(*roce_dest_qp_field(asic_vendor)),
    )
