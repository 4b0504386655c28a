"""Neutral facts: what readers find in the text of a device and proofs compare, in words that all platforms share."""

from __future__ import annotations

from dataclasses import dataclass, field

from .policy import Policy, Prefix, address_in

End = tuple[str, str]
"""A port: host name of the device, name of the port."""

Link = frozenset[End]
"""A cable: its two ends, in no order."""


def shown(value: object) -> str:
    """A fact in a finding; sets in order."""
    return str(sorted(value) if isinstance(value, frozenset) else value)


@dataclass(frozen=True, slots=True)
class Address:
    """An interface address: the host's own number and the subnet it stands in."""

    text: str
    subnet: Prefix


def address(text: str) -> Address:
    """An interface address from ``address/length``."""
    return Address(*address_in(text))


@dataclass(slots=True)
class Qos:
    """Treatment of traffic at one port.

    ``dscp_to_tc``: traffic class by code point; only those that the text names. ``headroom``: priority groups whose
    buffer profile has room after XOFF. ``watchdog``: priorities that the PFC watchdog looks after; ``watchdog_timers``
    says how. ``ecn``: queue to its marking thresholds (kmin bytes, kmax bytes, probability percent).
    """

    dscp_to_tc: dict[int, int] = field(default_factory=dict)
    tc_to_queue: dict[int, int] = field(default_factory=dict)
    tc_to_pg: dict[int, int] = field(default_factory=dict)
    pfc_to_queue: dict[int, int] = field(default_factory=dict)
    scheduler: dict[int, int | str] = field(default_factory=dict)
    pfc: frozenset[int] = frozenset()
    headroom: frozenset[int] = frozenset()
    watchdog: frozenset[int] = frozenset()
    watchdog_timers: tuple[str, ...] = ()
    ecn: dict[int, tuple[int, int, int]] = field(default_factory=dict)


