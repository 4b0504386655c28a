"""Pools, profiles, headroom and shared space of a tier: the vendor's tables, or what the switch computes itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fabricgen.catalog.records import Asic, BufferPool, BufferSet, HeadroomRow, SwitchModel
from fabricgen.diagnostics import Bag, IntentPath, Related, lookup
from fabricgen.diagnostics.words import or_list
from fabricgen.physics import Refusal
from fabricgen.physics.headroom import headroom_row
from fabricgen.physics.headroom_dynamic import TIMING_BY_ASIC, HeadroomScript, shared_bytes
from fabricgen.physics.memory import LosslessPorts, PortReserve, port_reserves, shared_per_memory_bytes
from fabricgen.plan.model.buffers import AsicMemory, Buffers, PgProfile, Pool, Profile
from fabricgen.plan.model.contract import Contract
from fabricgen.plan.planner import plan_codes as codes
from fabricgen.plan.planner.computed_buffers import (
    DEFAULT_DYNAMIC_TH,
    TRAFFIC,
    CableUse,
    ScriptedSizes,
    ScriptedSwitches,
    SharedPool,
)


def table_pool(
    model: SwitchModel, sku: str, chosen: BufferSet, uses: Sequence[CableUse], spare_ports: int, contract: Contract
) -> SharedPool | None:
    """Return what the tables of a SKU leave to its queues; None without pools, or without headroom at a speed.

    ``uses`` are its links at the reserved maximum, ``spare_ports`` have none.
    """
    pools = [pool for pool in chosen.pools if pool.kind == "ingress"]
    rows = [row for table in model.headroom if sku in table.skus for row in table.rows]
    pool = next((pool for pool in pools if "lossless" in pool.name), pools[0] if pools else None)
    return _shared(model.asic, [(chosen, pool)] if pool else [], rows, uses, spare_ports, contract)


def smallest_pool(
    model: SwitchModel, uses: Sequence[CableUse], spare_ports: int, contract: Contract
) -> SharedPool | None:
    """Return the smallest shared space that tables leave on any mix of ports of a box whose system sizes pools itself.

    Marking that follows from it is never later than it would be with the pool of the mix, which is unpublished.
    Arguments as for `table_pool`.
    """
    pools = [
        (tables, pool)
        for tables in model.buffers
        for pool in tables.pools
        if pool.kind == "ingress" and "lossless" in pool.name
    ]
    rows = [row for table in model.headroom for row in table.rows]
    return _shared(model.asic, pools, rows, uses, spare_ports, contract)


def _shared(
    asic: Asic,
    pools: Sequence[tuple[BufferSet, BufferPool]],
    rows: Sequence[HeadroomRow],
    uses: Sequence[CableUse],
    spare_ports: int,
    contract: Contract,
) -> SharedPool | None:
    """Return what the smallest of the pools leaves at the smallest alpha of any length, so that no cable changes it."""
    speeds = {use.speed_gbps for use in uses}
    rows = [row for row in rows if row.speed_gbps in speeds]
    if not pools or {row.speed_gbps for row in rows} != speeds:
        return None
    found, memories = [], asic.itm or 1
    for tables, pool in pools:
        own = {speed: _group_bytes([row for row in rows if row.speed_gbps == speed], pool) for speed in speeds}
        if asic.pools_exclude_reserved or tables.pools_exclude_reserved:
            shared = shared_per_memory_bytes(pool.size_bytes, memories, [])
        else:
            reserves = _reserves(asic, uses, spare_ports, own, contract)
            shared = shared_per_memory_bytes(shared_bytes(pool, asic), memories, reserves)
        found.append((shared, min(own.values())))
    least, group_bytes = min(found)
    return SharedPool(2.0 ** min(row.dynamic_th for row in rows), least, group_bytes, memories)


def _group_bytes(rows: Sequence[HeadroomRow], pool: BufferPool) -> int:
    """Return what a lossless priority group has before it takes shared space; headroom of its own is no part of it."""
    return max(row.size_bytes - (0 if pool.xoff_bytes else row.xoff_bytes) for row in rows)


def _reserves(
    asic: Asic, uses: Sequence[CableUse], spare_ports: int, own: dict[int, int], contract: Contract
) -> list[PortReserve]:
    """Return what the ports of a switch keep out of the shared space; ``own`` is for a group of each speed."""
    ports = [LosslessPorts(use.link, use.speed_gbps, use.ports, own[use.speed_gbps]) for use in uses]
    box_ports = spare_ports + sum(use.ports for use in uses)
    return port_reserves(ports, len(contract.lossless), asic.queues_reserved_bytes or 0, box_ports)


class BufferSource(NamedTuple):
    """Source of buffer sizes: the vendor's tables, unless one of these is set.

    With ``own`` the platform cuts pools and headroom itself and publishes nothing; ``script`` is the form of the script
    by which the switch computes them.
    """

    own: bool = False
    script: HeadroomScript | None = None

    @property
    def is_table(self) -> bool:
        """Return whether the vendor's tables are asked."""
        return not self.own and self.script is None


