"""Catalog files of NICs."""

from __future__ import annotations

import re

from fabricgen.catalog import catalog_codes as codes
from fabricgen.catalog.modes import parse_row
from fabricgen.catalog.provenance import read_id, read_provenance
from fabricgen.catalog.reader import Table
from fabricgen.catalog.records import NicModel

_PCI_ID = re.compile(r"0x[0-9a-f]{4}")


def read_nic(root: Table, file_id: str) -> NicModel:
    """Build the record of a NIC."""
    return NicModel(
        id=read_id(root, file_id),
        family=root.text("family"),
        vendor=root.text("vendor"),
        ports=root.integer("ports", low=1, high=16),
        lanes_by_gbps=_lanes(root),
        mtu_max_bytes=root.integer("mtu_max_bytes", low=1280, high=65535),
        pci_vendor=_pci_id(root, "pci_vendor"),
        pci_device=_pci_id(root, "pci_device"),
        provenance=read_provenance(root),
        out_of_order=root.flag("out_of_order"),
        embedded_cpu=root.flag("embedded_cpu"),
    )


def _lanes(root: Table) -> dict[int, tuple[int, ...]]:
    """Read ``lanes: {400G: 4, 200G: 2 4}``: the lane counts each speed runs on."""
    lanes: dict[int, tuple[int, ...]] = {}
    for gbps, text in root.by_speed("lanes").items():
        counts = parse_row(text)
        if not counts or any(not 1 <= count <= 16 for count in counts):
            root.fault(
                codes.BAD_VALUE, f"lanes of {gbps}G are {text!r}, write counts from 1 to 16", "lanes", f"{gbps}G"
            )
            continue
        lanes[gbps] = counts
    return lanes


def _pci_id(root: Table, key: str) -> str:
    """A PCI id as the kernel writes it, or empty where it is not known."""
    text = root.text(key, "")
    if text and not _PCI_ID.fullmatch(text):
        root.fault(codes.BAD_VALUE, f"{key} is {text!r}, it must look like '0x15b3' or be empty", key)
    return text
