"""PFC headroom: what a lossless priority group must still take after XOFF is sent."""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.catalog.records import HeadroomRow, HeadroomTable
from fabricgen.physics.refusal import Refusal


def headroom_row(tables: Sequence[HeadroomTable], sku: str, speed_gbps: int, cable_m: float) -> HeadroomRow | Refusal:
    """The row of a vendor's headroom table that covers a cable, its length rounded up to a listed one.

    Args:
        tables: Headroom tables of one switch model.
        sku: Port profile (HwSKU); a table belongs to it, never to the ASIC.
        speed_gbps: Port speed, Gb/s, decimal.
        cable_m: One-way cable length, metres.

    Returns:
        The row with the shortest listed length not below ``cable_m``; or the refusal FG-BUF-011 (the SKU has
        no table), FG-BUF-012 (not that speed) or FG-BUF-013 (cable longer than the last row: never extrapolated).

    Source:
        sonic-net/sonic-buildimage, ``pg_profile_lookup.ini`` of the SKU; buffermgrd looks up (speed, cable)
        exactly and leaves the port without a lossless priority group where no row matches.
    """
    rows = [row for table in tables if sku in table.skus for row in table.rows]
    if not rows:
        return Refusal("FG-BUF-011", {"sku": sku})
    at_speed = [row for row in rows if row.speed_gbps == speed_gbps]
    if not at_speed:
        listed = sorted({row.speed_gbps for row in rows})
        return Refusal("FG-BUF-012", {"sku": sku, "speed_gbps": speed_gbps, "listed_gbps": listed})
    covering = [row for row in at_speed if row.row_m >= cable_m]
    if not covering:
        longest = max(row.row_m for row in at_speed)
        return Refusal("FG-BUF-013", {"sku": sku, "speed_gbps": speed_gbps, "cable_m": cable_m, "longest_m": longest})
    return min(covering, key=lambda row: row.row_m)


def headroom_pool_ratio(xoff_bytes: Sequence[int], pool_xoff_bytes: int) -> float:
    """Return how far the headroom pool is oversubscribed if every priority group needed its headroom at once.

    Args:
        xoff_bytes: Headroom of every lossless priority group of the switch, bytes.
        pool_xoff_bytes: Headroom part of the pool, bytes, above 0.

    Returns:
        Sum of headrooms over the pool; vendors ship 1.07 to 5.3 at 40 m.

    Source:
        sonic-net/sonic-buildimage, ``buffers_defaults_*.j2`` and ``pg_profile_lookup.ini`` of each SKU.
    """
    return sum(xoff_bytes) / pool_xoff_bytes
