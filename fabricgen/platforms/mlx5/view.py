"""What the templates of ``templates/shared/mlx5`` see: the lossless contract in the words of mlx5 and NCCL.

Input: a HostClass and what sets a family of NICs apart. Output: NicView, strings and rows ready to be written. Entry
points: ``nic_view``, ``device_view``; the view module of a family has a ``class_view`` that names the family.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby
from math import ceil
from typing import NamedTuple

from fabricgen.device.model import Collectives, Contract, Host, HostClass, RailShape
from fabricgen.platforms.code_points import CODE_POINT_ORIGINS, CodePoint, code_point_rows

PRIORITIES = range(8)
CODE_POINTS_PER_ROW = 8

DEBUGFS_NAMES = {
    "clamp_tgt_rate_after_time_inc": "rp_clamp_tgt_rate_ati",
    "cnp_802p_prio": "np_cnp_prio",
}
"""Names that follow no rule, Linux drivers/infiniband/hw/mlx5/cong.c (mlx5_ib_dbg_cc_name)."""

RECEIVER_PARAMETERS = ("min_time_between_cnps", "cnp_dscp", "cnp_802p_prio")
"""Parameters of the notification point; all others are the reaction point's."""

LINK_SPEED_BY_PCIE_GEN = {3: "8.0 GT/s PCIe", 4: "16.0 GT/s PCIe", 5: "32.0 GT/s PCIe", 6: "64.0 GT/s PCIe"}
"""As NVIDIA/nccl 5067397c, src/graph/topo.cc, reads them (kvDictPciGen)."""

LINK_TYPE_ETHERNET = 2
ADAPTIVE_ROUTING = "ROCE_ADAPTIVE_ROUTING_EN"
"""Off as shipped; Mellanox/mstflint b9d9e844, mlxconfig_host.db, nv_sw_offload_conf."""
CNP_DSCP_FIXED, CNP_PRIORITY_FIXED = 1, 0
"""Values of LINK_TYPE, CNP_DSCP_MODE and CNP_RES_PRIO_MODE, Mellanox/mstflint b9d9e844, mlxconfig_host.db."""

READS_TOPOLOGY = ("nccl", "vccl")
"""Libraries that read a topology file in the form of NCCL."""

INSPECTORS = {"nccl": "libnccl-profiler-inspector.so", "rccl": "librccl-profiler-inspector.so"}
"""What plugins/profiler/inspector of each builds: NVIDIA/nccl 5067397c; ROCm/rocm-systems 03a89144, projects/rccl."""

MNNVL_NEVER, MNNVL_WHERE_UP = 0, 2
"""NVIDIA/nccl 5067397c, src/init.cc, NCCL_MNNVL_ENABLE."""

_OF_NIC = ("HostClass.nic_family",)
_OF_ROUTING = ("HostClass.reordered",)
_OF_MODE = ("Contract.mode", "HostClass.nic_family")
_OF_MASK = ("Contract.lossless", "Contract.mode")
_OF_DCQCN = ("Collectives.dcqcn",)
_ORIGINS_OF = {"cnp_dscp": ("TrafficClass.dscp",), "cnp_802p_prio": ("TrafficClass.priority",)}
"""Parameters that are no DCQCN parameters of the contract, but how it marks a CNP."""

FIRMWARE_LLDP_OFF = ("LLDP_NB_DCBX", "LLDP_NB_RX_MODE", "LLDP_NB_TX_MODE", "DCBX_WILLING")
"""Firmware that must not negotiate what the host sets; LLDP frames then reach the host."""


class Family(NamedTuple):
    """What sets a family of NICs apart.

    Attributes:
        adaptive_routing: It places packets that overtook each other, and has a key that allows it.
        settings: Firmware settings that only this family has, with their values.
    """

    adaptive_routing: bool = False
    settings: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class RailLine:
    """A port of a NIC; ``cable_m`` is whole metres, as mlx5 takes it, and ``nic_bdf`` is empty where unknown.

    Attributes:
        rdma: RDMA device that the port belongs to; the ports of a bond have one between them.
        number: Number of the port in the names of firmware settings, from 1.
    """

    interface: str
    rdma: str
    nic_bdf: str
    cable_m: int
    number: int


