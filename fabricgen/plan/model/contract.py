"""The lossless contract, the watchdog and the numbers derived from them, as every device of a tier shares them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, NamedTuple

from fabricgen.plan.model.buffers import QUEUES

if TYPE_CHECKING:
    from fabricgen.plan.model import origin_keys as keys
    from fabricgen.plan.model.origin_keys import Origin, Sticky


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

    name: Annotated[str, Sticky(("lossless", "classes", "{name}"))]
    dscp: Annotated[tuple[int, ...], Origin(keys.class_key("dscp"))]
    priority: Annotated[int, Origin(keys.class_key("priority"))]
    priority_group: Annotated[int, Sticky(keys.OWN_PRIORITY, keys.class_key("lossless"))]
    lossless: Annotated[bool, Origin(keys.class_key("lossless"))]
    strict: Annotated[bool, Origin(keys.class_key("strict"))]
    weight_pct: Annotated[int, Origin(keys.class_key("weight_pct"))]
    mark: Annotated[int, Origin(keys.class_key("mark"), keys.class_key("dscp"))] = -1
    """Code point that NICs mark; -1 in a class without any."""


@dataclass(slots=True)
class Contract:
    """DSCP to traffic class to queue to priority group to PFC priority, one table for switch and NIC.

    Attributes:
        mode: ``dcqcn``, ``pfc_only`` or ``ecn_only``.
        classes: By ascending priority.
        priority_by_dscp: Priority of each of the 64 code points.
        reason: Why the mode deviates from DCQCN; empty if it does not.
        data_dscp: Code point of RDMA: that which NICs mark of the lossless class it travels in; -1 without one.
        unmarked_dscp: Code point that leafs give to RoCE packets without one; -1 where they leave them as they are.
    """

    mode: Annotated[str, Origin(keys.MODE)]
    classes: Annotated[tuple[TrafficClass, ...], Sticky(keys.CLASSES)]
    priority_by_dscp: Annotated[tuple[int, ...], Origin(*keys.CODE_POINTS)]
    lossless: Annotated[tuple[int, ...], Origin(keys.LOSSLESS_PRIORITY, keys.MODE, keys.CLASSES)]
    reason: Annotated[str, Origin(("lossless", "reason"))]
    data_dscp: Annotated[int, Origin(*keys.DATA_MARK)] = -1
    unmarked_dscp: Annotated[int, Origin(("lossless", "mark_unmarked"), *keys.DATA_MARK)] = -1

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

    detection_ms: Annotated[int, Origin(keys.DETECTION, ("tiers",), ("links",))]
    restoration_ms: Annotated[int, Origin(keys.RESTORATION, ("tiers",), ("links",))]
    poll_ms: Annotated[int, Origin(keys.DETECTION, keys.RESTORATION, *keys.POLLED_PORTS)]
    action: Annotated[str, Origin(("lossless", "watchdog", "action"))]


@dataclass(slots=True)
class EcnThresholds:
    """ECN marking of a lossless queue at one speed; bytes and percent.

    Attributes:
        source: Where the thresholds come from, with the arithmetic of computed ones.
        key: The tier or speed for which the intent states it; empty where it makes no difference between them.
        rule: What decided Kmin: a rule of ``physics.ecn_thresholds``, ``explicit`` or ``named profile``.
    """

    name: Annotated[str, Origin(keys.SPEED)]
    speed_gbps: Annotated[int, Origin(keys.SPEED)]
    kmin_bytes: Annotated[int, Origin(*keys.ECN_VALUE)]
    kmax_bytes: Annotated[int, Origin(*keys.ECN_VALUE)]
    pmax_pct: Annotated[int, Origin(*keys.ECN_VALUE)]
    source: Annotated[str, Origin(*keys.ECN_VALUE)]
    key: Annotated[str, Origin(keys.ECN)] = ""
    rule: Annotated[str, Origin(*keys.ECN_VALUE)] = ""


@dataclass(frozen=True, slots=True)
class MarkingBound:
    """Level at which PFC may pause, and its derivation.

    Attributes:
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

    udp_port: Annotated[int, Sticky(keys.MODEL)]
    offset_bytes: Annotated[int, Sticky(keys.MODEL)]
    length_bytes: Annotated[int, Sticky(keys.MODEL)]


