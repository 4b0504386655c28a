"""From a plan to the blueprint of a lab: every device lowered and rendered, every cable known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from hashlib import sha256
from ipaddress import ip_interface

from fabricgen.device.model import HostRouting, Port, Rail, Switch
from fabricgen.device.transition import lower_plan
from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.words import name_few
from fabricgen.lab.lab_codes import BAD_NAME, EQUIVALENT, NO_EQUIVALENT, NOT_APPLIED, UNPROVEN
from fabricgen.lab.model.blueprint import PROBE_PORT, Blueprint, Interface, LabNode, Wire
from fabricgen.lab.model.configuration import (
    HostNetwork,
    RoutingText,
    adapt_routing,
    let_probes_in,
    read_settings,
    translate_netplan,
    translate_rules,
)
from fabricgen.lab.model.routing_suite import CONFIG_NAME, CONFIG_PATH
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import HostId
from fabricgen.platforms.manifest.discover import find_roots
from fabricgen.platforms.manifest.load import load_all
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.render.engine import RenderedFile, Renderer
from fabricgen.state.sessions import is_watched, neighbor_names
from fabricgen.state.widths import single_addresses

LAB_NAME_MAX = 20
PROBES_IN = f"added to the packet filter: UDP {PROBE_PORT}, the lab's own datagrams"
_INTERFACE = re.compile(r"[A-Za-z0-9_.:-]{1,15}")
_DEVICE_MAX = 60


class Drafter:
    """Makes the nodes of a lab from one plan."""

    def __init__(self, plan: FabricPlan, specs: Mapping[str, PlatformSpec], bag: Bag) -> None:
        self._plan = plan
        self._bag = bag
        self._specs = specs
        self._lowering = lower_plan(plan)
        self._equivalents = _find_equivalent(specs, bag)
        self._renderer = Renderer({**specs, **self._equivalents}, bag)

    def draft(self, lab: str) -> Blueprint:
        """The blueprint; the bag says whether it can be built."""
        nodes = [self._switch(self._lowering.lower_switch(device)) for device in self._plan.switches()]
        nodes += [self._host(host) for host in self._plan.all_hosts()]
        equivalent = [node.name for node in nodes if node.equivalent]
        if equivalent and self._equivalents:
            self._bag.add(EQUIVALENT, f"control plane equivalent: {name_few(equivalent, 4)}")
        return Blueprint(lab, self._plan.name, "", (), tuple(nodes), tuple(_wires(nodes)))

    def _switch(self, switch: Switch) -> LabNode:
        """A switch with its own routing configuration, or with that of an equivalent platform."""
        named = [replace(port, shape=replace(port.shape, name=linux_name(port.shape.name))) for port in switch.ports]
        for port in named:
            self._check_name(port.shape.name, switch.hostname)
        files = self._renderer.render_switch(switch)
        text = _find(files, f"*/{CONFIG_NAME}")
        equivalent = text is None
        if text is None:
            text = self._render_equivalent(switch)
        routing = adapt_routing(text.decode() if text else "")
        routing = announce_hosts(routing, replace(switch, ports=named))
        loopbacks = single_addresses(switch.loopback, switch.loopback6)
        rules = self._packet_filter(switch, files)
        return LabNode(
            name=switch.hostname,
            tier=self._tiers[switch.cls.tier],
            role=switch.cls.role,
            asn=switch.asn,
            state=switch.state,
            config=routing.text,
            equivalent=equivalent,
            adapted=(*routing.adapted, *([PROBES_IN] if rules else [])),
            loopbacks=loopbacks,
            originates=(*loopbacks, *(block for block in (switch.aggregate, switch.aggregate6) if block)),
            interfaces=tuple(_switch_end(port, switch) for port in named),
            hash_rank=switch.cls.routing.hash_rank,
            detection_s=switch.cls.routing.bfd_interval_ms * switch.cls.routing.bfd_multiplier / 1000,
            hold_s=switch.cls.routing.hold_s,
            packet_filter=rules,
            mac=_mac_of(switch.hostname) if self._specs[switch.cls.platform].platform.one_mac else "",
            platforms=(switch.cls.platform,),
            files=_keep(files, f"switches/{switch.hostname}/"),
        )

    def _packet_filter(self, switch: Switch, files: list[RenderedFile]) -> str:
        """Return what the switch's own system lets in; nothing where it has no say."""
        folder = f"switches/{switch.hostname}/"
        own = {file.path.removeprefix(folder): file.data for file in files}
        rules = self._specs[switch.cls.platform].platform.packet_filter(own)
        return let_probes_in(rules, PROBE_PORT) if rules else ""

    @property
    def _tiers(self) -> dict[str, int]:
        return {tier.name: tier.number for tier in self._plan.tiers}

    def _render_equivalent(self, switch: Switch) -> bytes | None:
        """The routing configuration of the same device model on a platform that runs here."""
        for name, spec in self._equivalents.items():
            # Hashing that the other platform lacks does not affect routing.
            words = tuple(word for word in switch.cls.routing.hash_fields if spec.switch.hashes_on(word))
            routing = replace(switch.cls.routing, hash_fields=words)
            cls = replace(switch.cls, platform=name, key=f"{switch.cls.key}/equivalent", routing=routing)
            shapes = {id(port.shape): replace(port.shape, name=linux_name(port.shape.name)) for port in switch.ports}
            ports = [replace(port, shape=shapes[id(port.shape)]) for port in switch.ports]
            return _find(self._renderer.render_switch(replace(switch, cls=cls, ports=ports)), f"*/{CONFIG_NAME}")
        self._bag.add(
            NO_EQUIVALENT,
            f"{switch.hostname}: platform {switch.cls.platform} writes no {CONFIG_NAME}, and no installed platform "
            f"writes {CONFIG_PATH}",
        )
        return None

    def _host(self, identity: HostId) -> LabNode:
        """A host with the addresses, routes, rules and settings that its files give it."""
        host, group = self._lowering.lower_host(identity), self._plan.hosts[identity.group]
        files = self._renderer.render_host(host)
        text = _find(files, "*/etc/netplan/*.yaml")
        if text is None:
            self._bag.add(NOT_APPLIED, f"{host.hostname}: the lab applies netplan files, and {group.os} renders none")
        network = translate_netplan(text or b"", host.hostname, self._bag)
        network.commands += translate_rules((_find(files, "*/etc/systemd/network/*.network") or b"").decode())
        settings = read_settings((_find(files, "*/etc/sysctl.d/*.conf") or b"").decode())
        routing = _find(files, f"*/{CONFIG_NAME}")
        ends = [end for rail in host.rails for end in self._rail(rail, network, host.cls.bgp)]
        for end in ends:
            self._check_name(end.name, host.hostname)
        adapted = adapt_routing(routing.decode()) if routing else None
        bgp = host.cls.bgp
        return LabNode(
            name=host.hostname,
            tier=-1,
            role="host",
            asn=bgp.asn if bgp else 0,
            state=host.state,
            config=adapted.text if adapted else "",
            adapted=adapted.adapted if adapted else (),
            interfaces=tuple(ends),
            commands=tuple(network.commands),
            settings=tuple(_of_members(settings, network.bonds).items()),
            # Neither the leaf's: what a host has put on one of two cables would take half of the leaf's links.
            hash_rank=len(self._plan.tiers) + 1,
            detection_s=bgp.policy.bfd_interval_ms * bgp.policy.bfd_multiplier / 1000 if bgp else 0,
            hold_s=bgp.policy.hold_s if bgp else 0,
            table=str(bgp.table) if bgp else "main",
            platforms=(group.os, group.nic_family),
            files=_keep(files, f"hosts/{host.hostname}/"),
        )

    def _rail(self, rail: Rail, network: HostNetwork, bgp: HostRouting | None) -> Iterator[Interface]:
        """The interfaces of a rail: one, or the ports of a bond, which all have its address to themselves."""
        name = rail.shape.interface
        mtu_bytes = network.mtu_bytes.get(name, rail.shape.mtu_bytes)
        if rail.shape.members:
            self._bag.add(UNPROVEN, "LACP: the ports of a bond are routes over as many cables, routing only")
            for link in rail.links:
                single = single_addresses(rail.address, rail.address6)
                yield _host_end(rail, link.interface, (link.peer, link.peer_port), single, mtu_bytes)
            return
        if len(rail.links) > 1:
            self._bag.add(UNPROVEN, "NICs that spread over several cables: only the first of each is plugged in")
        end = _host_end(rail, name, (rail.peer, rail.peer_port), network.addresses.get(name, ()), mtu_bytes)
        neighbors = tuple(gateway for gateway in (rail.gateway, rail.gateway6) if gateway and bgp)
        peer_asn = rail.peer_asn
        yield replace(end, neighbors=neighbors, peer_asn=peer_asn, watched=bgp is not None and bgp.policy.bfd_lower)

    def _check_name(self, interface: str, device: str) -> None:
        if not _INTERFACE.fullmatch(interface) or len(device) > _DEVICE_MAX:
            self._bag.add(
                BAD_NAME,
                f"{device} {interface}: Linux takes at most 15 characters for an interface, the lab at most "
                f"{_DEVICE_MAX} for a device",
            )