@dataclass(frozen=True, slots=True)
class Knob:
    """A congestion control parameter of the running driver and its value; ``origins`` as in ``ORIGINS``."""

    sysfs: str
    debugfs: str
    value: int
    origins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Setting:
    """A firmware setting; ``origins`` as in ``ORIGINS``."""

    key: str
    value: int
    origins: tuple[str, ...]


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


@dataclass(frozen=True, slots=True)
class NicView:
    """A class of hosts as its NIC files need it.

    Attributes:
        rails: Every port that carries a rail.
        nics: What names each NIC to the firmware's tool: the rail, or the first port of its bond.
        pfc: 0 or 1 per priority; ``tsa`` (ets, strict) and ``tc_bw`` (percent) are per priority too.
        dscp_rows: Code points and their priorities, eight a row.
        tos: Type of service of RoCE data, which is also NCCL's traffic class.
        credit_tos: The same of the receiver's credits; None where they travel with the data.
        dcqcn_priorities: Priorities DCQCN runs on, space separated; ``cc_mask`` is the same as a bit mask.
        library: Collective library; empty where the hosts have no GPU. ``collectives`` are its settings.
        inspector: Plug-in that measures; empty where the library does so itself.
        mnnvl: Whether NCCL uses NVLink between hosts: 2 if its fabric is up, 0 never; None where it ends at the host.
        hcas: RDMA devices, comma separated.
        gid_family: Address family of the GIDs, and ``supernet`` their prefix: IPv4 where the fabric has it.
        numa_nodes: PCIe topology; empty unless every address of it is known.
    """

    fabric: str
    group: str
    mode: str
    reason: str
    rails: tuple[RailLine, ...]
    nics: tuple[RailLine, ...]
    pfc: tuple[int, ...]
    tsa: tuple[str, ...]
    tc_bw: tuple[int, ...]
    dscp_rows: tuple[tuple[CodePoint, ...], ...]
    data_dscp: int
    tos: int
    credit_tos: int | None
    dcqcn_priorities: str
    cc_mask: int
    knobs: tuple[Knob, ...]
    firmware: tuple[Setting, ...]
    library: str
    inspector: str
    collectives: Collectives
    mnnvl: int | None
    hcas: str
    gid_family: str
    supernet: str
    numa_nodes: tuple[TopologyNode, ...]
    link_speed: str
    gpu_sm: int
    nic_pci_vendor: str
    nic_pci_device: str


def nic_view(cls: HostClass, family: Family) -> NicView:
    """Put a class of hosts into the words of its NIC."""
    contract, collectives = cls.contract, cls.collectives
    priorities = _dcqcn_priorities(contract)
    mask = sum(1 << priority for priority in priorities)
    parameters = (*collectives.dcqcn, *_cnp(contract)) if priorities else ()
    classes = {priority: [c for c in contract.classes if c.priority == priority] for priority in PRIORITIES}
    return NicView(
        fabric=cls.fabric,
        group=cls.group,
        mode=contract.mode,
        reason=contract.reason,
        rails=tuple(line for rail in cls.rails for line in _lines(rail)),
        nics=tuple(_lines(rail)[0] for rail in cls.rails),
        pfc=tuple(int(priority in contract.lossless) for priority in PRIORITIES),
        tsa=tuple("strict" if any(c.strict for c in classes[p]) else "ets" for p in PRIORITIES),
        tc_bw=tuple(sum(c.weight_pct for c in classes[p] if not c.strict) for p in PRIORITIES),
        dscp_rows=code_point_rows(contract, CODE_POINTS_PER_ROW),
        data_dscp=collectives.data_dscp,
        tos=collectives.data_dscp << 2,
        credit_tos=collectives.credit_dscp << 2 if collectives.credit_dscp >= 0 else None,
        dcqcn_priorities=" ".join(str(priority) for priority in priorities),
        cc_mask=mask,
        knobs=tuple(_knob(name, value) for name, value in parameters),
        firmware=(*_of_family(cls, family), *_firmware(cls.nic_ports, mask, parameters)),
        library=cls.library,
        inspector=INSPECTORS.get(cls.library, ""),
        collectives=collectives,
        mnnvl=_mnnvl(cls),
        hcas=",".join(rail.rdma for rail in cls.rails),
        gid_family="AF_INET" if cls.supernet else "AF_INET6",
        supernet=cls.supernet or cls.supernet6,
        numa_nodes=_topology(cls.rails) if cls.library in READS_TOPOLOGY else (),
        link_speed=LINK_SPEED_BY_PCIE_GEN.get(cls.pcie_gen, ""),
        gpu_sm=cls.gpu_sm,
        nic_pci_vendor=cls.nic_pci_vendor,
        nic_pci_device=cls.nic_pci_device,
    )


