"""The lossless contract and the numbers derived from it, as every device of a tier shares them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

QUEUES = 8
"""Queues and traffic classes of a port (IEEE 802.1Q)."""

RATE_UNIT_GBPS = 25
"""Rate for which parameters that follow a port's rate are published."""

PREFIX_SLACK = 100
"""Least room between the prefixes that are planned and those at which a session is torn down.

Source:
    FRR user guide, bgp: a limit on prefixes is far more destructive than a list, so it is the last resort.
"""

LOSSLESS_QUEUE_PROFILE = "egress_lossless_profile"
LOSSY_QUEUE_PROFILES = ("q_lossy_profile", "egress_lossy_profile")
"""Profiles of queues as vendors' buffer tables name them; of the last two the first one that exists is a queue's.

Source:
    sonic-net/sonic-buildimage 086b03bd, files/build_templates/buffers_config.j2.
"""


@dataclass(slots=True)
class TrafficClass:
    """One class of the contract.

    Traffic class, queue and PFC priority are the same number; a lossless class has a priority group of its own.
    """

    name: str
    dscp: tuple[int, ...]
    priority: int
    priority_group: int
    lossless: bool
    strict: bool
    weight_pct: int


@dataclass(slots=True)
class Contract:
    """DSCP to traffic class to queue to priority group to PFC priority, one table for switch and NIC.

    Attributes:
        mode: ``dcqcn``, ``pfc_only`` or ``ecn_only``.
        classes: By ascending priority.
        priority_by_dscp: Priority of each of the 64 code points.
        lossless: Priorities under PFC.
        reason: Why the mode deviates from DCQCN; empty if it does not.
        unmarked_dscp: Code point that leafs give to RoCE packets without one; -1 where they leave them as they are.
    """

    mode: str
    classes: tuple[TrafficClass, ...]
    priority_by_dscp: tuple[int, ...]
    lossless: tuple[int, ...]
    reason: str
    unmarked_dscp: int = -1

    @property
    def lossy_groups(self) -> int:
        """Lossy priority groups of a port; a traffic class that no class of the contract uses shares group 0."""
        groups = {cls.priority: cls.priority_group for cls in self.classes}
        paused = {cls.priority_group for cls in self.classes if cls.priority in self.lossless}
        return len({groups.get(number, 0) for number in range(QUEUES)} - paused)

    def by_name(self, name: str) -> TrafficClass | None:
        """The class of that name, or None."""
        return next((c for c in self.classes if c.name == name), None)


@dataclass(slots=True)
class Watchdog:
    """PFC watchdog timers in milliseconds; ``action`` is drop, forward or alert."""

    detection_ms: int
    restoration_ms: int
    poll_ms: int
    action: str


@dataclass(slots=True)
class EcnThresholds:
    """ECN marking of a lossless queue at one speed; bytes and percent.

    Attributes:
        source: Where the thresholds come from, with the arithmetic of computed ones.
        key: The tier or speed for which the intent states it; empty where it makes no difference between them.
        rule: What decided Kmin: a rule of ``physics.ecn_thresholds``, ``explicit`` or ``named profile``.
    """

    name: str
    speed_gbps: int
    kmin_bytes: int
    kmax_bytes: int
    pmax_pct: int
    source: str
    key: str = ""
    rule: str = ""