@dataclass(slots=True)
class RoutingPolicy:
    """Routing policy of every BGP speaker of a tier; times in seconds unless named otherwise.

    BFD runs on the links of one side only if the platforms at both of their ends have it.
    """

    bfd_upper: Annotated[bool, Origin(keys.BFD, keys.TIER_PLATFORM, keys.UPPER_PLATFORM, keys.ACCESS_ACL)]
    bfd_lower: Annotated[bool, Origin(keys.BFD, keys.TIER_PLATFORM, keys.LOWER_PLATFORM, keys.ACCESS_ACL)]
    bfd_multiplier: Annotated[int, Origin()]
    bfd_interval_ms: Annotated[int, Origin()]
    keepalive_s: Annotated[int, Origin(("routing", "timers", "keepalive_s"), ("routing", "timers", "hold_s"))]
    hold_s: Annotated[int, Origin(("routing", "timers", "hold_s"))]
    connect_s: Annotated[int, Origin(("routing", "timers", "connect_retry_s"))]
    advertisement_s: Annotated[int, Origin(("routing", "timers", "advertisement_s"))]
    max_paths: Annotated[int, Origin(*keys.ecmp_key("max_paths"), keys.UPPER_COUNT, keys.LINKS_PER_PAIR)]
    max_prefixes: Annotated[int, Origin(("units", "max"), ("pods", "max"), ("zones", "max"), keys.UNITS)]
    hash_fields: Annotated[tuple[str, ...], Origin(*keys.ecmp_key("hash"))]
    hash_rank: Annotated[int, Sticky(*keys.ecmp_key("decorrelate"))]
    """Tiers with different ranks must hash differently; 0 where decorrelation is off."""
    load_balancing: Annotated[str, Origin(*keys.ecmp_key("load_balancing"))]
    """``static``, ``flowlet``, ``per_packet`` or ``adaptive``."""
    udf: Annotated[Udf | None, Sticky(keys.MODEL)] = None
    """Bits that ``roce_dest_qp`` reads on the tier's ASIC, where it is among the hash fields."""
    resilient: Annotated[bool, Origin(*keys.ecmp_key("resilient"))] = False
    """A next hop that is lost moves no flow of the others."""
    flowlet_gap_us: Annotated[int, Origin(*keys.ecmp_key("flowlet_gap_us"), keys.LINKS_LENGTH)] = 0
    """Pause after which a flow may take another link; 0 where the platform's own is not published."""
    gtsm_upper: Annotated[bool, Origin(keys.GTSM, keys.TIER_PLATFORM, keys.UPPER_PLATFORM)] = False
    """Neighbours above take packets of the session with TTL 255 only (RFC 5082); both ends do, or neither."""
    gtsm_lower: Annotated[bool, Origin(keys.GTSM, keys.TIER_PLATFORM, keys.LOWER_PLATFORM)] = False
    key_upper: Annotated[str, Origin(keys.BGP_KEY, keys.UPPER_PLATFORM)] = ""
    """Password of the sessions with neighbours above, a secret token; empty where one of the ends has none."""
    key_lower: Annotated[str, Origin(keys.BGP_KEY, keys.LOWER_PLATFORM)] = ""
    paths_stated: Annotated[bool, Origin(*keys.ecmp_key("max_paths"))] = False
    """The intent states ``max_paths``; otherwise it is the planned width."""
    unreachability: Annotated[bool, Origin(keys.UNREACHABILITY, keys.PLANES, keys.PLANES_HOST)] = False
    """Lost prefixes are announced in the plane, and by leafs to NICs."""

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
        """Return whether any link of the tier runs BFD."""
        return self.bfd_upper or self.bfd_lower


@dataclass(slots=True)
class User:
    """A login on every switch; ``password_hash`` is empty, or a secret token."""

    name: Annotated[str, Origin(("operations", "users", "[{name}]", "name"))]
    ssh_key: Annotated[str, Origin(("operations", "users", "[{name}]", "ssh_key"))]
    password_hash: Annotated[str, Origin(("operations", "users", "[{name}]", "password_hash"))]