@dataclass(slots=True)
class Interface:
    """One port of a switch or one rail of a host; 0, empty or None where the text does not say.

    ``link_local``: it has an IPv6 link-local address, so a session may run over it without any other address.
    ``neighbor``: the port at the other end, as a table of neighbours names it. ``unmarked``: what RoCE packets without
    a code point become, by family: code point and traffic class.
    """

    name: str
    addresses: list[Address] = field(default_factory=list)
    mtu: int = 0
    speed_gbps: int = 0
    fec: str = ""
    autoneg: str = ""
    up: bool = False
    link_local: bool = False
    description: str = ""
    neighbor: End | None = None
    qos: Qos = field(default_factory=Qos)
    bond: str = ""
    unmarked: dict[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(slots=True)
class Bond:
    """Ports that are one link to whoever bonds with them, by LACP.

    ``addresses``: a host's own; of a leaf those it has in the subnet of the hosts, or on the bond itself.
    ``is_routed``: the leaf's addresses are on the bond itself, in no VLAN. ``key``: LACP key, and ``system_id`` who the
    leaf says to be; ``port_ids`` are the first and last id of its ports. ``gateways``: addresses that leafs have in
    common, at ``gateway_mac``. ``exports_hosts``: hosts that it hears become routes. ``floods``: why packets to a
    silent host would go to every port of the VLAN; empty if they do not.
    """

    name: str
    members: list[str]
    addresses: list[Address] = field(default_factory=list)
    key: int = 0
    system_id: str = ""
    port_ids: tuple[int, int] = (0, 0)
    vlan: int = 0
    is_routed: bool = False
    gateways: frozenset[str] = frozenset()
    gateway_mac: str = ""
    is_fast: bool = False
    answers_arp: bool = False
    exports_hosts: bool = False
    floods: str = ""
    spreads_arp: bool = False
    description: str = ""
    unmarked: dict[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(slots=True)
class Session:
    """One BGP neighbour in one family, as the local side configures it; a session of both families stands twice.

    ``peer``: the neighbour's address, or the own port where the session runs over link-local addresses. ``bits``:
    address length of the family whose routes it carries. ``remote_as``: None where the text only says that it is
    external. ``local_as``: number that the neighbour is told in place of the speaker's own; None for its own.
    ``import_policies``: all must permit a route before it is used. ``least_ttl``: least TTL of packets that it takes; 0
    where any is taken, and sent with 1. ``timers``: keepalive and hold time, where the text has them.
    """

    peer: str
    remote_as: int | None = None
    local_as: int | None = None
    description: str = ""
    import_policies: tuple[Policy, ...] = ()
    export_policies: tuple[Policy, ...] = ()
    active: bool = False
    shutdown: bool = False
    allowas_in: bool = False
    default_originate: bool = False
    bfd: bool = False
    least_ttl: int = 0
    password: str = ""
    timers: tuple[int, ...] = ()
    bits: int = 32


@dataclass(slots=True)
class Bgp:
    """The BGP speaker of a device.

    ``redistributed``: source protocol to the policy that filters it (None: everything). ``restarts``: its neighbours
    keep its routes while it starts anew. ``import_check``: a named network is only originated while a route for it
    exists. ``policy_required``: a session without policies passes nothing.
    """

    asn: int
    router_id: str = ""
    sessions: list[Session] = field(default_factory=list)
    networks: list[Prefix] = field(default_factory=list)
    aggregates: list[Prefix] = field(default_factory=list)
    redistributed: dict[str, Policy | None] = field(default_factory=dict)
    max_paths: int = 1
    multipath_relax: bool = False
    restarts: bool = False
    import_check: bool = True
    policy_required: bool = True
    ignores_length: bool = False


@dataclass(frozen=True, slots=True)
class Route:
    """A static route; ``via`` is empty for a discard route, or on a device's link; ``table`` is 0 for the main one."""

    prefix: Prefix
    via: str
    device: str = ""
    table: int = 0


@dataclass(frozen=True, slots=True)
class Rule:
    """A policy routing rule of a host: traffic from this prefix looks into this table, in the order of priorities."""

    source: Prefix
    table: int
    device: str
    priority: int = 0


@dataclass(slots=True)
class Nic:
    """One NIC port as the host programs it.

    ``tsa``: traffic class to ``strict`` or ``ets``; ``bandwidth_pct`` to its share. ``cc_priorities``: priorities under
    DCQCN at run time; ``firmware_cc_mask`` the same as the firmware key's bits. ``cnp``: (DSCP, priority) of congestion
    notifications per place that sets them, ``runtime`` or ``firmware``. ``overtaking``: packets may overtake each other
    on their way to it: it places them as they come. ``link``: autonegotiation, speed in Gb/s and FEC that it is told;
    empty and 0 where it is left as it is.
    """

    interface: str
    trust: str = ""
    pfc: frozenset[int] | None = None
    dscp_to_priority: dict[int, int] = field(default_factory=dict)
    priority_to_tc: dict[int, int] = field(default_factory=dict)
    tsa: dict[int, str] = field(default_factory=dict)
    bandwidth_pct: dict[int, int] = field(default_factory=dict)
    cc_priorities: dict[str, frozenset[int]] = field(default_factory=dict)
    firmware_cc_mask: int | None = None
    cnp: dict[str, tuple[int | None, int | None]] = field(default_factory=dict)
    traffic_class: dict[str, int] = field(default_factory=dict)
    overtaking: bool = False
    link: tuple[str, int, str] = ("", 0, "")


@dataclass(frozen=True, slots=True)
class TopologyNet:
    """A NIC in the collective library's topology file; ``rail`` and ``plane`` are -1, ``speed_gbps`` 0 where unsaid."""

    name: str
    speed_gbps: int
    bdf: str
    rail: int = -1
    plane: int = -1


@dataclass(slots=True)
class HostFacts:
    """Facts that only hosts have.

    ``rdma``: interface name to RDMA device name. ``bdf``: interface or RDMA device name to the PCI address it is given
    to. ``domain``: hosts of its NVLink domain, itself among them, as it lists them. ``asked``: rules for lookups that
    name an interface, as RDMA's do.
    """

    nics: dict[str, Nic] = field(default_factory=dict)
    rdma: dict[str, str] = field(default_factory=dict)
    bdf: dict[str, str] = field(default_factory=dict)
    rules: list[Rule] = field(default_factory=list)
    asked: list[Rule] = field(default_factory=list)
    collective: dict[str, str] = field(default_factory=dict)
    topology: list[TopologyNet] = field(default_factory=list)
    topology_bdfs: set[str] = field(default_factory=set)
    environment: dict[str, str] = field(default_factory=dict)
    lldp: dict[str, str] = field(default_factory=dict)
    sysctl: dict[str, str] = field(default_factory=dict)
    domain: tuple[str, ...] = ()


@dataclass(slots=True)
class Sampling:
    """Samples of the traffic that a switch takes: ``rates`` is one packet of so many, by port."""

    collector: str = ""
    agent: str = ""
    rates: dict[str, int] = field(default_factory=dict)


GRANDMASTER = "PTP grandmaster"
"""Description of a port that is cabled to one."""


@dataclass(slots=True)
class Clock:
    """PTP: ``ports`` follow ``any`` other, or are a ``source`` or a ``follower`` only; ``outside`` are grandmasters.

    ``rates``: of announcements, sync messages and delay requests, as binary logarithms of seconds.
    """

    domain: int = 0
    dscp: int = -1
    ports: dict[str, str] = field(default_factory=dict)
    rates: set[tuple[int, ...]] = field(default_factory=set)
    outside: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Device:
    """One device: all that its rendered text says.

    ``vlans``: addresses of a switch in the VLANs that its bonds stand in. ``hash_identity``: everything that makes this
    switch's ECMP choice its own: algorithm, seed, offset. ``queue_pair_hash``: bytes that the hash reads beside its
    fields: UDP port of the packets, the header they are counted from, the first of them, how many. ``lacks``: what the
    platform has no place for, in the words of ``Qos``; ``unnumbered_lists`` are prefix lists of one neighbour on a link
    without addresses. ``problems``: what could not be read, or contradicts itself within the device.
    """

    name: str
    kind: str
    interfaces: dict[str, Interface] = field(default_factory=dict)
    bonds: dict[str, Bond] = field(default_factory=dict)
    vlans: dict[int, list[Address]] = field(default_factory=dict)
    loopbacks: list[Address] = field(default_factory=list)
    management: list[Address] = field(default_factory=list)
    management_gateway: str = ""
    routes: list[Route] = field(default_factory=list)
    bgp: Bgp | None = None
    hash_identity: str = ""
    queue_pair_hash: tuple[tuple[int, int, int, int], ...] = ()
    sprays: bool = False
    sampling: Sampling | None = None
    clock: Clock = field(default_factory=Clock)
    lacks: frozenset[str] = frozenset()
    host: HostFacts = field(default_factory=HostFacts)
    problems: list[str] = field(default_factory=list)

    def say(self, text: str) -> None:
        self.problems.append(f"{self.name} {text}")


@dataclass(slots=True)
class Fabric:
    """Every device of a rendered tree; ``problems`` are those of the tree itself."""

    devices: dict[str, Device] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def switches(self) -> list[Device]:
        return [d for d in self.devices.values() if d.kind == "switch"]

    def hosts(self) -> list[Device]:
        return [d for d in self.devices.values() if d.kind == "host"]
