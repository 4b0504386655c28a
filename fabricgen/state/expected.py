"""State that the plan expects of one running device: what a check compares with what the device answers.

``Expectations`` is made once for a plan; ``switch`` and ``host`` give the expectations of one device. They are neutral:
which command shows which of them on which platform, the platforms know.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from fabricgen.device.model import Contract, Host, HostClass, Port, Rail, Switch
from fabricgen.device.transition import lower_plan
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, HostId
from fabricgen.platforms.observations.records import (
    CM_TOS,
    CNP_DSCP,
    CNP_PRIORITY,
    CODE_POINTS,
    FIRMWARE,
    NOTIFIES,
    PAUSED,
    REACTS,
    TRUST,
    ActiveSetting,
    name_numbers,
)
from fabricgen.state.sessions import ExpectedSession, list_host_sessions, list_sessions
from fabricgen.state.widths import EcmpWidth, RouteExpectations


@dataclass(frozen=True, slots=True)
class ExpectedLink:
    """A cabled port and what is at the other end.

    Attributes:
        peer_port: Its port, as its own software names it.
        peer_names: Everything that LLDP may call that port: its name, its alias, its MAC address.
        peer_alias: Alias of the port at the other end; empty where it has none.
        speed_gbps: Speed of the link, Gb/s; 0 where it is not the device's to know.
        fec: Forward error correction, a word of the catalog; empty where none is planned.
    """

    port: str
    peer: str
    peer_port: str
    peer_names: frozenset[str]
    peer_alias: str
    speed_gbps: int
    fec: str
    mtu_bytes: int


@dataclass(frozen=True, slots=True)
class Expected:
    """State expected of one device.

    Attributes:
        kind: ``switches`` or ``hosts``, as trees and collections name their folders.
        tier: Name of its tier, or of its host group.
        place: Its unit or pod in words, for example ``rack 3``; empty for a tier of the whole fabric.
        release: Release of its software that the intent names; empty where it names none.
        state: Empty or ``drained``; for hosts also the state of an exception.
        sessions: Its BGP sessions, and no others.
        ports: Every fabric port it has, cabled or not.
        aliases: Other names of its ports, each with the name used here.
        lossless: Priorities under PFC; no other priority may pause.
        marking: Priorities whose queues mark ECN; no other queue may.
        watchdog: The PFC watchdog runs on every cabled port.
        dcqcn: NICs answer marks with CNPs, and act on CNPs.
        bonded: NIC ports are joined to bonds, which share an RDMA device.
        nic: Platform of a host's NICs; empty for switches.
        shared_cages: Cabled ports that share their cage with one that is not cabled.
        settings: What its NIC ports keep the lossless contract by; empty for switches.
        files: What its rendered files set, by the state reading that shows what is in effect; empty where none does.
        saved: Readings that show what the next reboot loads of its outputs, by name; empty where none does.
        widths: Next hops by class of destinations; empty for hosts.
    """

    name: str
    kind: str
    tier: str
    platform: str
    release: str
    model: str
    state: str
    asn: int
    sessions: tuple[ExpectedSession, ...]
    links: tuple[ExpectedLink, ...]
    ports: frozenset[str]
    aliases: dict[str, str]
    lossless: tuple[int, ...]
    marking: tuple[int, ...]
    watchdog: bool
    widths: tuple[EcmpWidth, ...] = ()
    shared_cages: frozenset[str] = frozenset()
    place: str = ""
    dcqcn: bool = False
    bonded: bool = False
    nic: str = ""
    settings: tuple[ActiveSetting, ...] = ()
    files: tuple[ActiveSetting, ...] = ()
    saved: tuple[str, ...] = ()


class Expectations:
    """Expectations of the devices of one plan."""

    def __init__(self, plan: FabricPlan, *, counts_prefixes: bool = True) -> None:
        """Prepare for one plan; how many prefixes each session accepts takes half of the time to work out."""
        self.plan = plan
        self._counts_prefixes = counts_prefixes
        self._lowering = lower_plan(plan)
        self._routes = RouteExpectations(self._lowering)
        self._aliases: dict[str, dict[str, str]] = {}

    @cached_property
    def names(self) -> dict[str, DeviceId | HostId]:
        """Identity of every device by its name, switches first."""
        found: dict[str, DeviceId | HostId] = {}
        for device in self.plan.switches():
            found[self._lowering.name(device.tier, device.where)] = device
        for host in self.plan.all_hosts():
            found[self.plan.host_name(host)] = host
        return found

    def of(self, name: str) -> Expected | None:
        """Return the expectations of a device by its name; None if the plan has no such device."""
        found = self.names.get(name)
        if found is None:
            return None
        return self.host(found) if isinstance(found, HostId) else self.switch(found)

    def widths(self, name: str, avoided: Iterable[str]) -> tuple[EcmpWidth, ...]:
        """Return the widths of a switch towards all that it reaches without some neighbors; none of a host."""
        device = self.names.get(name)
        if not isinstance(device, DeviceId):
            return ()
        peers = [peer for each in avoided if isinstance(peer := self.names.get(each), DeviceId)]
        return tuple(self._routes.widths(device, peers))

    def switch(self, device: DeviceId) -> Expected:
        """Return the expectations of a switch."""
        switch = self._lowering.lower_switch(device)
        cls = switch.cls
        return Expected(
            name=switch.hostname,
            kind="switches",
            tier=cls.tier,
            platform=cls.platform,
            release=cls.release.name,
            model=cls.model,
            state=switch.state,
            asn=switch.asn,
            sessions=tuple(self._sessions(device, switch)),
            links=tuple(self._links(switch)),
            ports=frozenset(shape.name for shape in cls.ports),
            aliases={shape.alias: shape.name for shape in cls.ports if shape.alias},
            lossless=cls.contract.lossless,
            marking=tuple(each.priority for each in cls.contract.classes if each.lossless) if cls.ecn else (),
            watchdog=bool(cls.contract.lossless),
            widths=tuple(self._routes.widths(device)),
            shared_cages=frozenset(_list_shared(switch)),
            place=switch.place,
        )

    def host(self, host: HostId) -> Expected:
        """Return the expectations of a host."""
        found = self._lowering.lower_host(host)
        group = self.plan.hosts[host.group]
        links = tuple(self._host_links(found))
        return Expected(
            name=found.hostname,
            kind="hosts",
            tier=group.name,
            platform=group.os,
            release="",
            model="",
            state=found.state,
            asn=found.cls.bgp.asn if found.cls.bgp else 0,
            sessions=tuple(list_host_sessions(found)),
            links=links,
            ports=frozenset(port for rail in found.rails for port in _list_ports(rail)),
            aliases={},
            lossless=found.cls.contract.lossless,
            marking=(),
            watchdog=False,
            dcqcn=found.cls.contract.mode != "pfc_only",
            bonded=any(rail.links for rail in found.rails),
            nic=group.nic_family,
            settings=tuple(list_contract(found.cls, [link.port for link in links])),
            place=found.place,
        )

    def _sessions(self, device: DeviceId, switch: Switch) -> Iterator[ExpectedSession]:
        """Yield the sessions of a switch, with what it accepts over each; hosts announce nothing."""
        accepted = self._routes.accepted(device) if self._counts_prefixes else {}
        for session in list_sessions(switch):
            peer = self.names.get(session.peer)
            if isinstance(peer, DeviceId):
                counts = {family: accepted.get((peer, family)) for family in session.families}
            else:
                counts = dict.fromkeys(session.families, 0)
            known = tuple((family, count) for family, count in counts.items() if count is not None)
            yield replace(session, received=known)

    def _links(self, switch: Switch) -> Iterator[ExpectedLink]:
        """Yield the cabled ports of a switch."""
        for port in switch.ports:
            shape = port.shape
            alias = self._alias_of(port.peer, port.peer_port)
            names = {port.peer_port, *self._macs(port), *([alias] if alias else [])}
            yield ExpectedLink(
                port=shape.name,
                peer=port.peer,
                peer_port=port.peer_port,
                peer_names=frozenset(names),
                peer_alias=alias,
                speed_gbps=shape.speed_gbps,
                fec=shape.fec,
                mtu_bytes=shape.mtu_bytes,
            )

    def _macs(self, port: Port) -> Iterator[str]:
        """Yield the MAC address of a NIC port, by which firmware announces itself."""
        asset = self.plan.assets.get(port.peer)
        for rail, number, mac in asset.rail_macs if asset else ():
            if port.peer_port in (f"rail{rail}p{number}", f"rail{rail}"):
                yield mac.lower()

    def _port_aliases(self, device: DeviceId) -> dict[str, str]:
        """Return the aliases of a switch's ports by name, worked out once for its class."""
        key = self._lowering.class_key(device)
        found = self._aliases.get(key)
        if found is None:
            shapes = self._lowering.switch_class(device).ports
            found = self._aliases[key] = {shape.name: shape.alias for shape in shapes}
        return found

    def _host_links(self, host: Host) -> Iterator[ExpectedLink]:
        """Yield the cabled NIC ports of a host."""
        for rail in host.rails:
            shape = rail.shape
            cables = [(link.interface, link.peer, link.peer_port) for link in rail.links]
            for name, peer, peer_port in cables or [(shape.interface, rail.peer, rail.peer_port)]:
                if peer:
                    alias, speed_gbps = self._alias_of(peer, peer_port), shape.port_gbps or shape.speed_gbps
                    names = frozenset([peer_port, *([alias] if alias else [])])
                    yield ExpectedLink(name, peer, peer_port, names, alias, speed_gbps, "", shape.mtu_bytes)

    def _alias_of(self, switch: str, port: str) -> str:
        """Return the alias of a switch's port; empty where it has none."""
        device = self.names.get(switch)
        return self._port_aliases(device).get(port, "") if isinstance(device, DeviceId) else ""


