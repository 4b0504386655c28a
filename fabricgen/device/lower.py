"""Lowering: from (plan, identity) to the vendor-neutral model of one device."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from fabricgen.device.host_class import build_host_class
from fabricgen.device.host_subnet import build_host_subnet, first_host
from fabricgen.device.model import (
    FabricPrefixes,
    Host,
    HostClass,
    Port,
    PortShape,
    Rail,
    RailLink,
    Switch,
    SwitchClass,
)
from fabricgen.plan.model.cabling import (
    cabled_downlinks,
    cabled_links_of_host,
    cabled_links_of_leaf,
    cabled_uplinks,
    fabric_link_id,
    host_link_id,
)
from fabricgen.plan.model.exceptions import DeviceException, LinkException
from fabricgen.plan.model.fabric import Asset, FabricPlan
from fabricgen.plan.model.identity import DeviceId, HostId
from fabricgen.plan.model.links import (
    FabricLink,
    HostLink,
    downlinks,
    host_links_of_host,
    host_links_of_leaf,
    uplinks,
)
from fabricgen.plan.model.numbering import Coordinates, Numbering, ipv4_text
from fabricgen.plan.model.topology import CageMode, HostGroup, LinkGroup, Slot, Tier

_NO_ASSET = Asset()
_REGULAR = DeviceException()
_REGULAR_LINK = LinkException()


class Lowering:
    """Lowers devices of one plan; keeps the classes and names it has already worked out."""

    def __init__(self, plan: FabricPlan) -> None:
        """Prepare for one plan."""
        self.plan = plan
        self._classes: dict[str, SwitchClass] = {}
        self._host_classes: dict[str, HostClass] = {}
        self._names: dict[tuple[int, Coordinates], str] = {}
        self._down_names = [[tier.slots[at].name for at in tier.down.slots] for tier in plan.tiers]
        self._up_names = [[tier.slots[at].name for at in tier.up.slots] if tier.up else [] for tier in plan.tiers]
        a = plan.addressing
        self._first_bonded = first_host(plan.tiers[0])
        self._prefixes = FabricPrefixes(
            f"{ipv4_text(a.loopbacks[0])}/{a.loopbacks[1]}",
            32,
            f"{ipv4_text(a.host_links[0])}/{a.host_links[1]}",
            a.host_block_len,
        )

    @property
    def touched(self) -> frozenset[DeviceId]:
        """Switches that differ from their class because they, or a neighbour, are an exception."""
        return self.plan.exceptions.touched

    def name(self, tier: int, where: Coordinates) -> str:
        """Host name of a switch, remembered."""
        key = (tier, where)
        name = self._names.get(key)
        if name is None:
            name = self._names[key] = self.plan.tiers[tier].device_name(where)
        return name

    def class_key(self, device: DeviceId) -> str:
        """Identity of a switch's class; an excepted switch is a class of its own."""
        tier = self.plan.tiers[device.tier]
        if device in self.plan.exceptions.touched:
            return f"{tier.name}/{self.name(device.tier, device.where)}"
        if device.tier:
            return tier.name
        return "/".join([tier.name, *self._groups_of(device)])

    def switch_class(self, device: DeviceId) -> SwitchClass:
        """The class of a switch, built once."""
        key = self.class_key(device)
        found = self._classes.get(key)
        if found is None:
            found = self._classes[key] = self._build_class(key, device)
        return found

    def lower_switch(self, device: DeviceId) -> Switch:
        """The model of one switch."""
        plan, tier, where = self.plan, self.plan.tiers[device.tier], device.where
        name = self.name(device.tier, where)
        exception = plan.exceptions.of(device) or _REGULAR
        asset = plan.assets.get(name, _NO_ASSET)
        cls = self.switch_class(device)
        a = plan.addressing
        return Switch(
            cls=cls,
            hostname=name,
            place=self._place(where, tier.scope),
            asn=tier.layout.asn.at(where),
            loopback=ipv4_text(tier.layout.loopback.at(where)),
            management=ipv4_text(tier.layout.management.at(where)),
            management_len=a.management[1],
            management_gateway=ipv4_text(a.management_gateway),
            aggregate=self._aggregate(tier, where),
            state=exception.state,
            reason=exception.reason,
            mac=asset.mac,
            serial=asset.serial,
            ports=self._ports(device, cls),
            raw=exception.raw,
            host_subnet=build_host_subnet(tier, where, plan.addressing.host_block_len) if cls.bonds_hosts else None,
        )

    def lower_host(self, host: HostId) -> Host:
        """The model of one host."""
        plan = self.plan
        group = plan.hosts[host.group]
        name = group.host_name(host.where, host.host)
        exception = plan.exceptions.of(host) or _REGULAR
        asset = plan.assets.get(name, _NO_ASSET)
        irregular = host in plan.exceptions.touched_hosts
        cls = self._irregular_host_class(host, name, asset) if irregular else self._host_class(group, asset)
        macs = {(rail, port): mac for rail, port, mac in asset.rail_macs}
        block = plan.tiers[0].layout.host_block
        shapes = {(shape.rail, shape.port): shape for shape in cls.rails}
        names = self._down_names[0]
        several = group.bond or group.spread
        rails: dict[tuple[int, int], Rail] = {}
        for link in cabled_links_of_host(plan, host) if irregular else host_links_of_host(plan, host):
            if irregular:
                names = self._names_down(0, link.leaf)
            peer = self.name(0, link.leaf)
            peer_port = names[link.position] if link.position < len(names) else ""
            key = (link.rail, 0 if several else link.port)
            rail = rails.get(key)
            if rail is None:
                gateway, address = self._host_addresses(block, link)
                rail = rails[key] = Rail(
                    shape=shapes[key],
                    address=ipv4_text(address),
                    gateway=ipv4_text(gateway),
                    peer=peer,
                    peer_port=peer_port,
                    mac="" if group.bond else macs.get(key, ""),
                    prefix_len=plan.addressing.host_block_len if plan.addressing.host_subnet else 31,
                )
            if several:
                mac = macs.get((link.rail, link.port), "")
                rail.links += (RailLink(link.port, self._host_port(group, link), peer, peer_port, mac),)
        found = list(rails.values())
        return Host(cls, name, self._place(host.where, "unit"), exception.state, exception.reason, asset.serial, found)

    def _host_addresses(self, block: Numbering | None, link: HostLink) -> tuple[int, int]:
        """The gateway and the host's address on a link."""
        if block is None:
            return 0, 1
        first = block.at(link.leaf)
        if self.plan.addressing.host_subnet:
            return first + 1, first + self._first_bonded + link.position
        return first + 2 * link.position, first + 2 * link.position + 1

    @staticmethod
    def _host_port(group: HostGroup, link: HostLink) -> str:
        """The host's interface at a link, as a neighbour sees it."""
        return f"rail{link.rail}" if group.spread or group.nic_ports == 1 else f"rail{link.rail}p{link.port}"

    def _groups_of(self, device: DeviceId) -> tuple[str, ...]:
        """Host groups on a leaf's downlinks."""
        if device.tier:
            return ()
        return tuple(group.name for group in self.plan.hosts if group.in_unit(device.where.unit))

    def _place(self, where: Coordinates, scope: str) -> str:
        """Where a device stands, in the words of the intent."""
        plan = self.plan
        words = []
        if plan.zone_name and scope != "fabric":
            words.append(f"{plan.zone_name} {where.zone + 1}")
        if plan.pod_name and scope in ("pod", "unit"):
            words.append(f"{plan.pod_name} {where.pod + 1}")
        if scope == "unit":
            words.append(f"{plan.unit_name} {where.unit + 1}")
        return ", ".join(words)

    def _aggregate(self, tier: Tier, where: Coordinates) -> str:
        block = tier.layout.host_block
        return f"{ipv4_text(block.at(where))}/{self.plan.addressing.host_block_len}" if block else ""

    def _tier_of(self, device: DeviceId) -> Tier:
        """The tier of a switch, with the ports that exceptions leave it."""
        found = self.plan.exceptions.switches.get(device)
        return self.plan.tiers[device.tier] if found is None or found.tier is None else found.tier

    def _names_down(self, tier: int, where: Coordinates) -> list[str]:
        """Names of the ports of a switch by downlink position."""
        box = self._tier_of(DeviceId(tier, where))
        if box is self.plan.tiers[tier]:
            return self._down_names[tier]
        return [box.slots[at].name for at in box.down.slots]

    def _names_up(self, tier: int, where: Coordinates) -> list[str]:
        """Names of the ports of a switch by uplink position."""
        box = self._tier_of(DeviceId(tier, where))
        if box is self.plan.tiers[tier] or box.up is None:
            return self._up_names[tier]
        return [box.slots[at].name for at in box.up.slots]

    def _host_links(self, device: DeviceId) -> Iterable[HostLink]:
        """Links of a leaf to hosts."""
        links = cabled_links_of_leaf if device in self.plan.exceptions.touched else host_links_of_leaf
        return links(self.plan, device.where)

    def _down_links(self, device: DeviceId) -> Iterable[FabricLink]:
        """Links of a switch to switches below."""
        links = cabled_downlinks if device in self.plan.exceptions.touched else downlinks
        return links(self.plan, self.plan.tiers[device.tier], device.where)

    def _up_links(self, device: DeviceId) -> Iterable[FabricLink]:
        """Links of a switch to switches above."""
        links = cabled_uplinks if device in self.plan.exceptions.touched else uplinks
        return links(self.plan, self.plan.tiers[device.tier], device.where)

    def _build_class(self, key: str, device: DeviceId) -> SwitchClass:
        plan, tier = self.plan, self._tier_of(device)
        exception = plan.exceptions.of(device) or _REGULAR
        used = self._used_slots(device)
        cages = {tier.slots[at].cage for at in used}
        down, up = plan.links[tier.number], plan.links[tier.number + 1] if tier.up else None
        shapes: list[PortShape] = []
        native_cages = set()
        for at, slot in enumerate(tier.slots):
            if slot.cage in cages or tier.sku_is_exact:
                group = self._link_of(tier, slot, down, up)
                shapes.append(self._shape(tier, slot, group, used.get(at)))
            elif slot.cage not in native_cages:
                native_cages.add(slot.cage)
        natives = [self._shape(tier, slot, None, None) for slot in tier.native if slot.cage in native_cages]
        order = {slot.cage: at for at, slot in enumerate(tier.native)}
        shapes = sorted([*shapes, *natives], key=lambda shape: (order[shape.cage], shape.subport))
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
            ports=tuple(shapes),
            modes=_modes(tier, native_cages),
            contract=plan.contract,
            watchdog=exception.watchdog or plan.watchdog,
            buffers=tier.buffers,
            ecn=tier.ecn,
            routing=tier.routing,
            services=exception.services or plan.services,
            prefixes=self._prefixes,
            host_groups=self._groups_of(device),
            board_data=tier.board_data,
            bonds_hosts=device.tier == 0 and plan.addressing.host_subnet,
            release=tier.release,
        )

    def _link_of(self, tier: Tier, slot: Slot, down: LinkGroup, up: LinkGroup | None) -> LinkGroup | None:
        """The links that a slot is for; a leaf's downlinks belong to the host group whose range they lie in."""
        if slot.side != "down" or tier.number:
            return (up if slot.side == "up" else down) if slot.side else None
        return next(group.link for group in reversed(self.plan.hosts) if group.slot_base <= slot.position)

    def _used_slots(self, device: DeviceId) -> dict[int, LinkException]:
        """Slots that carry a link now, and what is irregular about it."""
        tier = self._tier_of(device)
        changes = self.plan.exceptions.links if device in self.plan.exceptions.touched else {}
        used = {}
        if device.tier == 0:
            for host_link in self._host_links(device):
                if host_link.position < len(tier.down.slots):
                    change = changes.get(host_link_id(host_link)) if changes else None
                    used[tier.down.slots[host_link.position]] = change or _REGULAR_LINK
        else:
            for link in self._down_links(device):
                if link.upper_position < len(tier.down.slots):
                    change = changes.get(fabric_link_id(link)) if changes else None
                    used[tier.down.slots[link.upper_position]] = change or _REGULAR_LINK
        if tier.up:
            for link in self._up_links(device):
                if link.lower_position < len(tier.up.slots):
                    change = changes.get(fabric_link_id(link)) if changes else None
                    used[tier.up.slots[link.lower_position]] = change or _REGULAR_LINK
        return used

    def _shape(self, tier: Tier, slot: Slot, group: LinkGroup | None, change: LinkException | None) -> PortShape:
        """A port and, if it carries a link, what is irregular about that."""
        used = change is not None
        length_m = (change.length_m if change else 0) or (group.length_m if group else 0)
        mtu_bytes = (change.mtu_bytes if change else 0) or (group or self.plan.links[tier.number]).mtu_bytes
        lossless = used and group is not None and bool(self.plan.contract.lossless)
        ecn = next((e.name for e in tier.ecn if e.speed_gbps == slot.speed_gbps), "") if used else ""
        return PortShape(
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
            used=used,
            mtu_bytes=mtu_bytes,
            cable_m=length_m if used and group else 0,
            pg_profile=_pg_profile(tier, group, length_m, mtu_bytes) if lossless and group else "",
            ecn=ecn,
            number=slot.number,
            profile=slot.profile,
            service=slot.service,
            peer_platform=self._peer_platform(tier, slot.side) if used else "",
        )

    def _peer_platform(self, tier: Tier, side: str) -> str:
        """Platform of the tier that a side's links lead to."""
        number = tier.number + (1 if side == "up" else -1)
        return self.plan.tiers[number].platform if number >= 0 else ""

    def _ports(self, device: DeviceId, cls: SwitchClass) -> list[Port]:
        plan, tier, where = self.plan, self.plan.tiers[device.tier], device.where
        irregular = device in plan.exceptions.touched
        shapes = {shape.name: shape for shape in cls.ports if shape.used}
        ports = (
            self._down_ports(device, shapes, irregular) if device.tier else self._host_ports(device, shapes, irregular)
        )
        if tier.up and tier.layout.uplink:
            upper = plan.tiers[device.tier + 1]
            names = self._names_up(device.tier, where) if irregular else self._up_names[device.tier]
            peer_names = self._down_names[device.tier + 1]
            first = tier.layout.uplink.at(where)
            for link in self._up_links(device):
                shape = shapes.get(names[link.lower_position]) if link.lower_position < len(names) else None
                if irregular:
                    peer_names = self._names_down(link.number, link.upper)
                if shape is None or link.upper_position >= len(peer_names):
                    continue
                address = first + 2 * link.lower_position
                ports.append(
                    Port(
                        shape,
                        self.name(link.number, link.upper),
                        peer_names[link.upper_position],
                        ipv4_text(address),
                        ipv4_text(address - 1),
                        upper.layout.asn.at(link.upper),
                        drained=irregular and self._is_drained(link),
                    )
                )
        ports.sort(key=lambda port: (port.shape.cage, port.shape.subport))
        return ports

    def _down_ports(self, device: DeviceId, shapes: dict[str, PortShape], irregular: bool) -> list[Port]:
        lower = self.plan.tiers[device.tier - 1]
        uplink = lower.layout.uplink
        if uplink is None:
            return []
        names = self._names_down(device.tier, device.where) if irregular else self._down_names[device.tier]
        peer_names = self._up_names[lower.number]
        ports = []
        for link in self._down_links(device):
            shape = shapes.get(names[link.upper_position]) if link.upper_position < len(names) else None
            if irregular:
                peer_names = self._names_up(lower.number, link.lower)
            if shape is None or link.lower_position >= len(peer_names):
                continue
            address = uplink.at(link.lower) + 2 * link.lower_position
            ports.append(
                Port(
                    shape,
                    self.name(lower.number, link.lower),
                    peer_names[link.lower_position],
                    ipv4_text(address - 1),
                    ipv4_text(address),
                    lower.layout.asn.at(link.lower),
                    drained=irregular and self._is_drained(link),
                )
            )
        return ports

    def _is_drained(self, link: FabricLink) -> bool:
        """Whether an exception drains a link."""
        found = self.plan.exceptions.links.get(fabric_link_id(link))
        return found is not None and found.state == "drained"

    def _host_ports(self, device: DeviceId, shapes: dict[str, PortShape], irregular: bool) -> list[Port]:
        block = self.plan.tiers[0].layout.host_block
        names = self._names_down(0, device.where) if irregular else self._down_names[0]
        groups, subnet = self.plan.hosts, self.plan.addressing.host_subnet
        ports = []
        for link in self._host_links(device):
            shape = shapes.get(names[link.position]) if link.position < len(names) else None
            if shape is not None:
                address, peer_address = self._host_addresses(block, link)
                group = groups[link.host.group]
                ports.append(
                    Port(
                        shape,
                        self.plan.host_name(link.host),
                        self._host_port(group, link),
                        "" if subnet else ipv4_text(address),
                        ipv4_text(peer_address),
                        0,
                        self.plan.addressing.host_block_len if subnet else 31,
                        bond=link.position + 1 if group.bond else 0,
                    )
                )
        return ports

    def _irregular_host_class(self, host: HostId, name: str, asset: Asset) -> HostClass:
        """The class of a host of which some link is irregular: its own."""
        key = f"{self.plan.hosts[host.group].name}/{name}"
        found = self._host_classes.get(key)
        if found is not None:
            return found
        regular = self._host_class(self.plan.hosts[host.group], asset)
        changes = {
            (link.rail, link.port): self.plan.exceptions.links.get(host_link_id(link))
            for link in cabled_links_of_host(self.plan, host)
        }
        rails = tuple(
            replace(
                rail,
                cable_m=(change.length_m if change else 0) or rail.cable_m,
                mtu_bytes=(change.mtu_bytes if change else 0) or rail.mtu_bytes,
            )
            for rail in regular.rails
            if (rail.rail, rail.port) in changes
            for change in [changes[rail.rail, rail.port]]
        )
        self._host_classes[key] = replace(regular, key=key, rails=rails)
        return self._host_classes[key]

    def _host_class(self, group: HostGroup, asset: Asset) -> HostClass:
        """The class of a host; PCI addresses from the asset list make a class of their own."""
        bdfs = {(rail, port): bdf for rail, port, bdf in asset.rail_bdfs}
        key = "/".join([group.name, *(f"{rail}.{port}={bdf}" for (rail, port), bdf in sorted(bdfs.items()))])
        found = self._host_classes.get(key)
        if found is None:
            found = self._host_classes[key] = build_host_class(self.plan, key, group, bdfs, self._prefixes.host_links)
        return found


def _pg_profile(tier: Tier, group: LinkGroup, length_m: float, mtu_bytes: int) -> str:
    """Name of the headroom profile that covers a port's cable; empty if planning found none."""
    row = tier.buffers.headroom_for(group.speed_gbps, length_m, group.lanes, mtu_bytes)
    return row.name if row else ""


def _modes(tier: Tier, native_cages: set[int]) -> tuple[CageMode, ...]:
    """Breakout mode of every cage; those without a link stay native."""
    broken = [mode for mode in tier.modes if mode.cage not in native_cages]
    unused = [mode for mode in tier.native_modes if mode.cage in native_cages]
    order = {slot.cage: at for at, slot in enumerate(tier.native)}
    return tuple(sorted([*broken, *unused], key=lambda mode: order[mode.cage]))
