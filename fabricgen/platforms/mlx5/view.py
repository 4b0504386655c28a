"""View for the templates of ``templates/nic/mlx5``: the lossless contract in the words of mlx5 and NCCL.

Input: a HostClass. Output: NicView, strings and rows ready to be written. Entry points: ``class_view``,
``device_view``.

NCCL finds a node of its topology file by its PCI address and completes it from the machine, unless a ``<net>`` stands
below: a NIC with one is found by its name, and nothing above it is looked up. Then the file needs every attribute that
NCCL asks for, and also those that NCCL would add above a rank's own GPU only, because ranks whose nodes differ count
them twice.

Source:
    NVIDIA/nccl 5067397c (2.30.7), src/graph/xml.cc (ncclTopoFillNet, ncclTopoGetXmlFromSys, ncclTopoGetXmlFromCpu),
    src/graph/xml.h (xmlFindNode), src/graph/topo.cc (ncclTopoAddCpu, ncclTopoAddPci).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby
from math import ceil
from typing import Annotated

from fabricgen.device.model import NO_SWITCH, Collectives, Contract, Hardware, Host, HostClass, RailShape
from fabricgen.platforms.views.switch import CodePoint, code_point_rows

LINK_SPEED_BY_PCIE_GEN = {3: "8.0 GT/s PCIe", 4: "16.0 GT/s PCIe", 5: "32.0 GT/s PCIe", 6: "64.0 GT/s PCIe"}
"""As NVIDIA/nccl 5067397c, src/graph/topo.cc, reads them (kvDictPciGen)."""

NIC_CLASS, GPU_CLASS = "0x020000", "0x030200"
"""Ethernet controller and 3D controller of the PCI code and ID assignment."""

CPUS_PER_WORD = 32
DEBUGFS_NAMES = {"clamp_tgt_rate_after_time_inc": "rp_clamp_tgt_rate_ati", "cnp_802p_prio": "np_cnp_prio"}
"""Names that follow no rule, Linux drivers/infiniband/hw/mlx5/cong.c (mlx5_ib_dbg_cc_name)."""
RECEIVER_PARAMETERS = ("min_time_between_cnps", "cnp_dscp", "cnp_802p_prio")
"""Parameters of the notification point; all others are the reaction point's."""
LINK_TYPE_ETHERNET = 2
OFFLOAD_ENGINE_DISABLED = 1
CNP_FIXED = {"CNP_DSCP_MODE": 1, "CNP_RES_PRIO_MODE": 0}
"""Values of LINK_TYPE, of INTERNAL_CPU_OFFLOAD_ENGINE (NIC mode: the ports belong to the host, not to the NIC's cores)
and of how a CNP is marked, Mellanox/mstflint b9d9e844, mlxconfig_host.db."""
_OF_NIC = ("HostGroup.nic_family",)
_OF_MODE = ("Contract.mode", "HostGroup.nic_family")
OF_MASK = ("Contract.lossless", "Contract.mode")
_OF_DCQCN = ("Collectives.dcqcn",)
_ORIGINS_OF = {"cnp_dscp": ("TrafficClass.mark",), "cnp_802p_prio": ("TrafficClass.priority",)}
"""Parameters that are no DCQCN parameters of the contract, but how it marks a CNP."""
FIRMWARE_LLDP_OFF = ("LLDP_NB_DCBX", "LLDP_NB_RX_MODE", "LLDP_NB_TX_MODE", "DCBX_WILLING")
"""Firmware that must not negotiate what the host sets; LLDP frames then reach the host, whose lldpd sends its own."""
PRIORITIES = range(8)
CODE_POINTS_PER_ROW = 8
ECT0 = 2
"""RFC 3168, section 5."""
READS_TOPOLOGY = ("nccl", "vccl")
"""Libraries that read a topology file in the form of NCCL."""
INSPECTORS = {"nccl": "libnccl-profiler-inspector.so", "rccl": "librccl-profiler-inspector.so"}
"""Libraries that plugins/profiler/inspector builds: NVIDIA/nccl 5067397c; ROCm/rocm-systems 03a89144, projects/rccl."""
MNNVL_NEVER, MNNVL_WHERE_UP = 0, 2
"""NVIDIA/nccl 5067397c, src/init.cc, NCCL_MNNVL_ENABLE."""


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
    """Return the topology file of a class; None unless one is asked for and every rail has a place."""
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

    Given are lists as the kernel writes them, such as ``0-55,112-167``.
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


