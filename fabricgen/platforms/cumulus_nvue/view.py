"""View of a switch for NVUE's templates: QoS profiles by what ports differ in, one object per interface, and access.

Control-plane lists stand before NVIDIA's ``acl-default-whitelist``, which lets SSH, SNMP and gNMI in from everywhere,
and behind its ``acl-default-dos``, which lets answers in first. They refuse these services only: a rule that refuses
everything is not supported.

Source:
    CumulusNetworks/docs, Firewall Rules (control plane ACLs take precedence over acl-default-whitelist), Access Control
    List Configuration of Cumulus Linux 5.15 (Control Plane ACLs), NVUE reference, ACL and CoPP.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import PurePosixPath
from typing import Annotated

from fabricgen.device.model import Contract, EcnThresholds, Gnmi, PortShape, Services, Switch, SwitchClass, TrafficClass
from fabricgen.platforms.cumulus_nvue.sessions import NvuePeerGroup, NvueSpeaker, build_speaker, group_rows, policy_rows
from fabricgen.platforms.views.bgp import ClassBgp, class_bgp
from fabricgen.platforms.views.policy import RoutePolicy
from fabricgen.platforms.views.switch import (
    CodePoint,
    LeafBond,
    LinkedPort,
    SwitchClassView,
    SwitchView,
    TacacsServer,
    class_values,
    code_points,
    leaf_bonds,
    split_rows,
    switch_values,
)

STEP = 10
"""Distance of rule numbers, as the documentation counts them."""
SSH_PORT = 22
SNMP_PORT = 161
FEC_WORDS = {"rs": "rs", "fc": "baser", "none": "off"}
"""``link fec`` by kind of error correction."""
HASH_KEYS = (
    ("five_tuple", ("source-ip", "destination-ip", "source-port", "destination-port", "ip-protocol")),
    ("ingress_port", ("ingress-interface",)),
)
"""Keys of ``system forwarding ecmp-hash`` by word of the intent."""
HASH_SEED_STEP = 50
"""Distance of the hash seeds of two ranks, starting at one step: the documentation's own example is 50."""
POLL_MS = 100
"""Shortest interval at which the PFC watchdog polls; detection is a number of such intervals.

Source:
    CumulusNetworks/docs, What's New 5.6: pfc-watchdog polling-interval 100-5000, robustness 1-1000.
"""
LOSSLESS_POOL_PCT = 90
"""Share of the lossless traffic pool; the lossy one has the rest.

Source:
    NVIDIA's published Spectrum-X switch configuration for Cumulus Linux 5.15: 90 and 10.
"""
_OF_IDLE: Mapping[str, tuple[str, ...]] = dict.fromkeys(("strict", "weight_pct"), ("Contract.classes",))
"""Origin of the fields of a traffic class that no class of the contract uses."""


@dataclass(frozen=True, slots=True)
class NvueAclRule:
    """A rule of a list: whether packets to a port are let in; ``source`` is empty where it is for all that are left."""

    number: Annotated[int, "Access.management", "Access.management6"]
    protocol: Annotated[str, "Access.acl"]
    port: Annotated[int, "Access.acl"]
    source: Annotated[str, "Access.management", "Access.management6"]
    action: Annotated[str, "Access.acl"]
    origins: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class ControlPlaneList:
    """Prefixes of management in one family."""

    name: Annotated[str, "Access.acl"]
    family: Annotated[str, "Access.acl"]
    rules: Annotated[tuple[NvueAclRule, ...], "Access.management", "Access.management6"]


@dataclass(frozen=True, slots=True)
class NvueGnmiServer:
    """The gNMI server; NVUE knows certificates by the ids they were imported under."""

    port: Annotated[int, "Gnmi.port"]
    certificate: Annotated[str, "Gnmi.server_crt"]
    ca_certificate: Annotated[str, "Gnmi.ca_crt"]


def build_lists(services: Services) -> tuple[ControlPlaneList, ...]:
    """Return the lists of both families; none where the intent turns them off."""
    access = services.access
    if not access.acl:
        return ()
    return (
        ControlPlaneList("fabricgen-access", "ipv4", _rules(services, access.management, "Access.management")),
        ControlPlaneList("fabricgen-access6", "ipv6", _rules(services, access.management6, "Access.management6")),
    )


