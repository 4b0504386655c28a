"""PCIe topology of a server as NCCL reads it from a file: NUMA nodes, PCIe switches, NICs and GPUs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from fabricgen.device.model import RailShape


@dataclass(frozen=True, slots=True)
class TopologyDevice:
    """A device behind a PCIe switch: a NIC if ``rdma`` is set, otherwise a GPU."""

    bdf: str
    rdma: str
    rail: int
    speed_mbps: int


@dataclass(frozen=True, slots=True)
class TopologySwitch:
    """A PCIe switch and its devices by address."""

    bdf: str
    devices: tuple[TopologyDevice, ...]


@dataclass(frozen=True, slots=True)
class TopologyNode:
    """A NUMA node and its PCIe switches by address."""

    numa: int
    switches: tuple[TopologySwitch, ...]


def build_topology(rails: tuple[RailShape, ...]) -> tuple[TopologyNode, ...]:
    """NUMA nodes, PCIe switches and devices; nothing if any rail's place is not fully known."""
    if any(not (r.nic_bdf and r.gpu_bdf and r.switch_bdf) or r.numa < 0 for r in rails):
        return ()
    by_place = sorted(rails, key=lambda rail: (rail.numa, rail.switch_bdf, rail.rail))
    nodes = []
    for numa, on_node in groupby(by_place, key=lambda rail: rail.numa):
        switches = tuple(
            TopologySwitch(bdf, _devices(behind)) for bdf, behind in groupby(on_node, key=lambda rail: rail.switch_bdf)
        )
        nodes.append(TopologyNode(numa, switches))
    return tuple(nodes)


def _devices(rails: Iterable[RailShape]) -> tuple[TopologyDevice, ...]:
    """NICs and GPUs by PCI address, the order NCCL keeps (NVIDIA/nccl issue 820)."""
    devices = set()
    for rail in rails:
        devices.add(TopologyDevice(rail.nic_bdf, rail.rdma, rail.rail, rail.speed_gbps * 1000))
        devices.add(TopologyDevice(rail.gpu_bdf, "", 0, 0))
    return tuple(sorted(devices, key=lambda device: device.bdf))


TOPOLOGY_ORIGINS: dict[str, dict[str, str | tuple[str, ...]]] = {
    "TopologyDevice": {
        "bdf": ("RailShape.nic_bdf", "RailShape.gpu_bdf"),
        "rdma": "RailShape.rdma",
        "rail": "RailShape.rail",
        "speed_mbps": "RailShape.speed_gbps",
    },
    "TopologySwitch": {"bdf": "RailShape.switch_bdf", "devices": ("RailShape.nic_bdf", "RailShape.gpu_bdf")},
    "TopologyNode": {"numa": "RailShape.numa", "switches": "RailShape.switch_bdf"},
}
"""``ORIGINS`` of the topology."""
