"""The contract as one table, and the buffer and marking figures of each tier."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypedDict

from fabricgen.catalog.records import Asic, BufferSet, HeadroomRow, SwitchModel
from fabricgen.diagnostics import Bag, IntentPath, lookup
from fabricgen.intent.lossless import Lossless
from fabricgen.physics.headroom import headroom_row
from fabricgen.physics.pools import shared_bytes
from fabricgen.physics.refusal import Refusal
from fabricgen.plan.build import codes
from fabricgen.plan.model.contract import (
    Buffers,
    Contract,
    PgProfile,
    Pool,
    Profile,
    TrafficClass,
    Watchdog,
)


def build_contract(lossless: Lossless) -> Contract:
    """One row per class by priority; code points nobody names belong to the lowest priority without any."""
    classes = sorted(
        (
            TrafficClass(
                name,
                tuple(sorted(c.dscp)),
                c.priority,
                c.priority if c.lossless else 0,
                c.lossless,
                c.strict,
                c.weight_pct or 0,
            )
            for name, c in lossless.classes.items()
        ),
        key=lambda c: (c.priority, c.name),
    )
    rest = next((c.priority for c in classes if not c.dscp), classes[0].priority)
    by_dscp = [rest] * 64
    for cls in classes:
        for dscp in cls.dscp:
            by_dscp[dscp] = cls.priority
    under_pfc = tuple(sorted({c.priority for c in classes if c.lossless})) if lossless.mode != "ecn_only" else ()
    return Contract(lossless.mode, tuple(classes), tuple(by_dscp), under_pfc, lossless.reason or "")


def build_watchdog(lossless: Lossless) -> Watchdog:
    """Watchdog timers; the poll interval is the detection time where that is legal, else SONiC's 1000 ms cap.

    Source:
        sonic-net/sonic-utilities pfcwd: detection and restoration times may not be below the poll interval,
        which lies within 100..1000 ms.
    """
    dog = lossless.watchdog
    return Watchdog(dog.detection_ms, dog.restoration_ms, min(dog.detection_ms, dog.restoration_ms, 1000), dog.action)


class CableUse(NamedTuple):
    """A (speed, cable length) that a tier's lossless ports have, and the link group it comes from."""

    link: str
    speed_gbps: int
    length_m: float
    mtu_bytes: int


class SharedPool(NamedTuple):
    """What queues share on a switch: alpha of its lossless priority groups and the pool's bytes without headroom."""

    alpha: float
    shared_bytes: int


def find_shared_pool(model: SwitchModel, sku: str, role: str, uses: Iterable[CableUse]) -> SharedPool | None:
    """What marking follows from; None where the catalog has no pools, or no headroom at one of the speeds.

    The smallest alpha of any length counts, so that no threshold changes with a cable.
    """
    chosen = _buffer_set(model, sku, role)
    pools = [pool for pool in chosen.pools if pool.kind == "ingress"] if chosen else []
    if not pools:
        return None
    pool = next((pool for pool in pools if "lossless" in pool.name), pools[0])
    speeds = {use.speed_gbps for use in uses}
    rows = [row for table in model.headroom if sku in table.skus for row in table.rows if row.speed_gbps in speeds]
    if {row.speed_gbps for row in rows} != speeds:
        return None
    return SharedPool(2.0 ** min(row.dynamic_th for row in rows), shared_bytes(pool, model.asic))


def build_buffers(
    model: SwitchModel, sku: str, role: str, uses: Iterable[CableUse], named_at: IntentPath, bag: Bag
) -> Buffers:
    """Pools, profiles and headroom of a tier; what the catalog lacks is diagnosed at the model's name and left out."""
    chosen = _buffer_set(model, sku, role)
    if chosen is None:
        if model.boards:
            bag.add(
                codes.NO_BUFFER_TABLE,
                f"the catalog has no buffer pools for {model.id}, SKU {sku}",
                named_at,
                hint=f"add them under buffers of catalog/switches/{model.id}.yaml",
            )
        return Buffers((), (), (), model.provenance.source)
    pools = tuple(Pool(p.name, p.kind, p.mode, p.size_bytes, p.xoff_bytes) for p in chosen.pools)
    profiles = tuple(Profile(p.name, p.pool, p.size_bytes, p.dynamic_th, p.static_th_bytes) for p in chosen.profiles)
    rows: dict[tuple[int, int], PgProfile] = {}
    for use in uses:
        row = headroom_row(model.headroom, sku, use.speed_gbps, use.length_m)
        if isinstance(row, Refusal):
            _report(row, model, use, bag)
        else:
            rows.setdefault((row.speed_gbps, row.cable_m), _pg_profile(row, model.provenance.source))
    headroom = tuple(rows[key] for key in sorted(rows))
    figures = _asic_figures(model.asic)
    return Buffers(
        pools, profiles, headroom, model.provenance.source, **figures, skips_reservation=chosen.skips_reservation
    )