def _find_equivalent(specs: Mapping[str, PlatformSpec], bag: Bag) -> dict[str, PlatformSpec]:
    """A platform that runs here, if a switch needs one."""
    switches = [spec for spec in specs.values() if spec.kind == "switch"]
    if all(any(output.path.endswith(f"/{CONFIG_NAME}") for output in spec.outputs) for spec in switches):
        return {}
    native = load_native(bag)
    return {native.name: native} if native is not None else {}


def load_native(bag: Bag) -> PlatformSpec | None:
    """Return the platform of switches that runs here: that of plain Linux switches, else one that writes its file."""
    roots = find_roots(bag)
    usable: list[tuple[bool, str]] = []
    loaded = load_all("switch", bag, roots)
    for name, spec in loaded.items():
        for output in spec.outputs:
            if output.path.endswith(f"/{CONFIG_NAME}"):
                usable.append((output.path != CONFIG_PATH, name))
    return loaded[min(usable)[1]] if usable else None


def _find(files: list[RenderedFile], pattern: str) -> bytes | None:
    return next((file.data for file in files if fnmatchcase(file.path, pattern)), None)


def _keep(files: list[RenderedFile], folder: str) -> tuple[tuple[str, str], ...]:
    return tuple((file.path.removeprefix(folder), file.data.decode()) for file in files)


