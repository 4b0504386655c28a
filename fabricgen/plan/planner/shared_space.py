"""Shared part of a switch's buffer where the vendor's tables state the size of its pools."""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.catalog.records import Asic, BufferPool, BufferSet, HeadroomRow, SwitchModel
from fabricgen.physics.headroom_dynamic import shared_bytes
from fabricgen.physics.memory import LosslessPorts, PortReserve, port_reserves, shared_per_memory_bytes
from fabricgen.plan.model.contract import Contract
from fabricgen.plan.planner.computed_buffers import CableUse, SharedPool


def table_pool(
    model: SwitchModel,
    sku: str,
    chosen: BufferSet,
    uses: Sequence[CableUse],
    spare_ports: int,
    contract: Contract,
) -> SharedPool | None:
    """Return what the tables of a SKU leave to its queues; None without pools, or without headroom at a speed.

    Args:
        model: The switch model.
        sku: Its port profile.
        chosen: The vendor's pools for it.
        uses: Links of the switch at the reserved maximum.
        spare_ports: Ports of the box without a link.
        contract: The classes, which decide how many priority groups a port has.
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
    """Return what the smallest of the pools leaves.

    The smallest alpha of any length counts, so that no cable changes it.
    """
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
    """Return what a lossless priority group has before it takes shared space.

    Headroom of its own is not part of that.
    """
    return max(row.size_bytes - (0 if pool.xoff_bytes else row.xoff_bytes) for row in rows)


def _reserves(
    asic: Asic, uses: Sequence[CableUse], spare_ports: int, own: dict[int, int], contract: Contract
) -> list[PortReserve]:
    """Return what the ports of a switch keep out of the shared space; ``own`` is for a group of each speed."""
    ports = [LosslessPorts(use.link, use.speed_gbps, use.ports, own[use.speed_gbps]) for use in uses]
    box_ports = spare_ports + sum(use.ports for use in uses)
    return port_reserves(ports, len(contract.lossless), asic.queues_reserved_bytes or 0, box_ports)