class Sized(NamedTuple):
    """The buffers of a tier, and what its queues share: None without figures, ``reported`` if a diagnostic says so."""

    buffers: Buffers
    shared: SharedPool | None
    reported: bool = True


class BufferSizer:
    """Sizes the buffers of switches of one model, port profile and place in the Clos."""

    def __init__(self, model: SwitchModel, sku: str, role: str, contract: Contract, source: BufferSource) -> None:
        """Prepare what does not depend on their links."""
        self._model, self._sku, self._contract, self._source = model, sku, contract, source
        self._chosen = chosen = _buffer_set(model, sku, role)
        self._memory = _asic_memory(model.asic)
        found = chosen.profiles if chosen else ()
        self._profiles = tuple(Profile(p.name, p.pool, p.size_bytes, p.dynamic_th, p.static_th_bytes) for p in found)
        self._scripted = (
            ScriptedSwitches(model.asic, chosen, self._profiles, contract, source.script)
            if chosen and source.script
            else None
        )

    def find_row(self, speed_gbps: int, length_m: float) -> HeadroomRow | Refusal | None:
        """Return the row of the vendor's table that covers a cable, or why none does; None where no table is asked."""
        if self._chosen is None or not self._source.is_table:
            return None
        return headroom_row(self._model.headroom, self._sku, speed_gbps, length_m)

    def list_rows(self, uses: Sequence[CableUse], named_at: IntentPath, bag: Bag | None) -> tuple[PgProfile, ...]:
        """Rows that cover the cables; one that none covers is diagnosed if anything is paused. See ``size``."""
        rows: dict[tuple[int, int], PgProfile] = {}
        for use in uses:
            row = self.find_row(use.speed_gbps, use.length_m)
            if isinstance(row, HeadroomRow):
                rows.setdefault((row.speed_gbps, row.row_m), _pg_profile(row, self._model.provenance.source))
            elif row is not None and self._contract.lossless and bag is not None:
                _report(row, self._model, use, named_at, bag)
        return tuple(rows[key] for key in sorted(rows))

    def size(
        self, uses: Sequence[CableUse], spare_ports: int, named_at: IntentPath = (), bag: Bag | None = None
    ) -> Sized:
        """Pools, profiles and headroom of switches with some links.

        Args:
            uses: Links of their ports at the reserved maximum.
            spare_ports: Ports of the box that never have a link.
            named_at: Where the intent names the model; what the catalog lacks is diagnosed there and left out.
            bag: Takes diagnostics; None where they are reported elsewhere.
        """
        model, sku, chosen, contract = self._model, self._sku, self._chosen, self._contract
        if self._source.own:
            own = Buffers((), (), (), model.provenance.source, self._memory)
            exact = table_pool(model, sku, chosen, uses, spare_ports, contract) if chosen else None
            return Sized(own, exact or smallest_pool(model, uses, spare_ports, contract), reported=False)
        if chosen is None:
            if model.boards and bag is not None:
                _report_no_table(model, sku, named_at, bag)
            return Sized(Buffers((), (), (), model.provenance.source, self._memory), None, reported=bool(model.boards))
        if self._scripted is not None:
            return self._computed(self._scripted.size(uses), named_at, bag)
        buffers = Buffers(
            tuple(Pool(p.name, p.kind, p.mode, p.size_bytes, p.xoff_bytes) for p in chosen.pools),
            self._profiles,
            self.list_rows(uses, named_at, bag),
            model.provenance.source,
            self._memory,
            skips_reservation=chosen.skips_reservation,
            pools_exclude_reserved=chosen.pools_exclude_reserved,
        )
        return Sized(buffers, table_pool(model, sku, chosen, uses, spare_ports, contract))

    def _computed(self, sizes: ScriptedSizes | Refusal, named_at: IntentPath, bag: Bag | None) -> Sized:
        """The buffers of a switch that computes headroom and pools itself."""
        source = self._model.provenance.source
        if isinstance(sizes, Refusal):
            if bag is not None:
                _report_no_script(self._model, sizes, named_at, bag)
            return Sized(Buffers((), (), (), source, self._memory), None)
        buffers = Buffers(
            sizes.pools,
            self._profiles,
            sizes.headroom,
            source,
            self._memory,
            computed=True,
            traffic_mtu_bytes=TRAFFIC.mtu_bytes,
            small_packet_pct=TRAFFIC.small_packet_pct,
            default_dynamic_th=DEFAULT_DYNAMIC_TH,
        )
        return Sized(buffers, sizes.shared)