@dataclass(frozen=True, slots=True)
class Access:
    """Sources that may open connections to a switch itself.

    Attributes:
        acl: The control plane is guarded: everything else is dropped.
        management: IPv4 prefixes that SSH, SNMP and gNMI come from; ``management6`` those of IPv6.
    """

    acl: Annotated[bool, Origin(keys.ACCESS_ACL)] = True
    management: Annotated[tuple[str, ...], Origin(*keys.ACCESS_FROM)] = ()
    management6: Annotated[tuple[str, ...], Origin(*keys.ACCESS_FROM)] = ()


@dataclass(frozen=True, slots=True)
class Gnmi:
    """The gNMI server of a switch; certificates and the key are files on the switch, by path."""

    port: Annotated[int, Origin(("operations", "gnmi", "port"))]
    server_crt: Annotated[str, Origin(("operations", "gnmi", "server_crt"))]
    server_key: Annotated[str, Origin(("operations", "gnmi", "server_key"))]
    ca_crt: Annotated[str, Origin(("operations", "gnmi", "ca_crt"))]
    clients: Annotated[tuple[str, ...], Origin(*keys.items("operations", "gnmi", "clients"))] = ()
    """Common names of the client certificates that may read."""


PTP_DSCP = 46
"""Expedited forwarding: CumulusNetworks/docs, Precision Time Protocol, the code point that it sends by itself."""


@dataclass(frozen=True, slots=True)
class Ptp:
    """PTP as every clock of the fabric has it: the default profile, two-step, end to end, over UDP and IPv4.

    Attributes:
        priority: Both priorities of a boundary clock, after the 128 of grandmasters.
        announce: Binary logarithm of the seconds between messages, as ``sync`` and ``delay_request``.
        timeout: Announcements that a clock misses before it looks for another one.

    Source:
        IEEE 1588-2008 annex J.3. aristanetworks/avd, the rates of eos_designs' own profile; CumulusNetworks/docs,
        Precision Time Protocol: a priority above 128 for boundary clocks.
    """

    domain: Annotated[int, Origin(("operations", "ptp", "domain"))]
    dscp: Annotated[int, Origin()] = PTP_DSCP
    priority: Annotated[int, Origin()] = 200
    announce: Annotated[int, Origin()] = 0
    sync: Annotated[int, Origin()] = -3
    delay_request: Annotated[int, Origin()] = -3
    timeout: Annotated[int, Origin()] = 3


@dataclass(frozen=True, slots=True)
class Grandmaster:
    """The port of a switch that is cabled to a PTP grandmaster, and the switch's address there."""

    port: Annotated[str, Origin(("operations", "ptp", "grandmasters", "{hostname}", "port"))]
    address: Annotated[str, Origin(("operations", "ptp", "grandmasters", "{hostname}", "subnet"))]


@dataclass(slots=True)
class Services:
    """Management services every switch uses; addresses as text, secrets as tokens."""

    ntp: Annotated[tuple[str, ...], Origin(*keys.items("operations", "ntp"))]
    syslog: Annotated[tuple[str, ...], Origin(*keys.items("operations", "syslog"))]
    dns: Annotated[tuple[str, ...], Origin(*keys.items("operations", "dns"))]
    snmp_community: Annotated[str, Origin(("operations", "snmp", "community"))]
    snmp_location: Annotated[str, Origin(("operations", "snmp", "location"))]
    snmp_contact: Annotated[str, Origin(("operations", "snmp", "contact"))]
    tacacs: Annotated[tuple[str, ...], Origin(*keys.items("operations", "tacacs", "servers"))]
    tacacs_key: Annotated[str, Origin(("operations", "tacacs", "key"))]
    users: Annotated[tuple[User, ...], Origin(("operations", "users"))]
    timezone: Annotated[str, Origin(("operations", "timezone"))]
    sflow_collector: Annotated[str, Origin(("operations", "sflow", "collector"))] = ""
    sflow_rate: Annotated[int, Origin(("operations", "sflow", "sampling_rate"))] = 0
    """One packet of so many is sampled; 0 where none is."""
    access: Annotated[Access, Origin(("operations", "access"))] = Access()
    gnmi: Annotated[Gnmi | None, Origin(("operations", "gnmi"))] = None
    """None where no server runs."""
    ptp: Annotated[Ptp | None, Origin(("operations", "ptp"))] = None
    """None where clocks follow time servers alone."""


