"""Lowering of what a class shares: ports and policies of switches, rails and interfaces of hosts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from fabricgen.device.model import (
    FabricPrefixes,
    HostClass,
    HostRouting,
    PortShape,
    Rail,
    RailLink,
    RailPort,
    RailShape,
    SwitchClass,
)
from fabricgen.device.wiring import BOND_MAC, Wiring
from fabricgen.plan.model.cabling import Link, cables_below, links_at_ports, up_links
from fabricgen.plan.model.fabric import FAMILY_BITS, DeviceException, FabricPlan, LinkException
from fabricgen.plan.model.identity import DeviceId
from fabricgen.plan.model.topology import HostGroup, LinkGroup, RailPlace, Slot, Tier, group_at

_REGULAR = DeviceException()
_REGULAR_LINK = LinkException()


def build_prefixes(plan: FabricPlan) -> FabricPrefixes:
    """The pools that routing policy names."""
    a = plan.addressing
    return FabricPrefixes(
        a.loopbacks.prefix4,
        32,
        a.host_links.prefix4,
        a.host_block_len,
        a.loopbacks.prefix6,
        128,
        a.host_links.prefix6,
        a.host_block_len + FAMILY_BITS,
        a.host_len if a.host_links.ipv4 else 0,
        a.host_len + FAMILY_BITS if a.host_len and a.host_links.ipv6 else 0,
        a.fabric_links.prefix4 if a.fabric_links else "",
        a.fabric_links.prefix6 if a.fabric_links else "",
        own_loopbacks=a.own_loopbacks,
    )


def groups_on(plan: FabricPlan, device: DeviceId) -> tuple[str, ...]:
    """Host groups on a leaf's downlinks; none above the leaf."""
    return () if device.tier else tuple(group.name for group in plan.hosts if group.meets(device.where))


def build_switch_class(wiring: Wiring, key: str, device: DeviceId) -> SwitchClass:
    """The class of a switch."""
    plan, tier = wiring.plan, wiring.plan.tier_of(device)
    exception = plan.exceptions.of(device) or _REGULAR
    addressing = plan.addressing
    return SwitchClass(
        key=key,
        fabric=plan.name,
        tier=tier.name,
        role=tier.role,
        has_upper=tier.up is not None,
        model=tier.model,
        platform=tier.platform,
        board=tier.board,
        sku=tier.sku,
        sku_is_exact=tier.sku_is_exact,
        ports=_build_shapes(wiring, device, tier),
        modes=tier.modes,
        contract=plan.contract,
        watchdog=(exception.watchdog or plan.watchdog).on(tier.clock),
        buffers=tier.buffers,
        ecn=tier.ecn,
        routing=tier.routing,
        services=exception.services or plan.services,
        prefixes=build_prefixes(plan),
        host_groups=groups_on(plan, device),
        board_data=tier.board_data,
        bonds_hosts=device.tier == 0 and addressing.host_subnet,
        bond_mac=BOND_MAC if device.tier == 0 and any(group.routed for group in plan.hosts) else "",
        release=tier.release,
        ipv4=addressing.loopbacks.ipv4 is not None,
        ipv6=addressing.loopbacks.ipv6 is not None,
        unnumbered=addressing.fabric_links is None,
        hosts_bgp=device.tier == 0 and bool(plan.host_asn),
        product=tier.product,
        weighted=plan.weights.on,
    )


def _build_shapes(wiring: Wiring, device: DeviceId, tier: Tier) -> tuple[PortShape, ...]:
    """Every logical port in front-panel order, those that wait for a link broken out as it will use them."""
    plan, used = wiring.plan, _used_slots(wiring, device, tier)
    down, up = plan.links[tier.number], plan.links[tier.number + 1] if tier.up else None
    slots = enumerate(tier.slots)
    return tuple(_shape(plan, tier, slot, _link_of(plan, tier, slot, down, up), used.get(at)) for at, slot in slots)


def _link_of(plan: FabricPlan, tier: Tier, slot: Slot, down: LinkGroup, up: LinkGroup | None) -> LinkGroup | None:
    """The links that a slot is for; a leaf's downlinks belong to the host group whose range they lie in."""
    if slot.side != "down" or tier.number:
        return (up if slot.side == "up" else down) if slot.side else None
    return group_at(plan.hosts, slot.position).link


