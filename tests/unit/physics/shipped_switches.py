"""Shared by the physics tests: the shipped catalog's switches and marking profiles, and its headroom rows."""

from __future__ import annotations

from fabricgen.catalog import Catalog
from fabricgen.catalog.records import BufferPool, BufferSet, HeadroomRow, SwitchModel, model_at
from fabricgen.physics.headroom import headroom_row
from fabricgen.physics.headroom_dynamic import shared_bytes
from tests.unit.catalog.shipped_records import everything


def catalog() -> Catalog:
    return everything()[0]


def switch(model: str) -> SwitchModel:
    """One switch model as the newest release knows it."""
    return model_at(catalog().switches[model], "")


def row(model: str, sku: str, speed_gbps: int, cable_m: float) -> HeadroomRow:
    return headroom_row(switch(model).headroom, sku, speed_gbps, cable_m)


def buffers(model: str, sku: str, topology: str) -> BufferSet:
    return next(entry for entry in switch(model).buffers if topology in entry.topologies_by_sku.get(sku, ()))


def pool(model: str, sku: str, topology: str = "t0") -> BufferPool:
    return next(pool for pool in buffers(model, sku, topology).pools if pool.name == "ingress_lossless_pool")


def shared_of(model: str, sku: str, topology: str = "t0") -> int:
    """The ingress lossless pool without its headroom, bytes."""
    return shared_bytes(pool(model, sku, topology), switch(model).asic)