def linux_name(name: str) -> str:
    """A port's name as Linux allows it."""
    return name.replace("/", "_")


def _switch_end(port: Port, switch: Switch) -> Interface:
    announced = host_routes(switch, port)
    return Interface(
        name=port.shape.name,
        mtu_bytes=port.shape.mtu_bytes,
        addresses=gateway_addresses(switch)
        if announced and switch.host_subnet
        else (*_with_length(port.address, port.prefix_len), *_with_length(port.address6, port.prefix_len6)),
        peer=port.peer,
        peer_interface=linux_name(port.peer_port),
        neighbors=neighbor_names(port),
        peer_asn=port.peer_asn,
        link=port.shape.link,
        drained=port.drained,
        watched=is_watched(switch, port),
        announces=announced,
    )


def _host_end(rail: Rail, name: str, peer: tuple[str, str], addresses: tuple[str, ...], mtu_bytes: int) -> Interface:
    return Interface(
        name=name,
        mtu_bytes=mtu_bytes,
        addresses=addresses,
        peer=peer[0],
        peer_interface=linux_name(peer[1]),
        link=rail.shape.link,
    )


def _of_members(settings: Mapping[str, int], bonds: Mapping[str, tuple[str, ...]]) -> dict[str, int]:
    """Kernel settings, those of a bond for each of its ports."""
    found: dict[str, int] = {}
    for path, value in settings.items():
        words = path.split("/")
        bond = next((word for word in words if word in bonds), "")
        for member in bonds.get(bond, (bond,)):
            found["/".join(member if word == bond else word for word in words)] = value
    return found


