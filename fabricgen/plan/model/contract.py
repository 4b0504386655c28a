"""The lossless contract and the numbers derived from it, as every device of a tier shares them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fabricgen.plan.model.buffers import QUEUES

RATE_UNIT_GBPS = 25
"""Rate for which parameters that follow a port's rate are published."""

PREFIX_SLACK = 100
"""Least room between the prefixes that are planned and those at which a session is torn down.

Source:
    FRR user guide, bgp: a limit on prefixes is far more destructive than a list, so it is the last resort.
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
