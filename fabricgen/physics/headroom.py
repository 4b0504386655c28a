"""PFC headroom: what a lossless priority group must take after XOFF, and what it finds in the pool of a memory.

Of the plausibility of a figure nothing is ever configured: the headroom of a device is its vendor's table.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor
from typing import NamedTuple

from fabricgen.catalog.records import Asic, HeadroomRow, HeadroomTable
from fabricgen.physics import Refusal
from fabricgen.physics.pause import response_bytes


def headroom_row(tables: Sequence[HeadroomTable], sku: str, speed_gbps: int, cable_m: float) -> HeadroomRow | Refusal:
    """The row of a vendor's headroom tables that covers a cable: the shortest listed length not below the cable's.

    A table belongs to port profiles (HwSKUs), never to the ASIC. The refusal is FG-BUF-011 where the SKU has no row of
    that speed, or FG-BUF-013 where the cable is longer than the last row: never extrapolated.

    Source:
        sonic-net/sonic-buildimage, ``pg_profile_lookup.ini`` of the SKU; buffermgrd looks up (speed, cable)
        exactly and leaves the port without a lossless priority group where no row matches.
    """
    rows = [row for table in tables if sku in table.skus for row in table.rows]
    at_speed = [row for row in rows if row.speed_gbps == speed_gbps]
    if not at_speed:
        listed = sorted({row.speed_gbps for row in rows})
        return Refusal("FG-BUF-011", {"sku": sku, "speed_gbps": speed_gbps, "listed_gbps": listed})
    covering = [row for row in at_speed if row.row_m >= cable_m]
    if not covering:
        longest = max(row.row_m for row in at_speed)
        return Refusal("FG-BUF-013", {"sku": sku, "speed_gbps": speed_gbps, "cable_m": cable_m, "longest_m": longest})
    return min(covering, key=lambda row: row.row_m)


def headroom_pool_ratio(xoff_bytes: Sequence[int], pool_xoff_bytes: int) -> float:
    """Return how far the headroom pool is oversubscribed if every priority group needed its headroom at once.

    Returns:
        Sum of the headrooms of all lossless priority groups over the pool, above 0; vendors ship 1.07 to 5.3 at 40 m.

    Source:
        sonic-net/sonic-buildimage, ``buffers_defaults_*.j2`` and ``pg_profile_lookup.ini`` of each SKU.
    """
    return sum(xoff_bytes) / pool_xoff_bytes


def headroom_in_turn_bytes(xoff_bytes: int, pool_bytes: int, full_groups: int) -> int:
    """Return the headroom that a priority group finds whose predecessors took all of theirs and keep it.

    The pool is that of the memory, 0 where every group has headroom of its own.

    Source:
        sonic-net/sonic-mgmt b4ba9de3, tests/qos/files/qos_params.th5.yaml: ``pgs_num``, ``pkts_num_hdrm_full`` and
        ``pkts_num_hdrm_partial``.
    """
    return min(xoff_bytes, max(0, pool_bytes - full_groups * xoff_bytes)) if pool_bytes else xoff_bytes


def headroom_at_once_bytes(xoff_bytes: int, pool_bytes: int, groups: int) -> int:
    """Return the headroom of each of some priority groups that take it at once, in equal parts where it runs out.

    The pool is that of the memory, 0 where every group has headroom of its own; there is one group at least.

    Source:
        Arithmetic; the tests of SONiC fill groups one after the other only.
    """
    return min(xoff_bytes, pool_bytes // groups) if pool_bytes else xoff_bytes


def groups_with_headroom(xoff_bytes: int, pool_bytes: int) -> int:
    """Return how many priority groups of a memory find all of their headroom in its pool; 0 without a pool."""
    return pool_bytes // xoff_bytes if xoff_bytes else 0


def drop_bytes(pauses_bytes: int, headroom_bytes: int) -> int:
    """Return the fill above which a packet drops at ingress: that at which PFC pauses, and the headroom that is found.

    Source:
        sonic-net/sonic-mgmt b4ba9de3, tests/qos/files/qos_params.th5.yaml: ``pkts_num_trig_ingr_drp`` less
        ``pkts_num_trig_pfc`` is the profile's ``xoff``, or a cell more, which is the packet that drops.
    """
    return pauses_bytes + headroom_bytes


FIBRE_NS_PER_M = 5.05
PAUSE_FRAME_BYTES = 64


def wire_headroom_bytes(speed_gbps: int, cable_m: float, mtu_bytes: int, *, same_time: bool = False) -> float | Refusal:
    """The least that a lossless priority group must take after XOFF, were every byte stored as one byte.

    One packet is on its way out when the pause frame is due, one is being sent when it arrives; between them lie the
    cable twice and the peer's response time, of which `response_bytes` may refuse the speed or know two. Most switches
    need 1.3 to 5 times as much, because small packets waste cells and pipelines hold packets. A table below this figure
    is made for smaller lossless packets than ``mtu_bytes`` (NVIDIA ships two such for the SN5600) or is wrong; one
    above it may be wrong all the same.

    Source:
        Arithmetic in the spirit of IEEE 802.1Qbb; response time from IEEE 802.3 annex 31B.3.7. The wording of the
        standard's own annex is unconfirmed.
    """
    response = response_bytes(speed_gbps, same_time=same_time)
    if isinstance(response, Refusal):
        return response
    return 2 * mtu_bytes + 2 * cable_m * FIBRE_NS_PER_M * speed_gbps / 8 + response + PAUSE_FRAME_BYTES


class TableLaw(NamedTuple):
    """The straight line on which vendors' headroom tables of one ASIC lie.

    Attributes:
        wire_bytes_per_cell: Bytes on the wire that take one cell; 84 is a smallest frame with preamble and gap.
        base_cells_by_gbps: Cells at zero length, by port speed.
    """

    cell_bytes: int
    wire_bytes_per_cell: int
    base_cells_by_gbps: dict[int, float]


TABLE_LAWS = {
    "tomahawk4": TableLaw(254, 84, {25: 295.1, 50: 357.3, 100: 500.5, 200: 828.1, 400: 1432.3}),
    "tomahawk5": TableLaw(254, 84, {25: 358.1, 50: 417.3, 100: 571.5, 200: 888.1, 400: 1518.2, 800: 2812.6}),
    "tomahawk6": TableLaw(420, 280, {100: 295.8, 200: 617.8, 400: 1098.1, 800: 1880.7}),
}
"""Fitted to published tables, by the catalog's name of the ASIC; reproduces them within one cell, TH6 within two.

