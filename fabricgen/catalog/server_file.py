"""Catalog files of servers."""

from __future__ import annotations

import re

from fabricgen.catalog import codes
from fabricgen.catalog.provenance import read_id, read_provenance
from fabricgen.catalog.reader import Table
from fabricgen.catalog.records import RailSlot, ServerModel

GPU_VENDORS = ("amd", "nvidia")
_BDF = re.compile(r"[0-9a-f]{4}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7]")


def read_server(root: Table, file_id: str) -> ServerModel:
    """Build the record of a server; its rails are the back-end NICs in rail order."""
    gpus = root.integer("gpus", high=1024)
    numa_nodes = root.integer("numa_nodes", low=1, high=64)
    rails = tuple(_rail(table, rail, numa_nodes) for rail, table in enumerate(root.tables("rails")))
    if not rails:
        root.fault(codes.MISSING_KEY, "a server has at least one rail", "rails", on_key=True)
    _check_addresses(root, rails)
    return ServerModel(
        id=read_id(root, file_id),
        gpus=gpus,
        rails=rails,
        gpu_sm=root.integer("gpu_sm", 0, high=999),
        pcie_gen=root.integer("pcie_gen", low=3, high=8),
        nvlink_gbytes_s=root.integer("nvlink_gbytes_s", 0, high=100_000),
        numa_nodes=numa_nodes,
        cpu_vendor=root.text("cpu_vendor"),
        provenance=read_provenance(root),
        gpu_vendor=_gpu_vendor(root) if gpus else "",
        nvlink_hosts=root.integer("nvlink_hosts", 1, low=1, high=1024),
    )


def _gpu_vendor(root: Table) -> str:
    """Who made the GPUs, and with them which collective library runs."""
    vendor = root.text("gpu_vendor")
    if vendor and vendor not in GPU_VENDORS:
        wanted = " or ".join(GPU_VENDORS)
        root.fault(codes.BAD_VALUE, f"gpu_vendor is {vendor!r}, it must be {wanted}", "gpu_vendor")
    return vendor


def _rail(table: Table, rail: int, numa_nodes: int) -> RailSlot:
    slot = RailSlot(
        rail=rail,
        nic_bdf=_bdf(table, "nic"),
        gpu_bdf=_bdf(table, "gpu"),
        switch_bdf=_bdf(table, "switch"),
        numa=table.integer("numa", -1, low=-1, high=max(numa_nodes - 1, 0)),
    )
    table.close()
    return slot


def _bdf(table: Table, key: str) -> str:
    """A PCI address as the kernel writes it, or empty where no public map says it."""
    text = table.text(key, "")
    if text and not _BDF.fullmatch(text):
        table.fault(codes.BAD_VALUE, f"{key} is {text!r}, it must look like '0000:18:00.0'", key)
    return text


def _check_addresses(root: Table, rails: tuple[RailSlot, ...]) -> None:
    """A NIC and a GPU belong to one rail only; a PCIe switch may carry several."""
    seen: set[str] = set()
    for slot in rails:
        for key, bdf in (("nic", slot.nic_bdf), ("gpu", slot.gpu_bdf)):
            if bdf and bdf in seen:
                root.fault(codes.BAD_VALUE, f"{bdf} is given to two devices", "rails", slot.rail, key)
            seen.add(bdf)