@dataclass(frozen=True, slots=True)
class Knob:
    """A congestion control parameter of the running driver and its value; ``origins`` are its own."""

    sysfs: Annotated[str, "Collectives.dcqcn"]
    debugfs: Annotated[str, "Collectives.dcqcn"]
    value: Annotated[int, "Collectives.dcqcn", "TrafficClass.mark", "TrafficClass.priority"]
    origins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FirmwareSetting:
    """A firmware setting; ``origins`` are its own."""

    key: Annotated[str, "Contract.mode", "Collectives.dcqcn"]
    value: Annotated[int, "Collectives.dcqcn", "TrafficClass.lossless", "TrafficClass.mark", "TrafficClass.priority"]
    origins: tuple[str, ...]


def dcqcn_priorities(contract: Contract) -> tuple[int, ...]:
    """Priorities DCQCN runs on: those of the lossless classes, whether PFC guards them too or not."""
    if contract.mode == "pfc_only":
        return ()
    return tuple(sorted({c.priority for c in contract.classes if c.lossless}))


def cnp_parameters(contract: Contract) -> tuple[tuple[str, int], ...]:
    """Parameters that mark a CNP as the contract says."""
    cnp = contract.by_name("cnp")
    return (("cnp_dscp", cnp.mark), ("cnp_802p_prio", cnp.priority)) if cnp and cnp.dscp else ()


def build_knob(name: str, value: int) -> Knob:
    """The files of a parameter, named after its firmware key."""
    side = "np" if name in RECEIVER_PARAMETERS else "rp"
    debugfs = DEBUGFS_NAMES.get(name, f"{side}_{name.removeprefix('rpg_')}")
    return Knob(f"roce_{side}/{name}", debugfs, value, _ORIGINS_OF.get(name, _OF_DCQCN))


def firmware_settings(cls: HostClass, mask: int, values: tuple[tuple[str, int], ...]) -> tuple[FirmwareSetting, ...]:
    """Settings of the whole NIC, then those that survive a reset, of each of its ports."""
    found = []
    if cls.group.embedded_cpu:
        found.append(
            FirmwareSetting("INTERNAL_CPU_OFFLOAD_ENGINE", OFFLOAD_ENGINE_DISABLED, ("HostGroup.embedded_cpu",))
        )
    if cls.group.out_of_order:
        found.append(FirmwareSetting("ROCE_ADAPTIVE_ROUTING_EN", int(cls.reordered), ("HostClass.reordered",)))
    return (*found, *_of_ports(cls.group.nic_ports, mask, values))


def _of_ports(ports: int, mask: int, parameters: tuple[tuple[str, int], ...]) -> tuple[FirmwareSetting, ...]:
    """Settings that survive a reset, of each port of a NIC; the legacy algorithm is that of the DCQCN parameters."""
    found = [FirmwareSetting("ROCE_CC_LEGACY_DCQCN", 1, _OF_MODE)] if mask else []
    for port in range(1, ports + 1):
        settings = [
            FirmwareSetting("LINK_TYPE", LINK_TYPE_ETHERNET, _OF_NIC),
            FirmwareSetting("ROCE_CC_PRIO_MASK", mask, OF_MASK),
            *(FirmwareSetting(key, 0, _OF_NIC) for key in FIRMWARE_LLDP_OFF),
            *(FirmwareSetting(key, value, _OF_MODE) for key, value in CNP_FIXED.items() if mask),
            *(FirmwareSetting(name.upper(), value, _ORIGINS_OF.get(name, _OF_DCQCN)) for name, value in parameters),
        ]
        found += [replace(setting, key=f"{setting.key}_P{port}") for setting in settings]
    return tuple(found)


