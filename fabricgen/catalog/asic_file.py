"""Catalog files of switching ASICs."""

from __future__ import annotations

from fabricgen.catalog.provenance import read_id, read_provenance
from fabricgen.catalog.reader import Table
from fabricgen.catalog.records import Asic


def read_asic(root: Table, file_id: str) -> Asic:
    """Build the record of an ASIC; every figure may be left out where nobody published it."""
    return Asic(
        id=read_id(root, file_id),
        vendor=root.text("vendor"),
        provenance=read_provenance(root),
        bandwidth_gbps=root.optional_integer("bandwidth_gbps", low=1),
        buffer_bytes=root.optional_integer("buffer_bytes", low=1),
        cell_bytes=root.optional_integer("cell_bytes", low=1),
        logical_ports_max=root.optional_integer("logical_ports_max", low=1),
        ecmp_width_max=root.optional_integer("ecmp_width_max", low=1),
        ecmp_groups_max=root.optional_integer("ecmp_groups_max", low=1),
        ecmp_members_max=root.optional_integer("ecmp_members_max", low=1),
        dlb_width_max=root.optional_integer("dlb_width_max", low=1),
        dlb_groups_max=root.optional_integer("dlb_groups_max", low=1),
        host_routes_max=root.optional_integer("host_routes_max", low=1),
        itm=root.optional_integer("itm", low=1),
        cells_available=root.optional_integer("cells_available", low=1),
        pools_exclude_reserved=root.flag("pools_exclude_reserved"),
        group_reserved_bytes=root.optional_integer("group_reserved_bytes"),
        group_reserved_8_lanes_bytes=root.optional_integer("group_reserved_8_lanes_bytes"),
        port_reserved_bytes=root.optional_integer("port_reserved_bytes"),
        fixed_reserved_bytes=root.optional_integer("fixed_reserved_bytes"),
        queues_reserved_bytes=root.optional_integer("queues_reserved_bytes"),
        udf_hash=root.optional_flag("udf_hash"),
    )