def _rules(services: Services, prefixes: tuple[str, ...], field: str) -> tuple[NvueAclRule, ...]:
    """Each service from the prefixes and from nowhere else."""
    ports = [("tcp", SSH_PORT, "Access.acl")]
    if services.snmp_community:
        ports.append(("udp", SNMP_PORT, "Services.snmp_community"))
    if services.gnmi:
        ports.append(("tcp", services.gnmi.port, "Gnmi.port"))
    rows = [
        (protocol, port, source, action, {"port": (why,), "source": (field,)})
        for protocol, port, why in ports
        for source, action in (*((prefix, "permit") for prefix in prefixes), ("", "deny"))
    ]
    return tuple(NvueAclRule(STEP * place, *row) for place, row in enumerate(rows, 1))


@dataclass(frozen=True, slots=True)
class NvueQueueRow:
    """A traffic class of the scheduler, and the class of the contract that uses it; one without gets nothing."""

    strict: Annotated[bool, "TrafficClass.strict"]
    weight_pct: Annotated[int, "TrafficClass.weight_pct"]
    traffic: Annotated[TrafficClass | None, "Contract.classes"]
    origins: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class PfcProfile:
    """PFC of ports whose cables are at most this long; ``shape`` is the first of them."""

    name: Annotated[str, "PortShape.length_m"]
    whole_m: Annotated[int, "PortShape.length_m"]
    shape: Annotated[PortShape, "SwitchClass.ports"]


@dataclass(frozen=True, slots=True)
class MarkingProfile:
    """Congestion control of ports of one speed."""

    name: Annotated[str, "EcnThresholds.name"]
    ecn: Annotated[EcnThresholds, "SwitchClass.ecn"]


@dataclass(frozen=True, slots=True)
class CageRow:
    """A cage that is broken out into several ports."""

    name: Annotated[str, "PortShape.cage"]
    mode: Annotated[str, "PortShape.lanes"]


@dataclass(frozen=True, slots=True)
class NvuePortRow:
    """A port's values that are the class's; ``pfc`` and ``marking`` are empty or the name of a profile.

    ``shape`` is the port itself, ``adaptive`` says that it takes part in adaptive routing.
    """

    shape: Annotated[PortShape, "SwitchClass.ports"]
    speed: Annotated[str, "PortShape.speed_gbps"]
    fec: Annotated[str, "PortShape.fec"]
    autoneg: Annotated[bool, "PortShape.autoneg"]
    pfc: Annotated[str, "PortShape.length_m", "Contract.lossless"]
    marking: Annotated[str, "PortShape.ecn", "Contract.mode"]
    adaptive: Annotated[bool, "RoutingPolicy.load_balancing", "PortShape.peer_platform"]


@dataclass(frozen=True, slots=True)
class NvueLogin:
    """A local login; the key is empty, or its kind and its base64 text."""

    name: Annotated[str, "User.name"]
    password_hash: Annotated[str, "User.password_hash"]
    key_type: Annotated[str, "User.ssh_key"]
    key: Annotated[str, "User.ssh_key"]


@dataclass(frozen=True, slots=True)
class NvueWords:
    """Words of a release for the key that turns an object on or off, and for both values, quoted where YAML asks."""

    state: Annotated[str, "SwitchClass.release"]
    on: Annotated[str, "SwitchClass.release"]
    off: Annotated[str, "SwitchClass.release"]


WORDS = {True: NvueWords("state", "enabled", "disabled"), False: NvueWords("enable", "'on'", "'off'")}
"""Words from 5.15 on, and before."""
TIMEZONES = {"UTC": "Etc/UTC"}
"""Time zones that NVUE has under another name: its schema lists areas with places alone."""


