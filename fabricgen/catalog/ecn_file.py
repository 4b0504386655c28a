"""Catalog files of ECN marking profiles."""

from __future__ import annotations

from fabricgen.catalog import catalog_codes as codes
from fabricgen.catalog.provenance import read_id, read_provenance
from fabricgen.catalog.reader import Table
from fabricgen.catalog.records import EcnProfile


def read_ecn_profile(root: Table, file_id: str) -> EcnProfile:
    """Build an ECN profile; without ``speed_gbps`` it is published for every speed."""
    kmin_bytes = root.integer("kmin_bytes", low=1)
    kmax_bytes = root.integer("kmax_bytes", low=1)
    if kmax_bytes and kmin_bytes >= kmax_bytes:
        root.fault(codes.BAD_VALUE, f"kmin_bytes {kmin_bytes} must be below kmax_bytes {kmax_bytes}", "kmin_bytes")
    return EcnProfile(
        name=read_id(root, file_id),
        speed_gbps=root.integer("speed_gbps", 0),
        kmin_bytes=kmin_bytes,
        kmax_bytes=kmax_bytes,
        pmax_pct=root.integer("pmax_pct", low=1, high=100),
        provenance=read_provenance(root),
        setpoint=root.optional_flag("setpoint") is not False,
        platforms=root.words("platforms", optional=True),
        skus=root.words("skus", optional=True),
    )