@dataclass(slots=True)
class MarkingBound:
    """Where PFC may pause, and what that follows from.

    Attributes:
        alpha: Dynamic threshold of a lossless priority group.
        pool_bytes: What the queues of one memory share, without headroom and reservations.
        ports: Ports at the reserved maximum; ``priorities`` are the lossless ones of each.
        bound_bytes: Fill from which PFC may pause with every port congested.
        alone_bytes: Fill from which PFC pauses a priority group that is the only one with packets.
        group_bytes: What a priority group has for itself before it takes shared space.
        memories: How many memories the buffer consists of, each with an equal part of the ports.
    """

    alpha: float
    pool_bytes: int
    ports: int
    priorities: int
    bound_bytes: int
    alone_bytes: int
    group_bytes: int = 0
    memories: int = 1

    @property
    def ports_per_memory(self) -> int:
        """Ports of the memory that has the most."""
        return -(-self.ports // self.memories)

    @property
    def arithmetic(self) -> str:
        """The bound with its numbers."""
        ports = self.ports_per_memory
        return f"{self.alpha:g} x {self.pool_bytes} / ({ports} x (1 + {self.alpha:g} x {self.priorities}))"

    @property
    def alone_arithmetic(self) -> str:
        """The fill of a priority group that is alone, with its numbers."""
        own = f"{self.group_bytes} + " if self.group_bytes else ""
        return f"{own}{self.alpha:g} x {self.pool_bytes} / (1 + {self.alpha:g})"


@dataclass(slots=True)
class PgProfile:
    """Headroom profile of a lossless priority group at one speed and cable class.

    Attributes:
        cable_m: The table row the real length was rounded up to; in whole metres where headroom is computed.
        lanes: Lanes and ``mtu_bytes`` the MTU of the ports it is for; 0 where a table knows neither.
        derivation: The row, or the formula with its numbers.
    """

    name: str
    speed_gbps: int
    cable_m: int
    size_bytes: int
    xon_bytes: int
    xon_offset_bytes: int | None
    xoff_bytes: int
    dynamic_th: int
    source: str
    lanes: int = 0
    mtu_bytes: int = 0
    derivation: str = ""


@dataclass(slots=True)
class Pool:
    """A shared buffer pool as the vendor ships it for the SKU.

    ``computed``: the switch sizes it; ``size_bytes`` is then what it comes to at the reserved maximum.
    """

    name: str
    kind: str
    mode: str
    size_bytes: int
    xoff_bytes: int | None
    computed: bool = False


@dataclass(slots=True)
class Profile:
    """A buffer profile that is not headroom; exactly one threshold is set, ``dynamic_th`` is log2 of alpha."""

    name: str
    pool: str
    size_bytes: int
    dynamic_th: int | None
    static_th_bytes: int | None


def egress_port_bytes(profiles: Sequence[Profile], lossless: int) -> int:
    """Reserved size of a port's egress profiles: one of the port for each pool, and one of each queue.

    Args:
        profiles: The SKU's profiles.
        lossless: Lossless queues.
    """
    by_name = {profile.name: profile for profile in profiles}
    of_port: dict[str, int] = {}
    for name in (LOSSLESS_QUEUE_PROFILE, LOSSY_QUEUE_PROFILES[-1]):
        if name in by_name:
            of_port.setdefault(by_name[name].pool, by_name[name].size_bytes)
    lossy = next((by_name[name].size_bytes for name in LOSSY_QUEUE_PROFILES if name in by_name), 0)
    own = by_name[LOSSLESS_QUEUE_PROFILE].size_bytes if LOSSLESS_QUEUE_PROFILE in by_name else 0
    return sum(of_port.values()) + lossless * own + (QUEUES - lossless) * lossy


@dataclass(slots=True)
class Buffers:
    """Pools, profiles and headroom of one switch SKU; ``source`` is the vendor file they stand in.

    Attributes:
        asic: Name of the ASIC; ``asic_source`` says where its figures come from.
        buffer_bytes: Packet buffer of the ASIC, ``itm`` memories of equal size; 0 where nobody published it.
        cells_available: Cells of each memory that pools can be cut from; 0 where nobody published it.
        pools_exclude_reserved: Pool sizes are what is left once headroom and reserved sizes are taken off.
        computed: The switch computes headroom and pools itself; ``headroom`` and sizes are what it comes to.
        traffic_mtu_bytes: What it takes lossless packets to be, with ``small_packet_pct`` of 100 small ones, and
            ``default_dynamic_th`` as log2 of alpha.
        skips_reservation: The vendor keeps the maker's SDK from reserving cells, so all of them are available.
        group_reserved_bytes: What the SDK sets aside for each lossy and for the management priority group of a port,
            ``group_reserved_8_lanes_bytes`` if the port has eight lanes, ``port_reserved_bytes`` for each port beside
            that and ``fixed_reserved_bytes`` for the switch; 0 where nobody published it.
        queues_reserved_bytes: What the queues of a port keep of an ingress pool that includes reserved sizes.
    """

    pools: tuple[Pool, ...]
    profiles: tuple[Profile, ...]
    headroom: tuple[PgProfile, ...]
    source: str
    asic: str = ""
    asic_source: str = ""
    buffer_bytes: int = 0
    cell_bytes: int = 0
    itm: int = 0
    cells_available: int = 0
    pools_exclude_reserved: bool = False
    skips_reservation: bool = False
    group_reserved_bytes: int = 0
    group_reserved_8_lanes_bytes: int = 0
    port_reserved_bytes: int = 0
    fixed_reserved_bytes: int = 0
    queues_reserved_bytes: int = 0
    computed: bool = False
    traffic_mtu_bytes: int = 0
    small_packet_pct: int = 0
    default_dynamic_th: int = 0

    def headroom_for(self, speed_gbps: int, length_m: float, lanes: int = 0, mtu_bytes: int = 0) -> PgProfile | None:
        """The headroom profile that covers a cable, or None if planning found none.

        Args:
            speed_gbps: Speed of the port.
            length_m: Length of its cable.
            lanes: Its lanes and ``mtu_bytes`` its MTU; 0 for any.
            mtu_bytes: See there.
        """
        rows = [
            row
            for row in self.headroom
            if row.speed_gbps == speed_gbps
            and row.cable_m >= length_m
            and (not lanes or row.lanes in (0, lanes))
            and (not mtu_bytes or row.mtu_bytes in (0, mtu_bytes))
        ]
        return min(rows, key=lambda row: row.cable_m, default=None)


@dataclass(slots=True)
class Udf:
    """A field of the ECMP hash that the user defines, counted from the UDP header of packets to one port."""

    udp_port: int
    offset_bytes: int
    length_bytes: int


@dataclass(slots=True)
class RoutingPolicy:
    """What every BGP speaker of a tier runs with; times in seconds unless named otherwise.

    BFD runs on the links of one side only if the platforms at both of their ends have it.
    """

    bfd_upper: bool
    bfd_lower: bool
    bfd_multiplier: int
    bfd_interval_ms: int
    keepalive_s: int
    hold_s: int
    connect_s: int
    max_paths: int
    max_prefixes: int
    hash_fields: tuple[str, ...]
    hash_rank: int
    """Tiers with different ranks must hash differently; 0 where decorrelation is off."""
    load_balancing: str
    udf: Udf | None = None
    """What ``roce_dest_qp`` reads on the tier's ASIC, where it is among the hash fields."""
    gtsm_upper: bool = False
    """Neighbours above take packets of the session with TTL 255 only (RFC 5082); both ends do, or neither."""
    gtsm_lower: bool = False
    key_upper: str = ""
    """Password of the sessions with neighbours above, a secret token; empty where one of the ends has none."""
    key_lower: str = ""

    @property
    def prefix_limit(self) -> int:
        """Prefixes at which a session is torn down: far enough above what is planned never to meet one more host."""
        return max(2 * self.max_prefixes, self.max_prefixes + PREFIX_SLACK)

    @property
    def prefix_warning_pct(self) -> int:
        """Share of the limit above which a switch warns: what is planned."""
        return max(1, 100 * self.max_prefixes // self.prefix_limit)

    @property
    def bfd(self) -> bool:
        """Whether any link of the tier runs BFD."""
        return self.bfd_upper or self.bfd_lower


@dataclass(slots=True)
class User:
    """A login on every switch; ``password_hash`` is empty, or a secret token."""

    name: str
    ssh_key: str
    password_hash: str


@dataclass(frozen=True, slots=True)
class Access:
    """Who may open connections to a switch itself.

    Attributes:
        acl: The control plane is guarded: everything else is dropped.
        management: IPv4 prefixes that SSH, SNMP and gNMI come from; ``management6`` those of IPv6.
    """

    acl: bool = True
    management: tuple[str, ...] = ()
    management6: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Gnmi:
    """The gNMI server of a switch; certificates and the key are files on the switch, by path."""

    port: int
    server_crt: str
    server_key: str
    ca_crt: str
    clients: tuple[str, ...] = ()
    """Common names of the client certificates that may read."""


@dataclass(slots=True)
class Services:
    """Management services every switch uses; addresses as text, secrets as tokens."""

    ntp: tuple[str, ...]
    syslog: tuple[str, ...]
    dns: tuple[str, ...]
    snmp_community: str
    snmp_location: str
    snmp_contact: str
    tacacs: tuple[str, ...]
    tacacs_key: str
    users: tuple[User, ...]
    timezone: str
    sflow_collector: str = ""
    sflow_rate: int = 0
    """One packet of so many is sampled; 0 where none is."""
    access: Access = Access()
    gnmi: Gnmi | None = None
    """None where no server runs."""


@dataclass(slots=True)
class Collectives:
    """What the collective library needs to know of the fabric.

    Attributes:
        fault_tolerance: A connection goes on over another NIC or port when its own fails.
        socket_interface: Interface that bootstrap uses; empty where it is chosen by exclusion.
        topology_file: What the library's topology file has: ``none`` (no file), ``pci`` addresses, or ``rails`` too.
        telemetry_path: Folder the library writes what it measures into; empty where it measures nothing.
    """

    qps_per_connection: int
    split_data_on_qps: bool
    timeout_exponent: int
    retry_count: int
    socket_interface: str
    data_dscp: int
    dcqcn: tuple[tuple[str, int], ...]
    """DCQCN parameter name (lower case of the firmware key) to value."""
    credit_dscp: int = -1
    """Code point of receiver-driven credits (clear to send); -1 where they travel with the data."""
    fault_tolerance: bool = False
    telemetry_path: str = ""
    topology_file: str = "none"
    dcqcn_by_rate: tuple[tuple[str, int], ...] = ()
    """DCQCN parameters that follow the rate of a port, with their value for each 25 Gb/s."""

    def at_rate(self, speed_gbps: int) -> Collectives:
        """Return the same for NIC ports of one speed.

        Source:
            alibaba-edu/High-Precision-Congestion-Control, simulation/run.py: steps of 5 and 50 Mb/s per 25 Gb/s, which
            are the firmware's own at 25 Gb/s.
        """
        by_rate = {name: value * speed_gbps // RATE_UNIT_GBPS for name, value in self.dcqcn_by_rate}
        return replace(self, dcqcn=tuple((name, by_rate.get(name, value)) for name, value in self.dcqcn))
