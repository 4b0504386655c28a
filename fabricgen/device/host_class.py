"""Lowering of what the hosts of a group share: their rails and the interfaces of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from fabricgen.device.model import HostClass, RailPort, RailShape
from fabricgen.plan.model.exceptions import LinkException
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.topology import HostGroup, RailPlace

FIRST_RAIL_TABLE = 101
"""Routing table of rail 0; tables up to 100 and from 253 are left to the system and the operator."""


def build_host_class(plan: FabricPlan, key: str, group: HostGroup, bdfs: Mapping[tuple[int, int], str]) -> HostClass:
    """The class of the hosts of a group.

    Args:
        plan: The plan.
        key: Identity of the class.
        group: The host group.
        bdfs: PCI addresses by rail and NIC port, where the asset list gives them.
    """
    rails = tuple(shape for rail in group.rails for shape in _rail_shapes(group, rail, bdfs))
    return HostClass(
        key=key,
        fabric=plan.name,
        group=group.name,
        server=group.server,
        nic=group.nic,
        os=group.os,
        nic_family=group.nic_family,
        gpus=group.gpus,
        gpu_sm=group.gpu_sm,
        cpu_vendor=group.cpu_vendor,
        numa_nodes=group.numa_nodes,
        pcie_gen=group.pcie_gen,
        nic_pci_vendor=group.nic_pci_vendor,
        nic_pci_device=group.nic_pci_device,
        rails=rails,
        supernet=plan.addressing.host_links.prefix4,
        supernet6=plan.addressing.host_links.prefix6,
        contract=plan.contract,
        collectives=plan.collectives,
        nic_ports=group.nic_ports,
        nvlink_domain=group.nvlink_domain,
        nvlink_hosts=group.nvlink_hosts,
        library=group.library,
        reordered=any(tier.routing.load_balancing == "per_packet" for tier in plan.tiers),
    )


def _rail_shapes(group: HostGroup, rail: RailPlace, bdfs: Mapping[tuple[int, int], str]) -> Iterator[RailShape]:
    """The interfaces of a rail: one per NIC port, or one for all of them where they bond or the NIC spreads."""
    first = bdfs.get((rail.rail, 0), rail.nic_bdf)
    addresses = [bdfs.get((rail.rail, port)) or _port_bdf(first, port) for port in range(group.nic_ports)]
    link = group.link
    ports = 1 if group.bond or group.spread else group.nic_ports
    for port in range(ports):
        suffix = f"p{port}" if ports > 1 else ""
        yield RailShape(
            rail=rail.rail,
            interface=f"rail{rail.rail}{suffix}",
            rdma=f"roce_r{rail.rail}{suffix}",
            table=FIRST_RAIL_TABLE + rail.rail * ports + port,
            mtu_bytes=link.mtu_bytes,
            speed_gbps=link.speed_gbps * (group.nic_ports if group.bond or group.spread else 1),
            cable_m=link.length_m,
            nic_bdf=addresses[port],
            gpu_bdf=rail.gpu_bdf,
            switch_bdf=rail.switch_bdf,
            numa=rail.numa,
            link=link.name,
            port=port,
            members=tuple(RailPort(member, f"rail{rail.rail}p{member}", bdf) for member, bdf in enumerate(addresses))
            if group.bond
            else (),
        )


def cabled_rails(
    rails: Iterable[RailShape], changes: Mapping[tuple[int, int], LinkException | None]
) -> tuple[RailShape, ...]:
    """Rails of which some link is cabled, each with the ports of its bond that are.

    Args:
        rails: The rails of the group.
        changes: What is irregular about each link that is cabled, by rail and NIC port.
    """
    found = []
    for rail in rails:
        ports = [member.port for member in rail.members] or [rail.port]
        cabled = [port for port in ports if (rail.rail, port) in changes]
        if not cabled:
            continue
        irregular = [change for port in cabled if (change := changes[rail.rail, port])]
        found.append(
            replace(
                rail,
                cable_m=max((change.length_m for change in irregular), default=0) or rail.cable_m,
                mtu_bytes=max((change.mtu_bytes for change in irregular), default=0) or rail.mtu_bytes,
                speed_gbps=rail.speed_gbps * len(cabled) // len(ports),
                members=tuple(member for member in rail.members if member.port in cabled),
            )
        )
    return tuple(found)


def _port_bdf(nic_bdf: str, port: int) -> str:
    """PCI address of a NIC port: each port is a function of its own, in order.

    Source:
        NVIDIA ConnectX-7 adapter cards user manual: a dual-port card shows as functions 0 and 1.
    """
    if not nic_bdf or not port:
        return nic_bdf
    return f"{nic_bdf[:-1]}{int(nic_bdf[-1]) + port}"