def _with_length(address: str, length: int) -> tuple[str, ...]:
    """An address with its prefix length; none where there is no address."""
    return (f"{address}/{length}",) if address else ()


def _mac_of(name: str) -> str:
    """Return a locally administered MAC address that follows from a device's name."""
    return ":".join(["02", *(f"{octet:02x}" for octet in sha256(name.encode()).digest()[:5])])


def _wires(nodes: list[LabNode]) -> Iterator[Wire]:
    """Every cable once, from its lower end."""
    tiers = {node.name: node.tier for node in nodes}
    for node in nodes:
        for end in node.interfaces:
            if node.tier < tiers.get(end.peer, -2):
                yield Wire(node.name, end.name, end.peer, end.peer_interface)


ADDED = "added: a static route through its port for every bonded host, in place of routes from ARP"


def gateway_addresses(switch: Switch) -> tuple[str, ...]:
    """Return what a host port of a leaf has as its own: the gateway, which is the same on all of them."""
    subnet = switch.host_subnet
    if subnet is None:
        return ()
    return single_addresses(subnet.gateway, subnet.gateway6)


def host_routes(switch: Switch, port: Port) -> tuple[str, ...]:
    """Prefixes that a leaf announces as long as a port is up; none where its block is all that it announces."""
    lengths = (switch.cls.prefixes.host_len, switch.cls.prefixes.host_len6)
    if port.peer_asn or not any(lengths):
        return ()
    if switch.host_subnet is None:
        addresses = (port.address, port.address6)
        named = zip(addresses, lengths, strict=True)
        return tuple(str(ip_interface(f"{text}/{length}").network) for text, length in named if text)
    return single_addresses(port.peer_address, port.peer_address6)


def announce_hosts(routing: RoutingText, switch: Switch) -> RoutingText:
    """The routing configuration of a leaf with routes to its bonded hosts; of any other switch as it is.

    Bonds are routing only, since this kernel may know no LACP: a leaf has a static route to the host through each port
    of a bond, announced while the port has a carrier, as the device does while it has an ARP entry. Of a routed bond
    each cable has the addresses, whose prefix is connected.
    """
    if switch.host_subnet is None:
        return routing
    routes = [(prefix, port.shape.name) for port in switch.ports for prefix in host_routes(switch, port)]
    if not routes:
        return routing
    lines = "\n".join(_network_lines(switch, routes))
    return RoutingText(f"{routing.text}{lines}\n", (*routing.adapted, ADDED))


def _network_lines(switch: Switch, routes: list[tuple[str, str]]) -> Iterator[str]:
    families = (
        ("ip", "ipv4", "", switch.aggregate, 32, [pair for pair in routes if ":" not in pair[0]]),
        ("ipv6", "ipv6", "6", switch.aggregate6, 128, [pair for pair in routes if ":" in pair[0]]),
    )
    for word, family, suffix, aggregate, length, own in families:
        if not own:
            continue
        yield f"{word} prefix-list OWN{suffix} seq 30 permit {aggregate} ge {length} le {length}"
        yield from (f"{word} route {prefix} {port}" for prefix, port in own)
        yield f"router bgp {switch.asn}"
        yield f" address-family {family} unicast"
        yield from (f"  network {prefix}" for prefix in dict.fromkeys(prefix for prefix, _ in own))
        yield " exit-address-family"
        yield "exit"
