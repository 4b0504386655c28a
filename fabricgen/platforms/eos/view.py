"""View of a switch for EOS's templates: the QoS profile of each kind of port, one block per interface, and access."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Annotated

from fabricgen.device.model import HostSubnet, PortShape, RoutingPolicy, Services, Switch, SwitchClass
from fabricgen.platforms.eos import qos
from fabricgen.platforms.eos.sessions import EosSpeaker, build_speaker
from fabricgen.platforms.views.bgp import ClassBgp, class_bgp
from fabricgen.platforms.views.policy import HOSTS
from fabricgen.platforms.views.switch import (
    LeafBond,
    LinkedPort,
    SwitchClassView,
    SwitchView,
    class_values,
    leaf_bonds,
    split_rows,
    switch_values,
)

STEP = 10
"""Distance of sequence numbers, as EOS counts them itself."""
TABLE_MAX = 2047
"""Entries of a resilient table on 7280 and 7800: capacity times redundancy.

Source:
    Arista TOI 13938, Resilient ECMP, limitations, as dantte-lp/pulumi-eos quotes them.
"""
COPIES = 8
"""Entries of a next hop while none is lost: the share of a lost one is split to an eighth.

Source:
    Arista EOS User Manual, IPv4, Resilient ECMP: the command and its arithmetic; the number is ours.
