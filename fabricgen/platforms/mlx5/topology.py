"""PCIe topology of a server as NCCL reads it from a file: NUMA nodes, PCIe switches, NICs and GPUs.

NCCL finds a node by its PCI address and completes it from the machine, unless a ``<net>`` stands below: a NIC with one
is found by its name, and nothing above it is looked up. Then the file needs every attribute that NCCL asks for, and
also those that NCCL would add above a rank's own GPU only, because ranks whose nodes differ count them twice.

Source:
    NVIDIA/nccl 5067397c (2.30.7), src/graph/xml.cc (ncclTopoFillNet, ncclTopoGetXmlFromSys, ncclTopoGetXmlFromCpu),
    src/graph/xml.h (xmlFindNode), src/graph/topo.cc (ncclTopoAddCpu, ncclTopoAddPci).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Annotated

from fabricgen.device.model import NO_SWITCH, Hardware, HostClass, RailShape

LINK_SPEED_BY_PCIE_GEN = {3: "8.0 GT/s PCIe", 4: "16.0 GT/s PCIe", 5: "32.0 GT/s PCIe", 6: "64.0 GT/s PCIe"}
"""As NVIDIA/nccl 5067397c, src/graph/topo.cc, reads them (kvDictPciGen)."""

NIC_CLASS, GPU_CLASS = "0x020000", "0x030200"
"""Ethernet controller and 3D controller of the PCI code and ID assignment."""

CPUS_PER_WORD = 32


@dataclass(frozen=True, slots=True)
class TopologyDevice:
    """A NIC or a GPU; ``rdma`` is empty for a GPU, ``plane`` -1 where the NIC has none."""

    bdf: Annotated[str, "RailShape.nic_bdf", "RailShape.place"]
    pci_class: Annotated[str, "RailShape.nic_bdf", "RailShape.place"]
    rdma: Annotated[str, "RailShape.rdma"] = ""
    rail: Annotated[int, "RailShape.place"] = -1
    plane: Annotated[int, "RailShape.plane"] = -1


@dataclass(frozen=True, slots=True)
class TopologySwitch:
    """A PCIe switch and its devices by address; without address where they hang on roots of their own."""

    bdf: Annotated[str, "RailShape.place"]
    devices: Annotated[tuple[TopologyDevice, ...], "RailShape.nic_bdf", "RailShape.place"]


@dataclass(frozen=True, slots=True)
class TopologyNode:
    """A NUMA node, the mask of its CPUs, and its PCIe switches by address."""

    numa: Annotated[int, "RailShape.place"]
    affinity: Annotated[str, "Hardware.cpu_lists"]
    switches: Annotated[tuple[TopologySwitch, ...], "RailShape.place"]


@dataclass(frozen=True, slots=True)
class Topology:
    """The whole file; ``rails`` says whether it tells them, and with them everything above each NIC."""

    rails: Annotated[bool, "Collectives.topology_file"]
    link_speed: Annotated[str, "Hardware.pcie_gen"]
    hardware: Annotated[Hardware, "HostGroup.hardware"]
    nodes: Annotated[tuple[TopologyNode, ...], "Collectives.topology_file", "HostClass.rails"]


def build_topology(cls: HostClass) -> Topology | None:
    """Return the topology file of a class; None unless one is asked for and every rail has a place.

    Args:
        cls: The hosts.
    """
    form, hardware = cls.collectives.topology_file, cls.group.hardware
    unknown = any(not (r.nic_bdf and r.place.gpu_bdf and r.place.switch_bdf) or r.place.numa < 0 for r in cls.rails)
    if form == "none" or unknown or not cls.rails:
        return None
    masks = cpu_masks(hardware.cpu_lists)
    by_place = sorted(cls.rails, key=lambda rail: (rail.place.numa, rail.place.switch_bdf, rail.place.rail))
    nodes = []
    for numa, on_node in groupby(by_place, key=lambda rail: rail.place.numa):
        switches = tuple(
            TopologySwitch("" if bdf == NO_SWITCH else bdf, _devices(below))
            for bdf, below in groupby(on_node, key=lambda rail: rail.place.switch_bdf)
        )
        nodes.append(TopologyNode(numa, masks[numa] if masks else "", switches))
    return Topology(form == "rails", LINK_SPEED_BY_PCIE_GEN.get(hardware.pcie_gen, ""), hardware, tuple(nodes))


def _devices(rails: Iterable[RailShape]) -> tuple[TopologyDevice, ...]:
    """NICs and GPUs by PCI address, the order NCCL keeps (NVIDIA/nccl issue 820)."""
    devices = set()
    for rail in rails:
        devices.add(TopologyDevice(rail.nic_bdf, NIC_CLASS, rail.rdma, rail.place.rail, rail.plane))
        devices.add(TopologyDevice(rail.place.gpu_bdf, GPU_CLASS))
    return tuple(sorted(devices, key=lambda device: device.bdf))


def cpu_masks(cpu_lists: tuple[str, ...]) -> tuple[str, ...]:
    """Return the CPUs of each NUMA node as words of 32 bits in hex, the highest first, as ``cpumap`` in sysfs.

    Args:
        cpu_lists: The same as the kernel lists them, such as ``0-55,112-167``.
    """
    masks = [sum(1 << cpu for span in cpus.split(",") for cpu in _span(span)) for cpus in cpu_lists]
    words = max((mask.bit_length() + CPUS_PER_WORD - 1) // CPUS_PER_WORD for mask in masks) if masks else 0
    last = (1 << CPUS_PER_WORD) - 1
    return tuple(
        ",".join(f"{mask >> CPUS_PER_WORD * word & last:08x}" for word in reversed(range(words))) for mask in masks
    )


def _span(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)