_Used = tuple[Link, LinkException]


def _used_slots(wiring: Wiring, device: DeviceId, tier: Tier) -> dict[int, _Used]:
    """Slots that carry a link now, and what is irregular about it."""
    changes = wiring.plan.exceptions.links if wiring.is_irregular(device) else {}
    links = links_at_ports(tier, cables_below(wiring.plan, device), up_links(wiring.plan, device))
    return {at: (link, changes.get(link.id, _REGULAR_LINK) if changes else _REGULAR_LINK) for link, at in links}


def _shape(plan: FabricPlan, tier: Tier, slot: Slot, group: LinkGroup | None, own: _Used | None) -> PortShape:
    """A port and, if it carries a link, what is irregular about that."""
    shape = PortShape(
        name=slot.name,
        alias=slot.alias,
        cage=slot.cage,
        subport=slot.subport,
        lanes=slot.lanes,
        speed_gbps=slot.speed_gbps,
        fec=slot.fec,
        autoneg=slot.autoneg,
        side=slot.side,
        position=slot.position,
        link=group.name if group else "",
        used=False,
        mtu_bytes=(group or plan.links[tier.number]).mtu_bytes,
        length_m=0,
        headroom=None,
        ecn="",
        number=slot.number,
        profile=slot.profile,
        service=slot.service,
    )
    return shape if group is None or own is None else _linked(plan, tier, shape, group, *own)


def _linked(
    plan: FabricPlan, tier: Tier, shape: PortShape, group: LinkGroup, link: Link, change: LinkException
) -> PortShape:
    """A port that carries a link."""
    length_m, mtu_bytes = change.length_m or group.length_m, change.mtu_bytes or group.mtu_bytes
    row = tier.buffers.headroom_for(group.speed_gbps, length_m, group.lanes, mtu_bytes)
    peer = link.upper_end if shape.side == "up" else link.lower_end
    return replace(
        shape,
        autoneg=group.autoneg(change.media or group.media, length_m) or shape.autoneg,
        used=True,
        mtu_bytes=mtu_bytes,
        length_m=length_m,
        headroom=row if plan.contract.lossless else None,
        ecn=next((thresholds.name for thresholds in tier.ecn if thresholds.speed_gbps == shape.speed_gbps), ""),
        peer_platform=plan.tier_of(peer).platform if isinstance(peer, DeviceId) else "",
    )


FIRST_RAIL_TABLE = 101
"""Routing table of rail 0, or of what hosts learn by BGP, before those of rails; tables up to 100 and from 253 are left
to the system and the operator."""


def build_host_class(
    plan: FabricPlan, key: str, group: HostGroup, bdfs: Mapping[tuple[int, int], str], management: str = ""
) -> HostClass:
    """The class of hosts of a group; PCI addresses by rail and NIC port, and their interface, are of the asset list."""
    collectives = plan.collectives.at_rate(group.link.speed_gbps)
    rails = tuple(shape for rail in group.rails for shape in _rail_shapes(group, rail, bdfs))
    if plan.host_asn:
        rails = tuple(replace(shape, table=shape.table + 1) for shape in rails)
    return HostClass(
        key=key,
        fabric=plan.name,
        group=group,
        rails=rails,
        supernet=plan.addressing.host_links.prefix4,
        supernet6=plan.addressing.host_links.prefix6,
        contract=plan.contract,
        collectives=replace(collectives, socket_interface=management or collectives.socket_interface),
        reordered=any(tier.routing.load_balancing in ("per_packet", "adaptive") for tier in plan.tiers),
        adaptive=group.out_of_order and any(tier.routing.load_balancing == "adaptive" for tier in plan.tiers),
        bgp=HostRouting(plan.host_asn, FIRST_RAIL_TABLE, plan.tiers[0].routing, build_prefixes(plan))
        if plan.host_asn
        else None,
        ptp=plan.services.ptp,
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
    """Rails of which some link is cabled, with what is irregular about each that is, by rail and NIC port.

    A bond keeps its ports, since the NIC bonds all of them or none.

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
    """Give every port of a host's bonds a link; one without a cable has no peer, and the asset list's MAC address."""
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
