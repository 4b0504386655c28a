"""Lowering of what the hosts of a group share: their rails and the interfaces of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from fabricgen.device.model import HostClass, HostRouting, Rail, RailLink, RailPort, RailShape
from fabricgen.device.switch_class import build_prefixes
from fabricgen.plan.model.exceptions import LinkException
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.topology import HostGroup, LinkGroup, RailPlace

FIRST_RAIL_TABLE = 101
"""Routing table of rail 0, or of all rails where hosts learn their routes; tables up to 100 and from 253 are left to
the system and the operator."""


def build_host_class(plan: FabricPlan, key: str, group: HostGroup, bdfs: Mapping[tuple[int, int], str]) -> HostClass:
    """The class of the hosts of a group.

    Args:
        plan: The plan.
        key: Identity of the class.
        group: The host group.
        bdfs: PCI addresses by rail and NIC port, where the asset list gives them.
    """
    rails = tuple(shape for rail in group.rails for shape in _rail_shapes(group, rail, bdfs))
    if plan.host_asn:
        rails = tuple(replace(shape, table=FIRST_RAIL_TABLE) for shape in rails)
    return HostClass(
        key=key,
        fabric=plan.name,
        group=group,
        rails=rails,
        supernet=plan.addressing.host_links.prefix4,
        supernet6=plan.addressing.host_links.prefix6,
        contract=plan.contract,
        collectives=plan.collectives.at_rate(group.link.speed_gbps),
        reordered=any(tier.routing.load_balancing in ("per_packet", "adaptive") for tier in plan.tiers),
        adaptive=group.out_of_order and any(tier.routing.load_balancing == "adaptive" for tier in plan.tiers),
        bgp=HostRouting(plan.host_asn, FIRST_RAIL_TABLE, plan.tiers[0].routing, build_prefixes(plan))
        if plan.host_asn
        else None,
    )


def _rail_shapes(group: HostGroup, rail: RailPlace, bdfs: Mapping[tuple[int, int], str]) -> Iterator[RailShape]:
    """The interfaces of a rail: one per NIC port, or one for all of them where they bond or the NIC spreads."""
    first = bdfs.get((rail.rail, 0), rail.nic_bdf)
    addresses = [bdfs.get((rail.rail, port)) or _port_bdf(first, port) for port in range(group.nic_ports)]
    link = group.link
    ports = 1 if group.bond or group.spread else group.nic_ports
    per_plane = group.leafs_per_group * group.ports_per_leaf
    planes = group.nic_ports // per_plane
    for port in range(ports):
        suffix = f"p{port}" if ports > 1 else ""
        yield RailShape(
            place=rail,
            interface=f"rail{rail.rail}{suffix}",
            rdma=f"roce_r{rail.rail}{suffix}",
            table=FIRST_RAIL_TABLE + rail.rail * ports + port,
            mtu_bytes=link.mtu_bytes,
            speed_gbps=link.speed_gbps * (group.nic_ports if group.bond or group.spread else 1),
            length_m=link.length_m,
            nic_bdf=addresses[port],
            link=link.name,
            port=port,
            members=tuple(RailPort(member, f"rail{rail.rail}p{member}", bdf) for member, bdf in enumerate(addresses))
            if group.bond
            else (),
            autoneg=link.autoneg(link.media, link.length_m),
            port_gbps=link.speed_gbps,
            plane=port // per_plane if ports > 1 and planes > 1 else -1,
        )


def cabled_rails(
    rails: Iterable[RailShape], changes: Mapping[tuple[int, int], LinkException | None], group: HostGroup
) -> tuple[RailShape, ...]:
    """Rails of which some link is cabled; a bond keeps its ports, since the NIC bonds all of them or none.

    Args:
        rails: The rails of the group.
        changes: What is irregular about each link that is cabled, by rail and NIC port.
        group: The group.

    Source:
        Linux 7907f23adc18: RoCE over a bond only while every port of the card is in it.
    """
    found = []
    for rail in rails:
        ports = range(group.nic_ports) if group.bond or group.spread else [rail.port]
        cabled = [changes[rail.place.rail, port] for port in ports if (rail.place.rail, port) in changes]
        if cabled:
            found.append(_cabled(rail, [change for change in cabled if change], group.link))
    return tuple(found)


def _cabled(rail: RailShape, changes: Sequence[LinkException], link: LinkGroup) -> RailShape:
    """A rail with what is irregular about its links: the longest cable, the largest MTU."""
    length_m = max((change.length_m for change in changes), default=0)
    mtu_bytes = max((change.mtu_bytes for change in changes), default=0)
    media = next((change.media for change in changes if change.media), link.media)
    return replace(
        rail,
        length_m=length_m or rail.length_m,
        mtu_bytes=mtu_bytes or rail.mtu_bytes,
        autoneg=link.autoneg(media, length_m or link.length_m),
    )


def complete_bonds(rails: Iterable[Rail], macs: Mapping[tuple[int, int], str]) -> None:
    """Give every port of a bond a link; one without a cable has no peer.

    Args:
        rails: The bonded rails of a host, with the links that are cabled.
        macs: MAC addresses of the asset list by rail and NIC port.
    """
    for rail in rails:
        cabled = {link.port: link for link in rail.links}
        rail.links = tuple(
            cabled.get(at.port)
            or RailLink(at.port, at.interface, "", "", macs.get((rail.shape.place.rail, at.port), ""))
            for at in rail.shape.members
        )


def _port_bdf(nic_bdf: str, port: int) -> str:
    """PCI address of a NIC port: each port is a function of its own, in order.

    Source:
        NVIDIA ConnectX-7 adapter cards user manual: a dual-port card shows as functions 0 and 1.
    """
    if not nic_bdf or not port:
        return nic_bdf
    return f"{nic_bdf[:-1]}{int(nic_bdf[-1]) + port}"
