"""View for the templates of ``templates/nic/mlx5``: the lossless contract in the words of mlx5 and NCCL.

Input: a HostClass. Output: NicView, strings and rows ready to be written. Entry points: ``class_view``,
``device_view``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Annotated

from fabricgen.device.model import Collectives, Contract, Host, HostClass, RailShape
from fabricgen.platforms.mlx5.parameters import (
    FirmwareSetting,
    Knob,
    build_knob,
    cnp_parameters,
    dcqcn_priorities,
    firmware_settings,
)
from fabricgen.platforms.mlx5.topology import Topology, build_topology
from fabricgen.platforms.views.switch import CodePoint, code_point_rows

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