@dataclass(frozen=True, slots=True)
class RailLine:
    """A port of a NIC; ``whole_m`` is its cable, rounded up for mlx5, and ``nic_bdf`` is empty where unknown.

    Attributes:
        rdma: RDMA device that the port belongs to; the ports of a bond have one between them.
        number: Number of the port in the names of firmware settings, from 1.
        link: Autonegotiation and speed in Mb/s, ``on:400000``; a dash where the NIC is left as it is.
    """

    interface: Annotated[str, "RailShape.interface", "RailPort.interface"]
    rdma: Annotated[str, "RailShape.rdma"]
    nic_bdf: Annotated[str, "RailShape.nic_bdf", "RailPort.nic_bdf"]
    whole_m: Annotated[int, "RailShape.length_m"]
    number: Annotated[int, "RailShape.port", "RailPort.port"]
    link: Annotated[str, "RailShape.autoneg", "RailShape.port_gbps"]


@dataclass(frozen=True, slots=True)
class NicView:
    """A class of hosts as its NIC files need it.

    Attributes:
        rails: Every port that carries a rail.
        nics: What names each NIC to the firmware's tool: the rail, or the first port of its bond.
        pfc: 0 or 1 per priority; ``tsa`` (ets, strict) and ``tc_bw`` (percent) are per priority too.
        dscp_rows: Code points and their priorities, eight a row.
        tos: Type of service of RoCE data, which is also NCCL's traffic class.
        tos_ect: The same with ECT(0), for programs that set both bits of ECN themselves.
        credit_tos: The same of the receiver's credits; None where they travel with the data.
        dcqcn_priorities: Priorities DCQCN runs on, space separated; ``cc_mask`` is the same as a bit mask.
        version: Firmware that has to run; empty where any does. ``firmware`` has its settings.
        library: Collective library; empty where the hosts have no GPU. ``collectives`` are its settings.
        inspector: Plug-in that measures; empty where the library does so itself.
        mnnvl: Whether NCCL uses NVLink between hosts: 2 if its fabric is up, 0 never; None where it ends at the host.
        hcas: RDMA devices, comma separated.
        gid_family: Address family of the GIDs, and ``supernet`` their prefix: IPv4 where the fabric has it.
        topology: PCIe topology; None where no file of it is asked for.
    """

    fabric: Annotated[str, "HostClass.fabric"]
    group: Annotated[str, "HostGroup.name"]
    mode: Annotated[str, "Contract.mode"]
    reason: Annotated[str, "Contract.reason"]
    rails: Annotated[tuple[RailLine, ...], "HostClass.rails"]
    nics: Annotated[tuple[RailLine, ...], "HostClass.rails"]
    pfc: Annotated[tuple[int, ...], "Contract.lossless"]
    tsa: Annotated[tuple[str, ...], "TrafficClass.strict"]
    tc_bw: Annotated[tuple[int, ...], "TrafficClass.weight_pct"]
    dscp_rows: Annotated[tuple[tuple[CodePoint, ...], ...], "Contract.priority_by_dscp"]
    data_dscp: Annotated[int, "Collectives.data_dscp"]
    tos: Annotated[int, "Collectives.data_dscp"]
    tos_ect: Annotated[int, "Collectives.data_dscp"]
    credit_tos: Annotated[int | None, "Collectives.credit_dscp"]
    dcqcn_priorities: Annotated[str, "Contract.lossless", "Contract.mode"]
    cc_mask: Annotated[int, "Contract.lossless", "Contract.mode"]
    knobs: Annotated[tuple[Knob, ...], "Collectives.dcqcn"]
    firmware: Annotated[tuple[FirmwareSetting, ...], "Collectives.dcqcn"]
    version: Annotated[str, "HostGroup.firmware"]
    library: Annotated[str, "HostGroup.library"]
    inspector: Annotated[str, "HostGroup.library"]
    collectives: Annotated[Collectives, "HostClass.collectives"]
    adaptive: Annotated[bool, "HostClass.adaptive"]
    mnnvl: Annotated[int | None, "HostGroup.nvlink_domain", "HostGroup.nvlink_hosts"]
    hcas: Annotated[str, "RailShape.rdma"]
    gid_family: Annotated[str, "HostClass.supernet", "HostClass.supernet6"]
    supernet: Annotated[str, "HostClass.supernet", "HostClass.supernet6"]
    topology: Annotated[Topology | None, "Collectives.topology_file", "HostClass.rails"]