@dataclass(frozen=True, slots=True)
class NvueClassView(SwitchClassView):
    """Properties that a class of NVUE switches shares.

    Attributes:
        renamed: The release has the spelling of 5.15; ``word`` are its words.
        pfc: Something pauses.
        marked: Traffic classes that mark.
        robustness: Watchdog polls after which a pause is a storm.
        hash_keys: What chooses among equal paths, beside the seed.
        adaptive: Paths are chosen by load, packet by packet.
        weighted: Next hops are weighted where every path tells its bandwidth.
        access: Control-plane lists of management; none where the intent turns them off.
        gnmi: The gNMI server; None where the intent asks for none.
    """

    renamed: Annotated[bool, "SwitchClass.release"]
    word: Annotated[NvueWords, "SwitchClass.release"]
    timezone: Annotated[str, "Services.timezone"]
    contract: Annotated[Contract, "SwitchClass.contract"]
    pfc: Annotated[bool, "Contract.lossless"]
    dscp: Annotated[tuple[CodePoint, ...], "Contract.priority_by_dscp"]
    queues: Annotated[tuple[NvueQueueRow, ...], "Contract.classes"]
    marked: Annotated[tuple[int, ...], "TrafficClass.lossless", "Contract.mode"]
    pfc_profiles: Annotated[tuple[PfcProfile, ...], "SwitchClass.ports", "Contract.lossless"]
    marking_profiles: Annotated[tuple[MarkingProfile, ...], "SwitchClass.ecn", "Contract.mode"]
    lossless_pool_pct: Annotated[int, "Contract.lossless"]
    lossy_pool_pct: Annotated[int, "Contract.lossless"]
    poll_ms: Annotated[int, "Watchdog.detection_ms"]
    robustness: Annotated[int, "Watchdog.detection_ms"]
    hash_keys: Annotated[tuple[str, ...], "RoutingPolicy.hash_fields"]
    hash_seed: Annotated[int, "RoutingPolicy.hash_rank"]
    adaptive: Annotated[bool, "RoutingPolicy.load_balancing"]
    cages: Annotated[tuple[CageRow, ...], "SwitchClass.ports"]
    ports: Annotated[tuple[NvuePortRow, ...], "SwitchClass.ports"]
    ipv4: Annotated[bool, "SwitchClass.ipv4"]
    weighted: Annotated[bool, "SwitchClass.weighted"]
    bgp: Annotated[ClassBgp, "SwitchClass.ipv4", "SwitchClass.ipv6", "SwitchClass.unnumbered"]
    bond_mac: Annotated[str, "SwitchClass.bond_mac"]
    policies: Annotated[tuple[RoutePolicy, ...], "SwitchClass.role"]
    groups: Annotated[tuple[NvuePeerGroup, ...], "SwitchClass.has_upper", "SwitchClass.role"]
    logins: Annotated[tuple[NvueLogin, ...], "Services.users"]
    tacacs: Annotated[tuple[TacacsServer, ...], "Services.tacacs"]
    access: Annotated[tuple[ControlPlaneList, ...], "Services.access", "Services.snmp_community", "Services.gnmi"]
    gnmi: Annotated[NvueGnmiServer | None, "Services.gnmi"]


@dataclass(slots=True)
class NvueDeviceView(SwitchView):
    """Properties of one NVUE switch.

    Attributes:
        links: Ports with a link.
        unused: Every other port of the box.
        management_family: ``ipv4`` or ``ipv6``, which its management address is of.
    """

    links: Annotated[list[LinkedPort[NvuePortRow]], "Switch.ports"]
    unused: Annotated[list[NvuePortRow], "SwitchClass.ports", "Switch.ports", "Switch.grandmaster"]
    bonds: Annotated[tuple[LeafBond, ...], "Switch.ports", "Port.bond"]
    bgp: Annotated[NvueSpeaker, "Switch.ports"]
    management_family: Annotated[str, "Switch.management"]