def _list_shared(switch: Switch) -> Iterator[str]:
    """Yield the cabled ports of a switch that share their cage with one that is not cabled."""
    cabled = {port.shape.name for port in switch.ports}
    dark = {shape.cage for shape in switch.cls.ports if shape.name not in cabled}
    return (port.shape.name for port in switch.ports if port.shape.cage in dark)


def _list_ports(rail: Rail) -> list[str]:
    """Return the NIC ports of a rail: itself, or those of its bond."""
    return [link.interface for link in rail.links] or [rail.shape.interface]


_PRIORITIES = range(8)


def list_contract(cls: HostClass, ports: Iterable[str]) -> Iterator[ActiveSetting]:
    """Yield the settings by which NIC ports keep the lossless contract, and the firmware that the intent names."""
    values = {**_of_classes(cls.contract), CM_TOS: str(cls.collectives.data_dscp << 2)}
    if cls.group.firmware:
        values[FIRMWARE] = cls.group.firmware
    yield from (ActiveSetting(port, name, value) for port in ports for name, value in values.items())


def _of_classes(contract: Contract) -> dict[str, str]:
    """Return what the classes ask of a port: DSCP decides, and DCQCN runs on the lossless classes of its modes."""
    runs = contract.mode != "pfc_only"
    cut = name_numbers({each.priority for each in contract.classes if each.lossless} if runs else ())
    cnp = contract.by_name("cnp") if runs else None
    found = {TRUST: "dscp", PAUSED: name_numbers(contract.lossless), NOTIFIES: cut, REACTS: cut}
    if cnp is not None and cnp.dscp:
        found |= {CNP_DSCP: str(cnp.mark), CNP_PRIORITY: str(cnp.priority)}
    for priority in _PRIORITIES:
        points = [point for point, target in enumerate(contract.priority_by_dscp) if target == priority]
        found[f"{CODE_POINTS} {priority}"] = name_numbers(points)
    return found