Source:
    sonic-net/sonic-buildimage 086b03bd, pg_profile_lookup.ini of Dell-Z9864f-O64 (TH5), DellEMC-Z9664f-O64 (TH4) and
    Nokia-IXR7220-H6-P128 (TH6).
"""

ROUND_TRIP_NS_PER_M = 10.0


def table_law_cells(asic: str, speed_gbps: int, cable_m: float) -> int | Refusal:
    """XOFF headroom in cells on the line through the published tables of an ASIC, by its name in the catalog.

    A line for comparing tables with each other, not a value to configure: the same ASIC, speed and cable have headroom
    of 393,192, 445,770 and 612,140 bytes on three boards.

    Returns:
        Cells, rounded; or the refusal FG-BUF-015 if no table of that ASIC and speed (Gb/s, decimal) has been fitted.

    Source:
        See ``TABLE_LAWS``.
    """
    law = TABLE_LAWS.get(asic)
    base = law.base_cells_by_gbps.get(speed_gbps) if law else None
    if law is None or base is None:
        return Refusal("FG-BUF-015", {"asic": asic, "speed_gbps": speed_gbps})
    return floor(base + cable_m * ROUND_TRIP_NS_PER_M * speed_gbps / 8 / law.wire_bytes_per_cell + 0.5)


def table_deviation(asic: Asic, row: HeadroomRow) -> float | Refusal:
    """Return the distance of a table row from the line of its ASIC, as a fraction: positive above, negative below.

    Below is what matters: Nokia's table for its Tomahawk 5 boards lies up to 44 percent below Dell's for the same chip.
    The refusal is that of `table_law_cells`.
    """
    cells = table_law_cells(asic.id, row.speed_gbps, row.row_m)
    if isinstance(cells, Refusal):
        return cells
    return row.xoff_bytes / (cells * TABLE_LAWS[asic.id].cell_bytes) - 1