def class_view(cls: SwitchClass) -> NvueClassView:
    """The view of a class of switches."""
    contract = cls.contract
    marking = contract.mode != "pfc_only"
    used = [shape for shape in cls.ports if shape.used]
    lossless = bool(contract.lossless)
    adaptive = cls.routing.load_balancing == "adaptive"
    bgp = class_bgp(cls)
    renamed = cls.release.knows("router > bgp > state")
    return NvueClassView(
        **class_values(cls),
        renamed=renamed,
        word=WORDS[renamed],
        timezone=TIMEZONES.get(cls.services.timezone, cls.services.timezone),
        contract=contract,
        pfc=lossless,
        dscp=code_points(contract),
        queues=_queues(contract),
        marked=tuple(row.priority for row in contract.classes if row.lossless and marking),
        pfc_profiles=_pfc_profiles(used) if lossless else (),
        marking_profiles=tuple(MarkingProfile(ecn.name.replace("_", "-"), ecn) for ecn in cls.ecn) if marking else (),
        lossless_pool_pct=LOSSLESS_POOL_PCT,
        lossy_pool_pct=100 - LOSSLESS_POOL_PCT,
        poll_ms=POLL_MS,
        robustness=max(1, cls.watchdog.detection_ms // POLL_MS),
        hash_keys=tuple(key for word, keys in HASH_KEYS if word in cls.routing.hash_fields for key in keys),
        hash_seed=HASH_SEED_STEP * (cls.routing.hash_rank + 1),
        adaptive=adaptive,
        cages=_cages(cls.ports),
        ports=tuple(_port_row(shape, lossless, marking, adaptive) for shape in cls.ports),
        ipv4=cls.ipv4,
        weighted=cls.weighted,
        bgp=bgp,
        bond_mac=cls.bond_mac,
        policies=policy_rows(bgp),
        groups=group_rows(bgp),
        logins=tuple(NvueLogin(u.name, u.password_hash, *_key_words(u.ssh_key)) for u in cls.services.users),
        tacacs=tuple(map(TacacsServer, cls.services.tacacs, count(1))),
        access=build_lists(cls.services),
        gnmi=_gnmi_server(cls.services.gnmi),
    )


def device_view(device: Switch, cls: NvueClassView) -> NvueDeviceView:
    """The view of one switch."""
    links, unused = split_rows(cls.ports, device)
    return NvueDeviceView(
        **switch_values(device),
        links=links,
        unused=unused,
        bonds=leaf_bonds(device.ports),
        bgp=build_speaker(device, cls.bgp),
        management_family="ipv6" if ":" in device.management else "ipv4",
    )


def _gnmi_server(gnmi: Gnmi | None) -> NvueGnmiServer | None:
    """The gNMI server; NVUE names certificates by what their files are called."""
    if gnmi is None:
        return None
    return NvueGnmiServer(gnmi.port, *(PurePosixPath(each).stem for each in (gnmi.server_crt, gnmi.ca_crt)))


def _key_words(key: str) -> tuple[str, str]:
    """Kind and text of a public key."""
    words = key.split(" ")
    return (words[0], words[1]) if words[1:] else ("", "")


def _whole_m(shape: PortShape) -> int:
    """Cable length of a port for NVUE: whole metres, at least one."""
    return max(1, math.ceil(shape.length_m))


def _pfc_profiles(used: Iterable[PortShape]) -> tuple[PfcProfile, ...]:
    """One profile per cable length in use."""
    shapes = {_whole_m(shape): shape for shape in reversed(list(used))}
    return tuple(PfcProfile(f"roce-{length}m", length, shapes[length]) for length in sorted(shapes))


def _queues(contract: Contract) -> tuple[NvueQueueRow, ...]:
    """Every traffic class; those without a class of the contract carry nothing."""
    rows = {row.priority: NvueQueueRow(row.strict, row.weight_pct, row, {}) for row in contract.classes}
    idle = NvueQueueRow(strict=False, weight_pct=0, traffic=None, origins=_OF_IDLE)
    return tuple(rows.get(number, idle) for number in range(8))


def _cages(ports: Iterable[PortShape]) -> tuple[CageRow, ...]:
    """Cages with more than one port; the lanes are shared out evenly, which is NVUE's default."""
    counts = Counter(shape.cage for shape in ports)
    return tuple(CageRow(f"swp{cage}", f"{count}x") for cage, count in counts.items() if count > 1)


def _port_row(shape: PortShape, lossless: bool, marking: bool, adaptive: bool) -> NvuePortRow:
    """A port's row; only linked ports pause, watch and mark, and those towards switches route adaptively."""
    return NvuePortRow(
        shape=shape,
        speed=f"{shape.speed_gbps}G",
        fec=FEC_WORDS[shape.fec],
        autoneg=shape.autoneg == "on",
        pfc=f"roce-{_whole_m(shape)}m" if lossless and shape.used else "",
        marking=shape.ecn.replace("_", "-") if marking and shape.used else "",
        adaptive=adaptive and bool(shape.peer_platform),
    )