def device_view(device: Host, class_view: NicView, /) -> Host:
    """Leave a host as it is: no file of the NIC depends on identity."""
    return device


def _mnnvl(cls: HostClass) -> int | None:
    """NCCL_MNNVL_ENABLE: only hosts of a declared domain can trust each other's NVLink to be up."""
    if cls.nvlink_hosts == 1:
        return None
    return MNNVL_WHERE_UP if cls.nvlink_domain > 1 else MNNVL_NEVER


def _lines(rail: RailShape) -> list[RailLine]:
    """The ports of a rail: those of its bond, or its own.

    Source:
        Linux 7907f23adc18, RoCE LAG: one RDMA device for both ports of a card while its bond is up.
    """
    cable_m = ceil(rail.cable_m)
    if not rail.members:
        return [RailLine(rail.interface, rail.rdma, rail.nic_bdf, cable_m, rail.port + 1)]
    return [RailLine(port.interface, rail.rdma, port.nic_bdf, cable_m, port.port + 1) for port in rail.members]


def _dcqcn_priorities(contract: Contract) -> tuple[int, ...]:
    """Priorities DCQCN runs on: those of the lossless classes, whether PFC guards them too or not."""
    if contract.mode == "pfc_only":
        return ()
    return tuple(sorted({c.priority for c in contract.classes if c.lossless}))


def _cnp(contract: Contract) -> tuple[tuple[str, int], ...]:
    """Parameters that mark a CNP as the contract says."""
    cnp = contract.by_name("cnp")
    return (("cnp_dscp", cnp.dscp[0]), ("cnp_802p_prio", cnp.priority)) if cnp and cnp.dscp else ()


def _knob(name: str, value: int) -> Knob:
    """The files of a parameter, named after its firmware key."""
    side = "np" if name in RECEIVER_PARAMETERS else "rp"
    debugfs = DEBUGFS_NAMES.get(name, f"{side}_{name.removeprefix('rpg_')}")
    return Knob(f"roce_{side}/{name}", debugfs, value, _ORIGINS_OF.get(name, _OF_DCQCN))


def _of_family(cls: HostClass, family: Family) -> tuple[Setting, ...]:
    """Settings of the family: its own, and whether packets may overtake each other, which the switches decide."""
    own = tuple(Setting(key, value, _OF_NIC) for key, value in family.settings)
    if not family.adaptive_routing:
        return own
    return (*own, Setting(ADAPTIVE_ROUTING, int(cls.reordered), _OF_ROUTING))


