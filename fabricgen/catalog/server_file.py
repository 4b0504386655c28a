"""Catalog files of servers."""

from __future__ import annotations

import re

from fabricgen.catalog import catalog_codes as codes
from fabricgen.catalog.provenance import read_id, read_provenance
from fabricgen.catalog.reader import Table
from fabricgen.catalog.records import RailSlot, ServerModel

GPU_VENDORS = ("amd", "nvidia")
CPU_ARCHES = ("x86_64", "arm64", "ppc64")
"""As NVIDIA/nccl 5067397c, src/graph/topo.cc, names them (kvDictCpuArch)."""

NO_SWITCH = "none"
_PCI_ID = re.compile(r"0x[0-9a-f]{4}")
_CPU_LIST = re.compile(r"\d{1,4}(-\d{1,4})?(,\d{1,4}(-\d{1,4})?)*")
_BDF = re.compile(r"[0-9a-f]{4}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7]")


def read_server(root: Table, file_id: str) -> ServerModel:
    """Build the record of a server; its rails are the back-end NICs in rail order."""
    gpus = root.integer("gpus", high=1024)
    numa_nodes = root.integer("numa_nodes", low=1, high=64)
    rails = tuple(_rail(table, rail, numa_nodes) for rail, table in enumerate(root.tables("rails")))
    if not rails:
        root.fault(codes.MISSING_KEY, "a server has at least one rail", "rails", on_key=True)
    _check_addresses(root, rails)
    cpu = root.table("cpu", optional=True)
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
        pcie_lanes=root.integer("pcie_lanes", 0, high=32),
        cpu_arch=_cpu_arch(cpu),
        cpu_family=cpu.integer("family", 0, high=4095),
        cpu_model=cpu.integer("model", 0, high=4095),
        cpu_lists=_cpu_lists(cpu, numa_nodes),
        switch_ids=_switch_ids(root),
        pci_map=root.text("pci_map", ""),
    )


def _cpu_arch(cpu: Table) -> str:
    """Return the architecture of the CPUs, empty where the file does not say it."""
    arch = cpu.text("arch", "")
    if arch and arch not in CPU_ARCHES:
        cpu.fault(codes.BAD_VALUE, f"arch is {arch!r}, it must be one of {', '.join(CPU_ARCHES)}", "arch")
    return arch


def _cpu_lists(cpu: Table, numa_nodes: int) -> tuple[str, ...]:
    """Return the CPUs of each NUMA node as the kernel lists them: ``0-55,112-167``."""
    lists = cpu.lines("lists", optional=True)
    if lists and len(lists) != numa_nodes:
        cpu.fault(codes.BAD_VALUE, f"lists has {len(lists)} items, there are {numa_nodes} NUMA nodes", "lists")
    for number, item in enumerate(lists):
        if not _CPU_LIST.fullmatch(item):
            cpu.fault(codes.BAD_VALUE, f"item {number} is {item!r}, it must look like '0-55,112-167'", "lists")
    cpu.close()
    return lists


def _switch_ids(root: Table) -> tuple[str, ...]:
    """Return the four PCI ids of the switches above NICs and GPUs; all of them or none."""
    if not root.has("switch"):
        return ()
    table = root.table("switch")
    names = ("vendor", "device", "subsystem_vendor", "subsystem_device")
    found = tuple(table.text(name) for name in names)
    for name, value in zip(names, found, strict=True):
        if value and not _PCI_ID.fullmatch(value):
            table.fault(codes.BAD_VALUE, f"{name} is {value!r}, it must look like '0x15b3'", name)
    table.close()
    return found


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
        switch_bdf=NO_SWITCH if table.text("switch", "") == NO_SWITCH else _bdf(table, "switch"),
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
