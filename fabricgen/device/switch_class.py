"""Lowering of what a class of switches shares: its ports as every switch of the class has them, and its policies."""

from __future__ import annotations

from dataclasses import replace

from fabricgen.device.host_subnet import BOND_MAC
from fabricgen.device.model import FabricPrefixes, PortShape, SwitchClass
from fabricgen.device.wiring import Wiring
from fabricgen.plan.model.cabling import cables_below, links_at_ports, up_links
from fabricgen.plan.model.exceptions import DeviceException, LinkException
from fabricgen.plan.model.fabric import FAMILY_BITS, FabricPlan
from fabricgen.plan.model.identity import DeviceId
from fabricgen.plan.model.topology import LinkGroup, Slot, Tier, group_at

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
    )


def groups_on(plan: FabricPlan, device: DeviceId) -> tuple[str, ...]:
    """Host groups on a leaf's downlinks; none above the leaf."""
    return () if device.tier else tuple(group.name for group in plan.hosts if group.meets(device.where))


def build_switch_class(wiring: Wiring, key: str, device: DeviceId) -> SwitchClass:
    """The class of a switch.

    Args:
        wiring: Links and names of the plan.
        key: Identity of the class.
        device: Any switch of it.
    """
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


def _used_slots(wiring: Wiring, device: DeviceId, tier: Tier) -> dict[int, LinkException]:
    """Slots that carry a link now, and what is irregular about it."""
    changes = wiring.plan.exceptions.links if wiring.is_irregular(device) else {}
    links = links_at_ports(tier, cables_below(wiring.plan, device), up_links(wiring.plan, device))
    return {at: changes.get(link.id, _REGULAR_LINK) if changes else _REGULAR_LINK for link, at in links}


def _shape(
    plan: FabricPlan, tier: Tier, slot: Slot, group: LinkGroup | None, change: LinkException | None
) -> PortShape:
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
    return shape if group is None or change is None else _linked(plan, tier, shape, group, change)


def _linked(plan: FabricPlan, tier: Tier, shape: PortShape, group: LinkGroup, change: LinkException) -> PortShape:
    """A port that carries a link."""
    length_m, mtu_bytes = length_of(group, change), change.mtu_bytes or group.mtu_bytes
    row = tier.buffers.headroom_for(group.speed_gbps, length_m, group.lanes, mtu_bytes)
    return replace(
        shape,
        autoneg=group.autoneg(change.media or group.media, length_m) or shape.autoneg,
        used=True,
        mtu_bytes=mtu_bytes,
        length_m=length_m,
        headroom=row if plan.contract.lossless else None,
        ecn=next((thresholds.name for thresholds in tier.ecn if thresholds.speed_gbps == shape.speed_gbps), ""),
        peer_platform=_peer_platform(plan, tier, shape.side),
    )


def length_of(group: LinkGroup, change: LinkException | None) -> float:
    """Return the length of a link's cable, metres."""
    return (change.length_m if change else 0) or group.length_m


def _peer_platform(plan: FabricPlan, tier: Tier, side: str) -> str:
    """Platform of the tier that a side's links lead to."""
    number = tier.number + (1 if side == "up" else -1)
    return plan.tiers[number].platform if number >= 0 else ""