def _report_no_table(model: SwitchModel, sku: str, named_at: IntentPath, bag: Bag) -> None:
    bag.add(
        codes.NO_BUFFER_TABLE,
        f"the catalog has no buffer pools for {model.id}, SKU {sku}",
        named_at,
        hint=f"add them under buffers of catalog/switches/{model.id}.yaml beside the inventory",
        related=[Related("the platform", (*named_at[:-1], "platform"))],
        record=("switches", model.id, "buffers"),
    )


def _report_no_script(model: SwitchModel, refusal: Refusal, named_at: IntentPath, bag: Bag) -> None:
    known = ", ".join(sorted(TIMING_BY_ASIC))
    bag.add(
        codes.NO_HEADROOM_SCRIPT,
        f"SONiC's headroom script does not know {refusal.facts['asic']}, the ASIC of {model.id}; it knows {known}",
        named_at,
        hint="use a model with one of these ASICs",
        related=[Related("the platform", (*named_at[:-1], "platform"))],
        record=("switches", model.id, "asic"),
    )


def _buffer_set(model: SwitchModel, sku: str, role: str) -> BufferSet | None:
    """The vendor's set for the SKU: topology t0 for leafs, t1 above, else whichever the SKU has."""
    wanted = "t0" if role == "leaf" else "t1"
    of_sku = [s for s in model.buffers if sku in s.topologies_by_sku]
    exact = [s for s in of_sku if wanted in s.topologies_by_sku[sku]]
    return (exact or of_sku or [None])[0]  # type: ignore[list-item]


def _asic_memory(asic: Asic) -> AsicMemory:
    """The memory of an ASIC, as the catalog has it."""
    published = {name: value for name, value in asic._asdict().items() if name in AsicMemory._fields and value}
    return AsicMemory(**published, source=asic.provenance.sources.get("buffer_bytes", asic.provenance.source))


def _pg_profile(row: HeadroomRow, source: str) -> PgProfile:
    """Return a profile of the name that the buffer manager spells.

    Source:
        sonic-net/sonic-swss cfgmgr/buffermgr.cpp: ``pg_lossless_<speed>_<cable>_profile``.
    """
    return PgProfile(
        f"pg_lossless_{row.speed_gbps * 1000}_{row.row_m}m_profile",
        row.speed_gbps,
        row.row_m,
        row.size_bytes,
        row.xon_bytes,
        row.xon_offset_bytes,
        row.xoff_bytes,
        row.dynamic_th,
        source,
        derivation=f"row {row.speed_gbps}G {row.row_m} m of the vendor's table",
    )


def _report(refusal: Refusal, model: SwitchModel, use: CableUse, named_at: IntentPath, bag: Bag) -> None:
    code = lookup(refusal.code)
    assert code is not None  # noqa: S101 - refusals name codes declared in this room
    path: IntentPath = ("links", use.link, "cable", "length_m")
    facts, related = (
        refusal.facts,
        [
            Related("the model", named_at),
            Related("the platform", (*named_at[:-1], "platform")),
            Related("its headroom table", record=("switches", model.id, "headroom")),
        ],
    )
    if code is codes.CABLE_TOO_LONG:
        message = (
            f"{use.length_m:g} m at {use.speed_gbps}G is longer than the {facts['longest_m']} m at which "
            f"the headroom table of {facts['sku']} ends"
        )
        hint = f"use a cable of {facts['longest_m']} m or less, or another model"
        bag.add(code, message, path, hint=hint, related=related)
    elif listed := [f"{gbps}G" for gbps in facts["listed_gbps"]]:  # type: ignore[attr-defined]
        message = f"the headroom table of {facts['sku']} has no row for {use.speed_gbps}G; it lists {', '.join(listed)}"
        bag.add(code, message, ("links", use.link, "speed"), hint=f"use {or_list(reversed(listed))}", related=related)
    else:
        bag.add(
            code,
            f"the catalog has no headroom table for {model.id}, SKU {facts['sku']}",
            ("links", use.link, "speed"),
            hint=f"add it under headroom of catalog/switches/{model.id}.yaml beside the inventory",
            related=related[:2],
            record=("switches", model.id, "headroom"),
        )