def own_buffers(model: SwitchModel) -> Buffers:
    """Buffers of a tier whose platform cuts pools and headroom itself: the ASIC's figures, nothing to write."""
    return Buffers((), (), (), model.provenance.source, **_asic_figures(model.asic))


def pg_profile_name(speed_gbps: int, cable_m: int) -> str:
    """Name of a headroom profile, as the buffer manager spells it.

    Source:
        sonic-net/sonic-swss cfgmgr/buffermgr.cpp: ``pg_lossless_<speed>_<cable>_profile``.
    """
    return f"pg_lossless_{speed_gbps * 1000}_{cable_m}m_profile"


def _buffer_set(model: SwitchModel, sku: str, role: str) -> BufferSet | None:
    """The vendor's set for the SKU: topology t0 for leafs, t1 above, else whichever the SKU has."""
    wanted = "t0" if role == "leaf" else "t1"
    of_sku = [s for s in model.buffers if sku in s.topologies_by_sku]
    exact = [s for s in of_sku if wanted in s.topologies_by_sku[sku]]
    return (exact or of_sku or [None])[0]  # type: ignore[list-item]


class _AsicFigures(TypedDict):
    """What ``Buffers`` says of the ASIC."""

    asic: str
    asic_source: str
    buffer_bytes: int
    cell_bytes: int
    itm: int
    cells_available: int
    pools_exclude_reserved: bool
    group_reserved_bytes: int
    group_reserved_8_lanes_bytes: int
    port_reserved_bytes: int
    fixed_reserved_bytes: int


def _asic_figures(asic: Asic) -> _AsicFigures:
    """Figures of an ASIC, 0 where nobody published one."""
    return {
        "asic": asic.id,
        "asic_source": asic.provenance.sources.get("buffer_bytes", asic.provenance.source),
        "buffer_bytes": asic.buffer_bytes or 0,
        "cell_bytes": asic.cell_bytes or 0,
        "itm": asic.itm or 0,
        "cells_available": asic.cells_available or 0,
        "pools_exclude_reserved": asic.pools_exclude_reserved,
        "group_reserved_bytes": asic.group_reserved_bytes or 0,
        "group_reserved_8_lanes_bytes": asic.group_reserved_8_lanes_bytes or 0,
        "port_reserved_bytes": asic.port_reserved_bytes or 0,
        "fixed_reserved_bytes": asic.fixed_reserved_bytes or 0,
    }


def _pg_profile(row: HeadroomRow, source: str) -> PgProfile:
    return PgProfile(
        pg_profile_name(row.speed_gbps, row.cable_m),
        row.speed_gbps,
        row.cable_m,
        row.size_bytes,
        row.xon_bytes,
        row.xon_offset_bytes,
        row.xoff_bytes,
        row.dynamic_th,
        source,
    )


def _report(refusal: Refusal, model: SwitchModel, use: CableUse, bag: Bag) -> None:
    code = lookup(refusal.code)
    assert code is not None  # noqa: S101 - refusals name codes declared in this room
    path: IntentPath = ("links", use.link, "cable", "length_m")
    facts = refusal.facts
    if code is codes.CABLE_TOO_LONG:
        bag.add(
            code,
            f"{use.length_m:g} m at {use.speed_gbps}G is longer than the {facts['longest_m']} m at which "
            f"the headroom table of {facts['sku']} ends",
            path,
            hint="use a shorter cable or another model",
        )
    elif code is codes.NO_HEADROOM_SPEED:
        listed = ", ".join(f"{gbps}G" for gbps in facts["listed_gbps"])  # type: ignore[attr-defined]
        bag.add(
            code,
            f"the headroom table of {facts['sku']} has no row for {use.speed_gbps}G; it lists {listed}",
            ("links", use.link, "speed"),
            hint="use a listed speed",
        )
    else:
        bag.add(
            code,
            f"the catalog has no headroom table for {model.id}, SKU {facts['sku']}",
            ("links", use.link, "speed"),
            hint=f"add it under headroom of catalog/switches/{model.id}.yaml",
        )