def class_view(cls: HostClass, /) -> NicView:
    """Put a class of hosts into the words of its NIC."""
    contract, collectives = cls.contract, cls.collectives
    priorities = dcqcn_priorities(contract)
    mask = sum(1 << priority for priority in priorities)
    parameters = (*collectives.dcqcn, *cnp_parameters(contract)) if priorities else ()
    tsa, tc_bw = zip(*(_schedule(contract, priority) for priority in PRIORITIES), strict=True)
    return NicView(
        fabric=cls.fabric,
        group=cls.group.name,
        mode=contract.mode,
        reason=contract.reason,
        rails=tuple(line for rail in cls.rails for line in _lines(rail)),
        nics=tuple(_lines(rail)[0] for rail in cls.rails),
        pfc=tuple(int(priority in contract.lossless) for priority in PRIORITIES),
        tsa=tsa,
        tc_bw=tc_bw,
        dscp_rows=code_point_rows(contract, CODE_POINTS_PER_ROW),
        data_dscp=collectives.data_dscp,
        version=cls.group.firmware,
        tos=collectives.data_dscp << 2,
        tos_ect=collectives.data_dscp << 2 | ECT0,
        credit_tos=collectives.credit_dscp << 2 if collectives.credit_dscp >= 0 else None,
        dcqcn_priorities=" ".join(str(priority) for priority in priorities),
        cc_mask=mask,
        knobs=tuple(build_knob(name, value) for name, value in parameters),
        firmware=firmware_settings(cls, mask, parameters),
        library=cls.group.library,
        inspector=INSPECTORS.get(cls.group.library, ""),
        collectives=collectives,
        adaptive=cls.adaptive,
        mnnvl=_mnnvl(cls),
        hcas=",".join(rail.rdma for rail in cls.rails),
        gid_family="AF_INET" if cls.supernet else "AF_INET6",
        supernet=cls.supernet or cls.supernet6,
        topology=build_topology(cls) if cls.group.library in READS_TOPOLOGY else None,
    )


def device_view(device: Host, class_view: NicView, /) -> Host:
    """Leave a host as it is: no file of the NIC depends on identity."""
    return device


def _schedule(contract: Contract, priority: int) -> tuple[str, int]:
    """Scheduler and share of a priority."""
    classes = [found for found in contract.classes if found.priority == priority]
    strict = any(found.strict for found in classes)
    return "strict" if strict else "ets", sum(found.weight_pct for found in classes if not found.strict)


def _mnnvl(cls: HostClass) -> int | None:
    """NCCL_MNNVL_ENABLE: only hosts of a declared domain can trust each other's NVLink to be up."""
    if cls.group.nvlink_hosts == 1:
        return None
    return MNNVL_WHERE_UP if cls.group.nvlink_domain > 1 else MNNVL_NEVER


def _lines(rail: RailShape) -> list[RailLine]:
    """The ports of a rail: those of its bond, or its own.

    Source:
        Linux 7907f23adc18, RoCE LAG: one RDMA device for both ports of a card while its bond is up.
    """
    whole_m = ceil(rail.length_m)
    link = f"{rail.autoneg}:{rail.port_gbps * 1000}" if rail.autoneg else "-"
    if not rail.members:
        return [RailLine(rail.interface, rail.rdma, rail.nic_bdf, whole_m, rail.port + 1, link)]
    return [RailLine(port.interface, rail.rdma, port.nic_bdf, whole_m, port.port + 1, link) for port in rail.members]