"""
TARGET = "4.33.0F"
"""The planned image: ``target`` of the manifest."""
FEC_LINES = {
    "rs": "error-correction encoding reed-solomon",
    "fc": "error-correction encoding fire-code",
    "none": "no error-correction encoding",
}
"""Interface command by kind of error correction."""
HASH_WORDS = {
    "source-ip": "five_tuple",
    "source-port": "five_tuple",
    "destination-ip": "five_tuple",
    "destination-port": "five_tuple",
    "ingress-interface": "ingress_port",
}
"""Word of the intent by word of ``ip load-sharing trident fields ip``, in the order in which EOS prints them."""
HASH_ORDER6 = ("destination-port", "source-ip", "ingress-interface", "destination-ip", "source-port")
"""The same words after ``fields ipv6``, which EOS prints in another order (annetutil/annet, implicit.py)."""
UDP_HEADER_BYTES = 8
SAND_ASICS = ("jericho", "ramon", "arad", "qumran")
"""ASICs of the family that EOS calls sand: one kind of transmit queue, its own hash commands."""


@dataclass(frozen=True, slots=True)
class AccessEntry:
    """A rule of an access list, such as ``10 permit 192.168.0.0/16``."""

    number: Annotated[int, "Access.management", "Access.management6"]
    rule: Annotated[str, "Access.management", "Access.management6"]


@dataclass(frozen=True, slots=True)
class AccessList:
    """Prefixes of management in one family.

    Attributes:
        word: ``ip`` or ``ipv6``, with which the commands of lists and groups begin.
        snmp_word: What SNMP calls the family.
        guards_gnmi: gNMI takes a list of this family.
    """

    name: Annotated[str, "Access.acl"]
    word: Annotated[str, "Access.acl"]
    snmp_word: Annotated[str, "Access.acl"]
    guards_gnmi: Annotated[bool, "Access.acl"]
    entries: Annotated[tuple[AccessEntry, ...], "Access.management", "Access.management6"]


@dataclass(frozen=True, slots=True)
class EosGnmiServer:
    """The gNMI server; EOS has certificates and keys in folders of its own and knows them by their file names."""

    port: Annotated[int, "Gnmi.port"]
    certificate: Annotated[str, "Gnmi.server_crt"]
    key: Annotated[str, "Gnmi.server_key"]
    trusted: Annotated[str, "Gnmi.ca_crt"]


def build_gnmi(services: Services) -> EosGnmiServer | None:
    """Return the gNMI server; None where the intent asks for none."""
    gnmi = services.gnmi
    if gnmi is None:
        return None
    files = (gnmi.server_crt, gnmi.server_key, gnmi.ca_crt)
    return EosGnmiServer(gnmi.port, *(PurePosixPath(path).name for path in files))


def build_access(services: Services) -> tuple[AccessList, ...]:
    """Return the lists of both families; none where the intent turns them off.

    A family without a prefix is refused in words: what EOS makes of a list without a rule is not published.
    """
    access = services.access
    if not access.acl:
        return ()
    return (
        AccessList("MANAGEMENT", "ip", "ipv4", True, _entries(access.management)),
        AccessList("MANAGEMENT6", "ipv6", "ipv6", False, _entries(access.management6)),
    )


def _entries(prefixes: tuple[str, ...]) -> tuple[AccessEntry, ...]:
    rules = [*(f"permit {prefix}" for prefix in prefixes), "deny any"]
    return tuple(AccessEntry(STEP * place, rule) for place, rule in enumerate(rules, 1))


@dataclass(frozen=True, slots=True)
class EosBond:
    """A bond of a host, and the QoS profile of its ports."""

    row: Annotated[LeafBond, "Port.bond", "Switch.ports"]
    profile: Annotated[str, "PortShape.speed_gbps"]


def _dotted(mac: str) -> str:
    """A MAC address as EOS prints a system id: ``0000.5e00.0101``."""
    digits = mac.replace(":", "")
    return ".".join(digits[at : at + 4] for at in (0, 4, 8))


@dataclass(frozen=True, slots=True)
class Resilience:
    """A fixed table of next hops for all routes of a pool; ``word`` is ``ip`` or ``ipv6``."""

    word: Annotated[str, "SwitchClass.ipv4", "SwitchClass.ipv6"]
    prefix: Annotated[str, "FabricPrefixes.host_links", "FabricPrefixes.host_links6"]
    capacity: Annotated[int, "RoutingPolicy.max_paths"]
    redundancy: Annotated[int, "RoutingPolicy.resilient", "RoutingPolicy.max_paths"]


def build_resilience(cls: SwitchClass) -> tuple[Resilience, ...]:
    """Tables of the pools that hosts have addresses of, one in each family; none without resilient hashing."""
    width = cls.routing.max_paths
    pools = (("ip", cls.prefixes.host_links), ("ipv6", cls.prefixes.host_links6))
    if not cls.routing.resilient:
        return ()
    copies = max(1, min(COPIES, TABLE_MAX // width))
    return tuple(Resilience(word, pool, width, copies) for word, pool in pools if pool)


@dataclass(frozen=True, slots=True)
class EosPortRow:
    """A port's lines that are the class's; ``speed`` is empty where the port runs at what its optic says.

    ``shape`` is the port itself.
    """

    shape: Annotated[PortShape, "SwitchClass.ports"]
    speed: Annotated[str, "PortShape.speed_gbps", "PortShape.lanes", "PortShape.autoneg"]
    fec: Annotated[str, "PortShape.fec"]
    profile: Annotated[str, "PortShape.speed_gbps"]


@dataclass(frozen=True, slots=True)
class HashRow:
    """Selection among equal paths for packets of a family; ``word`` is ``ip`` or ``ipv6``."""

    word: Annotated[str, "SwitchClass.ipv4", "SwitchClass.ipv6"]
    fields: Annotated[str, "RoutingPolicy.hash_fields"]


@dataclass(frozen=True, slots=True)
class EosClassView(SwitchClassView):
    """Properties that a class of EOS switches shares.

    Attributes:
        software: The box and its release as EOS writes them into the first line of a configuration.
        queue_word: How the ASIC's queues are called.
        port_queues: Queues of lossless classes, which ports guarantee a rate to and count marks of.
        guaranteed_kbps: Rate without which the watchdog passes them over; 0 where it is off, and on sand, of which no
            print has it.
        pfc: Something pauses.
        unmarked: What hosts' RoCE packets without a code point become; None where they stay as they are.
        moved_classes: Traffic classes whose queue EOS lets us choose.
        pair_offsets: Bytes of the destination queue pair, from the UDP header; none where nothing hashes on it.
        pair_payload: The same on sand, as a range from behind that header.
        hashes: Header fields by family; none on sand, which keeps its default ones.
        hash_seed: 1 on the leafs and where tiers may hash alike, one more on each tier above; 0, which is the default,
            on sand.
        dynamic: Flows move to less loaded links (DLB).
        resilience: Tables of next hops that stay in place when one is lost.
        access: Access lists of management; none where the intent turns them off.
        gnmi: The gNMI server; None where the intent asks for none.
        max_routes: Most routes that a session accepts, of all families it carries.
    """

    software: Annotated[str, "SwitchClass.product"]
    queue_word: Annotated[str, "Buffers.asic"]
    port_queues: Annotated[tuple[int, ...], "TrafficClass.priority", "TrafficClass.lossless"]
    guaranteed_kbps: Annotated[int, "Contract.mode", "Contract.lossless", "Buffers.asic"]
    marks: Annotated[bool, "SwitchClass.ecn", "Contract.mode"]
    pfc: Annotated[bool, "Contract.lossless"]
    dscp: Annotated[tuple[qos.DscpRow, ...], "Contract.priority_by_dscp"]
    moved_classes: Annotated[tuple[int, ...], "TrafficClass.priority"]
    profiles: Annotated[tuple[qos.QosProfile, ...], "SwitchClass.ports", "Contract.classes"]
    watchdog: Annotated[qos.EosWatchdogTimes, "SwitchClass.watchdog"]
    unmarked: Annotated[qos.UnmarkedRoce | None, "Contract.unmarked_dscp", "SwitchClass.role"]
    hashes: Annotated[
        tuple[HashRow, ...], "RoutingPolicy.hash_fields", "SwitchClass.ipv4", "SwitchClass.ipv6", "Buffers.asic"
    ]
    pair_offsets: Annotated[tuple[int, ...], "RoutingPolicy.hash_fields", "RoutingPolicy.udf", "Buffers.asic"]
    pair_payload: Annotated[str, "RoutingPolicy.hash_fields", "RoutingPolicy.udf", "Buffers.asic"]
    hash_seed: Annotated[int, "RoutingPolicy.hash_rank", "Buffers.asic"]
    dynamic: Annotated[bool, "RoutingPolicy.load_balancing"]
    resilience: Annotated[tuple[Resilience, ...], "RoutingPolicy.resilient", "SwitchClass.prefixes"]
    ports: Annotated[tuple[EosPortRow, ...], "SwitchClass.ports"]
    bgp: Annotated[ClassBgp, "SwitchClass.ipv4", "SwitchClass.ipv6", "SwitchClass.unnumbered"]
    max_routes: Annotated[int, "RoutingPolicy.max_prefixes"]
    access: Annotated[tuple[AccessList, ...], "Access.acl", "Access.management", "Access.management6"]
    gnmi: Annotated[EosGnmiServer | None, "Services.gnmi"]


@dataclass(slots=True)
class EosDeviceView(SwitchView):
    """Properties of one EOS switch.

    Attributes:
        links: Ports with a link.
        unused: Every other port of the box.
        bonds: Bonds of hosts, routed or in the VLAN of ``subnet``.
        system_id: LACP system id of the bonds, as EOS prints MAC addresses.
        subnet: What the bonds of hosts are in; None where they have addresses of their own, and without bonds.
        subnet_mtu_bytes: Largest packet that every host takes.
        management_word: ``ip`` or ``ipv6``, with which the commands of its management address begin.
        management_default: The default route of that family.
    """

    links: Annotated[list[LinkedPort[EosPortRow]], "Switch.ports"]
    unused: Annotated[list[EosPortRow], "SwitchClass.ports", "Switch.ports", "Switch.grandmaster"]
    bonds: Annotated[tuple[EosBond, ...], "Port.bond", "Switch.ports"]
    system_id: Annotated[str, "SwitchClass.bond_mac", "HostSubnet.lacp_system_id"]
    subnet: Annotated[HostSubnet | None, "Switch.host_subnet"]
    subnet_mtu_bytes: Annotated[int, "PortShape.mtu_bytes"]
    bgp: Annotated[EosSpeaker, "Switch.ports"]
    management_word: Annotated[str, "Switch.management"]
    management_default: Annotated[str, "Switch.management"]


def class_view(cls: SwitchClass) -> EosClassView:
    """The view of a class of switches."""
    contract = cls.contract
    ecn = {row.name: row for row in cls.ecn} if contract.mode != "pfc_only" else {}
    used = [shape for shape in cls.ports if shape.used]
    sand = cls.buffers.asic.id.startswith(SAND_ASICS)
    udf = cls.routing.udf if "roce_dest_qp" in cls.routing.hash_fields else None
    pair = range(udf.offset_bytes, udf.offset_bytes + udf.length_bytes) if udf else range(0)
    bgp = class_bgp(cls)
    bgp = replace(bgp, policies=tuple(sorted(bgp.policies, key=lambda policy: policy.side != HOSTS)))
    return EosClassView(
        **class_values(cls),
        software=", ".join(filter(None, (cls.product, f"EOS-{TARGET}"))),
        queue_word="tx-queue" if sand else "uc-tx-queue",
        port_queues=qos.guaranteed_queues(contract),
        guaranteed_kbps=qos.guaranteed_kbps(contract, sand=sand),
        marks=bool(ecn),
        pfc=bool(contract.lossless),
        dscp=qos.dscp_rows(contract),
        moved_classes=tuple(sorted({c.priority for c in contract.classes} - {qos.FIXED_CLASS})),
        profiles=qos.build_profiles(used, contract, ecn),
        watchdog=qos.watchdog_times(cls),
        unmarked=qos.build_unmarked(cls),
        pair_offsets=() if sand else tuple(pair),
        pair_payload=f"{pair[0] - UDP_HEADER_BYTES}-{pair[-1] - UDP_HEADER_BYTES}" if sand and pair else "",
        hashes=() if sand else _hashes(cls.routing, bgp),
        hash_seed=0 if sand else cls.routing.hash_rank + 1,
        dynamic=cls.routing.load_balancing == "flowlet",
        resilience=build_resilience(cls),
        ports=tuple(map(_port_row, cls.ports)),
        bgp=bgp,
        max_routes=cls.routing.prefix_limit * (len(bgp.families) if cls.unnumbered else 1),
        access=build_access(cls.services),
        gnmi=build_gnmi(cls.services),
    )


def device_view(device: Switch, cls: EosClassView) -> EosDeviceView:
    """The view of one switch."""
    links, unused = split_rows(cls.ports, device)
    profiles = {link.port.bond: link.row.profile for link in links}
    subnet = device.host_subnet
    has_ipv6 = ":" in device.management
    return EosDeviceView(
        **switch_values(device),
        links=links,
        unused=unused,
        bonds=tuple(EosBond(bond, profiles[bond.number]) for bond in leaf_bonds(device.ports)),
        system_id=_dotted(subnet.lacp_system_id if subnet else device.cls.bond_mac),
        subnet=subnet,
        subnet_mtu_bytes=min((shape.mtu_bytes for shape in device.cls.ports if shape.side == "down"), default=0),
        bgp=build_speaker(device, cls.bgp),
        management_word="ipv6" if has_ipv6 else "ip",
        management_default="::/0" if has_ipv6 else "0.0.0.0/0",
    )


def _port_row(shape: PortShape) -> EosPortRow:
    """A port's row; without published lanes there is no speed word, and the port follows its optic."""
    auto = "auto " if shape.autoneg == "on" else ""
    return EosPortRow(
        shape=shape,
        speed=f"{auto}{shape.speed_gbps}g-{len(shape.lanes)}" if shape.lanes else "",
        fec=FEC_LINES[shape.fec],
        profile=qos.profile_name(shape.speed_gbps),
    )


def _hashes(routing: RoutingPolicy, bgp: ClassBgp) -> tuple[HashRow, ...]:
    """Header fields of each family."""
    orders = {"ip": tuple(HASH_WORDS), "ipv6": HASH_ORDER6}
    return tuple(
        HashRow(family.word, " ".join(w for w in orders[family.word] if HASH_WORDS[w] in routing.hash_fields))
        for family in bgp.families
    )
