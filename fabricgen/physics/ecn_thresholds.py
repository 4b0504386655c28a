"""Marking thresholds where no vendor publishes a profile for the SKU."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import NamedTuple

from fabricgen.catalog.records import EcnProfile
from fabricgen.physics.ecn import ecn_bound_bytes
from fabricgen.physics.refusal import Refusal


class Marking(NamedTuple):
    """RED marking of a queue: from Kmin with rising probability up to Pmax at Kmax, above it every packet."""

    kmin_bytes: int
    kmax_bytes: int
    pmax_pct: int


class MarkingShape(NamedTuple):
    """What of a marking profile does not depend on the size of the buffer."""

    kmin_of_kmax: Fraction
    pmax_pct: int


SONIC_SHAPE = MarkingShape(Fraction(1, 2), 5)
"""Kmin half of Kmax, 5 percent.

Source:
    sonic-net/sonic-buildimage 086b03bd: files/build_templates/qos_config.j2 (1,048,576 / 2,097,152 / 5) and the Arista
    7060X6 O128 SKUs (131,072 / 262,144 / 5); Bai et al., NSDI 2023 use the same (1 MB / 2 MB / 5).
"""

LEAST_KMIN_PACKETS = 2
"""One packet being sent and one that arrived behind it are no congestion."""


def shape_of(profile: EcnProfile) -> MarkingShape:
    """The shape of a named profile, so that computed thresholds follow the one the vendor chose."""
    return MarkingShape(Fraction(profile.kmin_bytes, profile.kmax_bytes), profile.pmax_pct)


def computed_thresholds(
    alpha: float,
    shared_bytes: int,
    ports: int,
    lossless: int,
    cell_bytes: int,
    mtu_bytes: int,
    shape: MarkingShape = SONIC_SHAPE,
) -> Marking | Refusal:
    """Marking that is complete before PFC can pause, whatever ports are congested.

    Kmax is put on the bound, not Kmin: only above Kmax is every packet marked, so only then has every sender been told
    when the first pause frame leaves. It is not put lower, because early marking costs throughput: Meta's fabric ran
    worse with strict ECN than without (Gangidi et al., SIGCOMM 2024). Both thresholds are whole cells, rounded down.

    Args:
        alpha: Dynamic threshold of a lossless priority group, 2 ** ``dynamic_th``.
        shared_bytes: Shared pool without headroom, bytes.
        ports: Ports that may be congested at once, above 0.
        lossless: Lossless priorities per port.
        cell_bytes: Unit in which the ASIC counts queue lengths.
        mtu_bytes: Largest packet of the class.
        shape: Ratio of the thresholds and Pmax; that of the SKU's named profile if it has one, see `shape_of`.

    Returns:
        Thresholds with two packets <= Kmin, one packet <= Kmax - Kmin, Kmax < bound. Or the refusal FG-QOS-031 where
        the bound leaves less than three packets, as DCQCN's own example with fixed PFC thresholds does.

    Source:
        Zhu et al., SIGCOMM 2015, section 4 (bound, and that less than one MTU is infeasible); ratio: ``shape``.
    """
    bound = ecn_bound_bytes(alpha, shared_bytes, ports, lossless)
    packet_cells = ceil(mtu_bytes / cell_bytes)
    kmax_cells = (bound - 1) // cell_bytes
    least_cells = (LEAST_KMIN_PACKETS + 1) * packet_cells
    if kmax_cells < least_cells:
        return Refusal("FG-QOS-031", {"bound_bytes": bound, "least_bytes": least_cells * cell_bytes})
    wanted_cells = max(int(kmax_cells * shape.kmin_of_kmax), LEAST_KMIN_PACKETS * packet_cells)
    kmin_cells = min(wanted_cells, kmax_cells - packet_cells)
    return Marking(kmin_cells * cell_bytes, kmax_cells * cell_bytes, shape.pmax_pct)


def hpcc_thresholds(speed_gbps: int) -> Marking:
    """Marking scaled with the port speed alone, as the public HPCC simulator does.

    It knows no buffer: hold it against `ecn_bound_bytes` before use.

    Source:
        alibaba-edu/High-Precision-Congestion-Control: Kmin 100 KB and Kmax 400 KB per 25 Gb/s, Pmax 0.2.
    """
    return Marking(100_000 * speed_gbps // 25, 400_000 * speed_gbps // 25, 20)
