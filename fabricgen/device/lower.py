"""Lowering: from (plan, identity) to the vendor-neutral model of one device."""

from __future__ import annotations

from dataclasses import replace

from fabricgen.device.classes import build_host_class, build_switch_class, cabled_rails, complete_bonds, groups_on
from fabricgen.device.model import Host, HostClass, LeafRoutes, Rail, RailLink, RailShape, Switch, SwitchClass
from fabricgen.device.wiring import Wiring, build_host_subnet, build_ports, host_numbers, host_port
from fabricgen.plan.model.cabling import HostLink, down_links, links_of_host
from fabricgen.plan.model.fabric import FAMILY_BITS, Asset, DeviceException, FabricPlan, domain_hosts
from fabricgen.plan.model.identity import Coordinates, DeviceId, HostId
from fabricgen.plan.model.topology import HostGroup, Tier

_NO_ASSET = Asset()
_REGULAR = DeviceException()


class Lowering:
    """Lowers devices of one plan; keeps the classes and names it has already worked out."""

    def __init__(self, plan: FabricPlan) -> None:
        """Prepare for one plan."""
        self.plan = plan
        self._wiring = Wiring(plan)
        self._classes: dict[str, SwitchClass] = {}
        self._host_classes: dict[str, HostClass] = {}
        self._leaf_routes: dict[Coordinates, LeafRoutes] = {}
        self._own = {str(value): own.path for own in plan.own.values() for value in own[:-1] if value} or None

    @property
    def touched(self) -> frozenset[DeviceId]:
        """Switches that differ from their class because they, or a neighbour, are an exception."""
        return self.plan.exceptions.touched

    def name(self, tier: int, where: Coordinates) -> str:
        """Host name of a switch."""
        return self._wiring.name(tier, where)

    def class_key(self, device: DeviceId) -> str:
        """Identity of a switch's class; an excepted switch is a class of its own."""
        tier = self.plan.tiers[device.tier]
        if device in self.plan.exceptions.touched:
            return f"{tier.name}/{self._wiring.name(device.tier, device.where)}"
        if device.tier:
            return tier.name
        return "/".join([tier.name, *groups_on(self.plan, device)])

    def switch_class(self, device: DeviceId) -> SwitchClass:
        """The class of a switch, built once."""
        key = self.class_key(device)
        found = self._classes.get(key)
        if found is None:
            found = self._classes[key] = build_switch_class(self._wiring, key, device)
        return found

    def lower_switch(self, device: DeviceId) -> Switch:
        """The model of one switch."""
        plan, tier, where = self.plan, self.plan.tiers[device.tier], device.where
        name = self._wiring.name(device.tier, where)
        exception = plan.exceptions.of(device) or _REGULAR
        asset = plan.assets.get(name, _NO_ASSET)
        cls = self.switch_class(device)
        identity = plan.identity(device)
        aggregate, aggregate6 = self._aggregates(tier, where)
        below = dict.fromkeys(link.lower for link in down_links(plan, device)) if device.tier == 1 else ()
        return Switch(
            cls=cls,
            hostname=name,
            place=self._place(where, tier.scope),
            asn=plan.asn_of(device),
            router_id=identity.router_id,
            loopback=identity.loopback,
            management=identity.management,
            management_len=identity.management_len,
            management_gateway=identity.management_gateway,
            aggregate=aggregate,
            state=exception.state,
            reason=exception.reason,
            mac=asset.mac,
            serial=asset.serial,
            ports=build_ports(self._wiring, device, cls),
            raw=exception.raw,
            host_subnet=build_host_subnet(plan, where) if cls.bonds_hosts else None,
            loopback6=identity.loopback6,
            aggregate6=aggregate6,
            leafs=tuple(map(self.leaf_routes, below)),
            own=self._own,
            grandmaster=next((port for at, port in plan.grandmasters if at == device), None),
        )

    def lower_host(self, host: HostId) -> Host:
        """The model of one host."""
        plan, wiring = self.plan, self._wiring
        group = plan.hosts[host.group]
        name = plan.host_name(host)
        exception = plan.exceptions.of(host) or _REGULAR
        asset = plan.assets.get(name, _NO_ASSET)
        irregular = host in plan.exceptions.touched_hosts
        cls = self._irregular_host_class(host, name, asset) if irregular else self._host_class(group, asset)
        macs = {(rail, port): mac for rail, port, mac in asset.rail_macs}
        shapes = {(shape.place.rail, shape.port): shape for shape in cls.rails}
        names = wiring.port_names(0, up=False)
        several = group.bond or group.spread
        rails: dict[tuple[int, int], Rail] = {}
        for link in links_of_host(plan, host):
            if irregular:
                names = wiring.port_names(0, link.upper, up=False)
            peer = wiring.name(0, link.upper)
            peer_port = names[link.upper_position] if link.upper_position < len(names) else ""
            key = (link.rail, 0 if several else link.port)
            rail = rails.get(key)
            if rail is None:
                mac = "" if group.bond else macs.get(key, "")
                rail = rails[key] = self._rail(shapes[key], link, peer, peer_port, mac)
            if several:
                mac = macs.get((link.rail, link.port), "")
                rail.links += (RailLink(link.port, host_port(group, link), peer, peer_port, mac),)
        found = list(rails.values())
        if irregular and group.bond:
            complete_bonds(found, macs)
        place, nodes = self._place(host.where, "unit"), list_nodes(plan, host)
        return Host(cls, name, place, exception.state, exception.reason, asset.serial, found, nodes, self._own)

    def _rail(self, shape: RailShape, link: HostLink, peer: str, peer_port: str, mac: str) -> Rail:
        """One interface of a rail, cabled by a link."""
        a = self.plan.addressing
        gateway, address = host_numbers(self.plan, link)
        pool, length = a.host_links, a.host_block_len if a.host_subnet else 31
        return Rail(
            shape=shape,
            address=pool.text4(address),
            gateway=pool.text4(gateway),
            peer=peer,
            peer_port=peer_port,
            mac=mac,
            prefix_len=length,
            address6=pool.text6(address),
            gateway6=pool.text6(gateway),
            prefix_len6=length + FAMILY_BITS,
            peer_asn=self.plan.asn_of(link.upper_end) if self.plan.host_asn else 0,
        )

    def _place(self, where: Coordinates, scope: str) -> str:
        """Return the position of a device, in the words of the intent."""
        plan = self.plan
        words = []
        if plan.zone_name and scope != "fabric":
            words.append(f"{plan.zone_name} {where.zone + 1}")
        if plan.pod_name and scope in ("pod", "unit"):
            words.append(f"{plan.pod_name} {where.pod + 1}")
        if scope == "unit":
            words.append(f"{plan.unit_name} {where.unit + 1}")
        return ", ".join(words)

    def leaf_routes(self, where: Coordinates) -> LeafRoutes:
        """Return what a leaf may say; worked out once for all switches above it."""
        found = self._leaf_routes.get(where)
        if found is None:
            identity, aggregates = self.plan.identity(DeviceId(0, where)), self._aggregates(self.plan.tiers[0], where)
            found = LeafRoutes(identity.name, identity.loopback, identity.loopback6, *aggregates)
            self._leaf_routes[where] = found
        return found

    def _aggregates(self, tier: Tier, where: Coordinates) -> tuple[str, str]:
        """The prefix of a leaf's host links in each family; empty above the leaf."""
        a, block = self.plan.addressing, tier.layout.announced
        if block is None:
            return "", ""
        first = block.at(where)
        ipv4, ipv6 = a.host_links.text4(first), a.host_links.text6(first)
        return ipv4 and f"{ipv4}/{a.host_block_len}", ipv6 and f"{ipv6}/{a.host_block_len + FAMILY_BITS}"

    def _irregular_host_class(self, host: HostId, name: str, asset: Asset) -> HostClass:
        """The class of a host of which some link is irregular: its own."""
        key = f"{self.plan.hosts[host.group].name}/{name}"
        found = self._host_classes.get(key)
        if found is not None:
            return found
        regular = self._host_class(self.plan.hosts[host.group], asset)
        changes = {
            (link.rail, link.port): self.plan.exceptions.links.get(link.id) for link in links_of_host(self.plan, host)
        }
        self._host_classes[key] = replace(
            regular, key=key, rails=cabled_rails(regular.rails, changes, self.plan.hosts[host.group])
        )
        return self._host_classes[key]

    def _host_class(self, group: HostGroup, asset: Asset) -> HostClass:
        """The class of a host; PCI addresses and the interface of the asset list make a class of their own."""
        bdfs = {(rail, port): bdf for rail, port, bdf in asset.rail_bdfs}
        own = [asset.management_interface] if asset.management_interface else []
        key = "/".join([group.name, *own, *(f"{rail}.{port}={bdf}" for (rail, port), bdf in sorted(bdfs.items()))])
        found = self._host_classes.get(key)
        if found is None:
            found = self._host_classes[key] = build_host_class(self.plan, key, group, bdfs, *own)
        return found


def list_nodes(plan: FabricPlan, host: HostId) -> tuple[str, ...]:
    """Every node of a host's domain, itself included; nothing where each host is a domain.

    A node is its management address where the asset list has it, else its host name. Addresses of rails would not do: a
    connection that is not bound to a rail leaves by management.
    """
    if plan.hosts[host.group].nvlink_domain < 2:
        return ()
    names = (plan.host_name(node) for node in domain_hosts(plan, host))
    return tuple(plan.assets.get(name, Asset()).management_ip or name for name in names)
