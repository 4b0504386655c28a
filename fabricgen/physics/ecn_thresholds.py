"""Marking thresholds between the burst that is normal and the fill at which PFC pauses: senders slow down first."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import NamedTuple

from fabricgen.catalog.records import EcnProfile
from fabricgen.physics import Refusal
from fabricgen.physics.capacity import PATH_MTUS_BYTES
from fabricgen.physics.memory import pause_bytes

BY_BOUND, BY_MAKER, BY_ROUND_TRIP, BY_PACKETS = "PFC bound", "maker's profile", "rate x RTT", "16 packets"
"""Rules that can decide a computed Kmin."""


class Marking(NamedTuple):
    """RED marking of a queue: from Kmin with rising probability up to Pmax at Kmax, above it every packet."""

    kmin_bytes: int
    kmax_bytes: int
    pmax_pct: int


class MarkingShape(NamedTuple):
    """Properties of a marking profile that do not depend on the size of the buffer."""

    kmin_of_kmax: Fraction
    pmax_pct: int


SONIC_SHAPE = MarkingShape(Fraction(1, 2), 5)
"""Kmin half of Kmax, 5 percent.

Source:
    sonic-net/sonic-buildimage 086b03bd: files/build_templates/qos_config.j2 (1,048,576 / 2,097,152 / 5) and the Arista
    7060X6 O128 SKUs (131,072 / 262,144 / 5); Bai et al., NSDI 2023 use the same (1 MB / 2 MB / 5).
"""

LEAST_KMIN_PACKETS = 16
"""Below this a queue of ordinary bursts is marked all the time; a judgement, like ``KMAX_OF_KMIN``."""

KMAX_OF_KMIN = 4
"""The largest Kmax over Kmin: what is longer and flatter leaves nothing of the signal.

Source:
    alibaba-edu/High-Precision-Congestion-Control: Kmax is four times Kmin at every speed.
"""

ROCE_IN_MTU_BYTES = 64
ROCE_FRAME_BYTES = 82
"""Headers of a RoCE data packet below IP's MTU (IPv6 40, UDP 8, BTH 12, ICRC 4), and with Ethernet's
header, VLAN tag and FCS.

Source:
    InfiniBand Architecture Specification volume 1, annex A17 (RoCEv2).
"""


def shape_of(profile: EcnProfile) -> MarkingShape:
    """Return the shape of a profile, so that computed thresholds follow the one the maker chose."""
    return MarkingShape(Fraction(profile.kmin_bytes, profile.kmax_bytes), profile.pmax_pct)


def roce_packet_bytes(mtu_bytes: int) -> int:
    """Return the length of the largest RoCE data packet on links of an MTU, with Ethernet's header and FCS."""
    payload = next((size for size in PATH_MTUS_BYTES if size + ROCE_IN_MTU_BYTES <= mtu_bytes), PATH_MTUS_BYTES[-1])
    return payload + ROCE_FRAME_BYTES


class PauseLimits(NamedTuple):
    """Levels at which PFC may pause a priority group: with every port congested, and alone with packets."""

    bound_bytes: int
    alone_bytes: int


class Aim(NamedTuple):
    """Target of Kmin if PFC leaves room: bytes, the rule they come from, ratio to Kmax and Pmax."""

    kmin_bytes: int
    rule: str
    shape: MarkingShape


class Computed(NamedTuple):
    """Computed thresholds, and the rule that decided Kmin."""

    marking: Marking
    rule: str


def aim_of(profile: EcnProfile | None, speed_gbps: int, rtt_us: float) -> Aim:
    """Return the Kmin of a profile that the maker publishes, else one bandwidth-delay product of the port.

    Source:
        DCQCN reacts after one round trip; a queue below what arrives meanwhile is an ordinary burst. Zhu et al.,
        SIGCOMM 2015, section 3; alibaba-edu/High-Precision-Congestion-Control, thresholds by rate.
    """
    if profile is not None:
        return Aim(profile.kmin_bytes, BY_MAKER, shape_of(profile))
    return Aim(int(speed_gbps * 1000 * rtt_us / 8), BY_ROUND_TRIP, SONIC_SHAPE)


def computed_thresholds(aim: Aim, limits: PauseLimits, cell_bytes: int, mtu_bytes: int) -> Computed | Refusal:
    """Compute marking that starts above an ordinary burst and before PFC can pause, whatever ports are congested.

    Kmin is what ``aim`` says, but below the bound and never below 16 packets. Kmax keeps the ratio of ``aim``, at most
    four times Kmin and below the fill at which PFC pauses even a queue that is alone. Thresholds that are not the
    maker's are whole cells, rounded down.

    Returns:
        Thresholds with 16 packets <= Kmin < bound, one packet <= Kmax - Kmin, Kmax <= 4 Kmin, Kmax < alone. Or the
        refusal FG-QOS-031 where the bound leaves less than 16 packets.

    Source:
        Bound: Zhu et al., SIGCOMM 2015, section 4; that the bound is no setpoint: Gangidi et al., SIGCOMM 2024, whose
        fabric ran worse with strict ECN than without.
    """
    packet = ceil(roce_packet_bytes(mtu_bytes) / cell_bytes) * cell_bytes
    least = LEAST_KMIN_PACKETS * packet
    last_kmax = _whole_cells(limits.alone_bytes - 1, cell_bytes)
    highest = min(_whole_cells(limits.bound_bytes - 1, cell_bytes), last_kmax - packet)
    if highest < least:
        return Refusal("FG-QOS-031", {"bound_bytes": limits.bound_bytes, "least_bytes": least, "packet_bytes": packet})
    kmin, rule = aim.kmin_bytes, aim.rule
    if kmin > highest:
        kmin, rule = highest, BY_BOUND
    elif kmin < least:
        kmin, rule = least, BY_PACKETS
    elif rule != BY_MAKER:
        kmin = max(least, _whole_cells(kmin, cell_bytes))
    ratio = min(Fraction(KMAX_OF_KMIN), 1 / aim.shape.kmin_of_kmax)
    wanted = int(kmin * ratio) if rule == BY_MAKER else _whole_cells(int(kmin * ratio), cell_bytes)
    kmax = min(max(wanted, kmin + packet), last_kmax)
    return Computed(Marking(kmin, kmax, aim.shape.pmax_pct), rule)


def _whole_cells(size: int, cell_bytes: int) -> int:
    return size // cell_bytes * cell_bytes


def ecn_bound_bytes(alpha: float, shared_bytes: int, ports: int, lossless_priorities: int) -> int:
    """Largest marking threshold that still marks before PFC pauses, with all n ports of a memory congested.

    It is ``alpha * B / (n * (1 + alpha * p))`` in bytes, rounded down: what each of the p priority groups of one port
    that fill alike holds when they are paused, spread over n queues; B is what the queues of the memory share. What a
    group has for itself is left out. A worst case: more than this is a warning, not an error.

    Source:
        Zhu et al., Congestion Control for Large-Scale RDMA Deployments (SIGCOMM 2015), section 4, generalised to
        n ports and p priorities.
    """
    return pause_bytes(alpha, shared_bytes, groups=lossless_priorities) // ports