@dataclass(slots=True)
class Collectives:
    """Parameters of the collective library that follow from the fabric.

    Attributes:
        fault_tolerance: A connection goes on over another NIC or port when its own fails.
        sm_free: GPUs send by copy engines and the CPU, which VCCL calls SM-free.
        socket_interface: Interface that bootstrap uses; empty where it is chosen by exclusion.
        topology_file: What the library's topology file has: ``none`` (no file), ``pci`` addresses, or ``rails`` too.
        telemetry_path: Folder the library writes what it measures into; empty where it measures nothing.
        variables: Further variables: name, value, and the reason, which is empty where the value is fabricgen's.
    """

    qps_per_connection: Annotated[int, Origin(("collectives", "qps_per_connection"))]
    split_data_on_qps: Annotated[bool, Origin(("collectives", "split_data_on_qps"))]
    timeout_exponent: Annotated[int, Origin(("collectives", "timeout_exponent"))]
    retry_count: Annotated[int, Origin(("collectives", "retry_count"))]
    socket_interface: Annotated[str, Origin(("collectives", "socket_interface"), keys.ASSETS)]
    data_dscp: Annotated[int, Origin(*keys.DATA_MARK)]
    dcqcn: Annotated[tuple[tuple[str, int], ...], Origin(keys.DCQCN, keys.MODE, keys.NIC, keys.SPEED)]
    """DCQCN parameter name (lower case of the firmware key) to value."""
    credit_dscp: Annotated[
        int, Origin(("lossless", "classes", "cts", "mark"), ("lossless", "classes", "cts", "dscp"))
    ] = -1
    """Code point of receiver-driven credits (clear to send); -1 where they travel with the data."""
    fault_tolerance: Annotated[bool, Origin(("collectives", "fault_tolerance"))] = False
    sm_free: Annotated[bool, Origin(("collectives", "sm_free"))] = False
    telemetry_path: Annotated[str, Origin(("collectives", "telemetry_path"), ("collectives", "telemetry"))] = ""
    telemetry_window: Annotated[int, Origin(("collectives", "telemetry_window"))] = 8
    variables: Annotated[tuple[tuple[str, str, str], ...], Origin(("collectives", "variables"))] = ()
    topology_file: Annotated[str, Origin(("collectives", "topology_file"))] = "none"
    dcqcn_by_rate: Annotated[tuple[tuple[str, int], ...], Origin(keys.DCQCN, keys.NIC)] = ()
    """DCQCN parameters that follow the rate of a port, with their value for each 25 Gb/s."""

    def at_rate(self, speed_gbps: int) -> Collectives:
        """Return the same for NIC ports of one speed.

        Source:
            alibaba-edu/High-Precision-Congestion-Control, simulation/run.py: steps of 5 and 50 Mb/s per 25 Gb/s, which
            are the firmware's own at 25 Gb/s.
        """
        by_rate = {name: value * speed_gbps // RATE_UNIT_GBPS for name, value in self.dcqcn_by_rate}
        return replace(self, dcqcn=tuple((name, by_rate.get(name, value)) for name, value in self.dcqcn))


class WatchdogClock(NamedTuple):
    """The pace of the watchdog on the switches of a tier.

    Attributes:
        poll_ms: Its poll interval, in milliseconds, where none of its times asks for a shorter one.
        ports: Ports at the reserved maximum that one poll goes through; 0 where the platform's poll does not depend on
            them.
        detection_max_ms: Longest detection time that the platform counts; 0 where it takes any.
    """

    poll_ms: int = 200
    ports: int = 0
    detection_max_ms: int = 0


class WatchdogTimes(NamedTuple):
    """Times and action of the PFC watchdog, alike on every switch that no exception sets apart; milliseconds."""

    detection_ms: int
    restoration_ms: int
    action: str

    def on(self, clock: WatchdogClock) -> Watchdog:
        """Return the watchdog of a switch: its poll interval is never longer than one of the times.

        Source:
            sonic-net/sonic-buildimage sonic-pfcwd.yang: detection and restoration times are not below POLL_INTERVAL.
        """
        poll_ms = min(self.detection_ms, self.restoration_ms, clock.poll_ms)
        return Watchdog(self.detection_ms, self.restoration_ms, poll_ms, self.action)