def _firmware(ports: int, mask: int, parameters: tuple[tuple[str, int], ...]) -> tuple[Setting, ...]:
    """Settings that survive a reset, of each port of a NIC; the legacy algorithm is that of the DCQCN parameters."""
    found = [Setting("ROCE_CC_LEGACY_DCQCN", 1, _OF_MODE)] if mask else []
    for port in range(1, ports + 1):
        settings = [
            Setting("LINK_TYPE", LINK_TYPE_ETHERNET, _OF_NIC),
            Setting("ROCE_CC_PRIO_MASK", mask, _OF_MASK),
            *(Setting(key, 0, _OF_NIC) for key in FIRMWARE_LLDP_OFF),
        ]
        if mask:
            settings += [
                Setting("CNP_DSCP_MODE", CNP_DSCP_FIXED, _OF_MODE),
                Setting("CNP_RES_PRIO_MODE", CNP_PRIORITY_FIXED, _OF_MODE),
            ]
        settings += [Setting(name.upper(), value, _ORIGINS_OF.get(name, _OF_DCQCN)) for name, value in parameters]
        found += [replace(setting, key=f"{setting.key}_P{port}") for setting in settings]
    return tuple(found)


def _topology(rails: tuple[RailShape, ...]) -> tuple[TopologyNode, ...]:
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


ORIGINS: dict[str, dict[str, str | tuple[str, ...]]] = {
    "CodePoint": CODE_POINT_ORIGINS,
    "RailLine": {
        "interface": ("RailShape.interface", "RailPort.interface"),
        "rdma": "RailShape.rdma",
        "nic_bdf": ("RailShape.nic_bdf", "RailPort.nic_bdf"),
        "cable_m": "RailShape.cable_m",
        "number": ("RailShape.port", "RailPort.port"),
    },
    "Knob": {
        "sysfs": "Collectives.dcqcn",
        "debugfs": "Collectives.dcqcn",
        "value": ("Collectives.dcqcn", "TrafficClass.dscp", "TrafficClass.priority"),
    },
    "Setting": {
        "key": ("Contract.mode", "Collectives.dcqcn"),
        "value": ("Collectives.dcqcn", "TrafficClass.lossless", "TrafficClass.dscp", "TrafficClass.priority"),
    },
    "TopologyDevice": {
        "bdf": ("RailShape.nic_bdf", "RailShape.gpu_bdf"),
        "rdma": "RailShape.rdma",
        "rail": "RailShape.rail",
        "speed_mbps": "RailShape.speed_gbps",
    },
    "TopologySwitch": {"bdf": "RailShape.switch_bdf", "devices": ("RailShape.nic_bdf", "RailShape.gpu_bdf")},
    "TopologyNode": {"numa": "RailShape.numa", "switches": "RailShape.switch_bdf"},
    "NicView": {
        "fabric": "HostClass.fabric",
        "group": "HostClass.group",
        "mode": "Contract.mode",
        "reason": "Contract.reason",
        "rails": "HostClass.rails",
        "nics": "HostClass.rails",
        "pfc": "Contract.lossless",
        "tsa": "TrafficClass.strict",
        "tc_bw": "TrafficClass.weight_pct",
        "dscp_rows": "Contract.priority_by_dscp",
        "data_dscp": "Collectives.data_dscp",
        "tos": "Collectives.data_dscp",
        "credit_tos": "Collectives.credit_dscp",
        "dcqcn_priorities": _OF_MASK,
        "cc_mask": _OF_MASK,
        "knobs": "Collectives.dcqcn",
        "firmware": "Collectives.dcqcn",
        "library": "HostClass.library",
        "inspector": "HostClass.library",
        "collectives": "HostClass.collectives",
        "mnnvl": ("HostClass.nvlink_domain", "HostClass.nvlink_hosts"),
        "hcas": "RailShape.rdma",
        "gid_family": ("HostClass.supernet", "HostClass.supernet6"),
        "supernet": ("HostClass.supernet", "HostClass.supernet6"),
        "numa_nodes": "HostClass.rails",
        "link_speed": "HostClass.pcie_gen",
        "gpu_sm": "HostClass.gpu_sm",
        "nic_pci_vendor": "HostClass.nic_pci_vendor",
        "nic_pci_device": "HostClass.nic_pci_device",
    },
}
