"""Capabilities of a platform: one typed record per kind of platform.

A manifest answers every field of its kind's record; nothing has a default, and nothing is assumed. Rules and planning
ask the record and nothing else.
"""

from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Annotated, Any, NamedTuple, get_args, get_type_hints


class Rendered(Enum):
    """Support of a service in the configuration; ``beneath``: by the operating system below it."""

    YES = "true"
    NO = "false"
    BENEATH = "beneath"


class Copper(Enum):
    """Support of negotiation and training over passive copper at 100G a lane, as published."""

    NONE = "none"
    UNCONFIRMED = "unconfirmed"
    DOCUMENTED = "documented"


class HeadroomSource(Enum):
    """Component that sizes the headroom of lossless priorities.

    ``written``: the configuration has the catalog's figures; ``computed``: as well, or the image computes it where the
    ASIC's maker has a script for that; ``own``: the platform cuts pools and headroom itself.
    """

    NONE = "none"
    WRITTEN = "written"
    COMPUTED = "computed"
    OWN = "own"


class PathWeighting(Enum):
    """Weighting of equal-cost next hops by the link bandwidth that BGP announces.

    ``hundredths``: whole hundredths of the sum; ``by_release``: as the FRRouting of the release does; ``unpublished``:
    in proportion, at a granularity that the maker does not publish.
    """

    NONE = "none"
    HUNDREDTHS = "hundredths"
    BY_RELEASE = "by_release"
    UNPUBLISHED = "unpublished"


class LacpIdentity(Enum):
    """Choice of the LACP system id, which the leafs of a pair share: for each bond, or once for the switch."""

    NONE = "none"
    SWITCH = "switch"
    BOND = "bond"


class GnmiFiles(Enum):
    """Form in which the configuration names the files of gNMI; ``id``: those under which they are imported."""

    NONE = "none"
    PATH = "path"
    NAME = "name"
    ID = "id"


class HostRoutes(Enum):
    """Host routes from ARP and ND entries; ``agent``: a program of one's own has to make them."""

    NONE = "none"
    AGENT = "agent"
    IPV4 = "ipv4"
    BOTH = "both"


Words = tuple[str, ...]
"""A list of words; ``[]`` is none."""
Limit = int | None
"""A whole number; ``unlimited`` where the platform knows no limit."""
Choice = tuple[str, ...] | None
"""A list of words, or ``any``."""
Speeds = tuple[int, ...] | None
"""A list of Gb/s, or ``any``; ``[]`` is none."""


class Least(NamedTuple):
    """Smallest number that a field takes; a platform that lacks it has this number."""

    number: int


@dataclass(frozen=True, slots=True)
class SpeakerCapabilities:
    """Capabilities that switches and hosts share: addresses and BGP."""

    mtu_max_bytes: Annotated[Limit, "largest MTU of a link; 0 where none is written", Least(0)]
    ipv4: Annotated[bool, "addresses and routes of IPv4"]
    ipv6: Annotated[bool, "addresses and routes of IPv6, alone and beside IPv4"]
    bfd: Annotated[bool, "BFD watches BGP sessions"]
    gtsm: Annotated[bool, "BGP sessions take packets with TTL 255 only"]
    bgp_md5: Annotated[bool, "BGP sessions have a password (RFC 2385)"]
    hosts_bgp: Annotated[bool, "BGP sessions between leafs and hosts"]
    bond_lacp: Annotated[bool, "an LACP bond across two leafs: the leaf's half, or the host's"]


@dataclass(frozen=True, slots=True)
class SwitchCapabilities(SpeakerCapabilities):
    """Capabilities of a switch platform."""

    # the switch and its ports
    hostname: Annotated[bool, "the name of the switch"]
    management: Annotated[Rendered, "address and gateway of the management port"]
    ports: Annotated[bool, "speed, breakout and FEC of ports, and which of them are down"]
    numbered_asics: Annotated[
        Words, "ASICs that it knows by numbers, as it does their ports, whose numbers the catalog has to have"
    ]
    board_data: Annotated[
        Words, ("kinds of the vendor's board data, one of which it requires; [] where it requires none")
    ]
    board_data_lossless: Annotated[Words, "words one of which such data has where the board is lossless"]
    copper_negotiation: Annotated[Copper, "negotiation and training over passive copper at 100G a lane"]
    copper_calibration: Annotated[bool, "it drives copper by the maker's settings for its length"]
    # routing
    bgp: Annotated[bool, "a BGP session with every neighbour, AS numbers and the prefixes that are accepted"]
    bgp_timers: Annotated[Words, "of keepalive, connect_retry, advertisement: what is not the hold time's or fixed"]
    unnumbered: Annotated[bool, "sessions over link-local addresses, IPv4 prefixes with IPv6 next hops"]
    unnumbered_lists: Annotated[bool, "prefix lists of its own for a neighbour on a link without addresses"]
    bfd_needs_acl: Annotated[bool, "without a control-plane ACL it drops BFD to addresses that links have of their own"]
    graceful_restart: Annotated[bool, "leafs restart their routing gracefully where BFD watches"]
    drain: Annotated[bool, "a switch that is drained carries no traffic"]
    drain_links: Annotated[bool, "a single link that is drained carries no traffic"]
    lacp_system_id: Annotated[LacpIdentity, "the system has an LACP system id to set, which both leafs of a bond share"]
    lacp_port_ids: Annotated[bool, "the system has LACP port ids to set, which differ between the leafs of a bond"]
    host_routes: Annotated[HostRoutes, "the system announces ARP and ND entries of bonded hosts as host routes"]
    bond_routed: Annotated[bool, "a routed LACP bond across two leafs, with a prefix for each NIC"]
    bond_routed_needs: Annotated[str, "what a release has to take for it, as since has it; none where each does"]
    unreachability: Annotated[
        Words,
        "lost prefixes are announced to NICs: what a release has to take for it, as since has it, and what changed the "
        "announcements between switches, which all of them have or none; [] where they are not rendered",
    ]
    tracks_uplinks: Annotated[bool, "a leaf without uplinks takes its bonds with hosts down"]
    local_proxy_arp: Annotated[bool, "the system answers ARP between hosts of one subnet, so that it routes there"]
    flood_guard: Annotated[bool, "ARP and ND entries of the VLANs of bonds end before MAC entries; no unknown unicast"]
    # equal cost
    ecmp_paths_max: Annotated[Limit, "equal-cost paths that its routing takes", Least(1)]
    hash_five_tuple: Annotated[bool, "the hash reads addresses, protocol and ports"]
    hash_ingress_port: Annotated[bool, "the hash reads the port that a packet came in by"]
    hash_roce_dest_qp: Annotated[Choice, "ASICs, by the beginning of their names, on which it hashes on queue pairs"]
    hash_qp_unconfirmed: Annotated[str, "what is not proven of the hash on queue pairs, half a sentence"]
    hash_asics: Annotated[Choice, "ASICs, by the beginning of their names, on which fields and seeds are written"]
    hash_seed_unrendered: Annotated[bool, "on other ASICs, or on all, there is a seed that no template writes"]
    hash_seed_unconfirmed: Annotated[str, "what is not proven of the seed that is written, half a sentence"]
    flowlet: Annotated[Speeds, "Gb/s at which flowlets are balanced"]
    flowlet_since: Annotated[str, "first release that balances flowlets; none where no release is known to lack it"]
    flowlet_gap_us: Annotated[
        int, "pause that ends a flowlet, unless the intent sets it; 0 where it is not written", Least(0)
    ]
    per_packet: Annotated[Speeds, "Gb/s at which single packets are spread"]
    adaptive: Annotated[Speeds, "Gb/s at which adaptive routing of switch and NIC runs"]
    balancing_asics: Annotated[Choice, "ASICs, by the beginning of their names, that balance by load"]
    resilient: Annotated[Choice, "ASICs, by the beginning of their names, on which resilient hashing is written"]
    path_weights: Annotated[PathWeighting, "how it weights next hops by the links behind them"]
    # lossless
    classes: Annotated[bool, "code points to traffic classes, queues and priorities"]
    scheduling: Annotated[bool, "strict priority and weights of queues"]
    strict_above_weighted: Annotated[bool, "strict queues have to have higher numbers than weighted ones"]
    lossless_priorities_max: Annotated[int, "priorities under PFC", Least(0)]
    marks_unmarked: Annotated[bool, "leafs give RoCE packets with DSCP 0 the code point of the data class"]
    ecn: Annotated[bool, "ECN marking at thresholds per queue"]
    marks_by_chance: Annotated[
        Choice, "ASICs, by the beginning of their names, on which it takes a marking probability below 100 %"
    ]
    pfc_only: Annotated[bool, "lossless classes without marking"]
    ecn_only: Annotated[bool, "marking without PFC"]
    headroom: Annotated[HeadroomSource, "who sizes the headroom of lossless priorities"]
    cable_length: Annotated[bool, "where it sizes headroom itself, the length of cables is configured"]
    buffer_pools: Annotated[bool, "the pools of the shared buffer are sized"]
    thresholds_unpublished: Annotated[bool, "its pause thresholds are not published, and no template sets them"]
    lossless_queue_profile: Annotated[str, "name of the buffer profile of lossless queues, which port profiles need"]
    pfc_watchdog: Annotated[bool, "a PFC watchdog"]
    watchdog_actions: Annotated[Words, "what the watchdog can do with a stuck queue: drop, forward, alert"]
    pfc_watchdog_min_ms: Annotated[int, "shortest time that the watchdog takes", Least(0)]
    watchdog_step_ms: Annotated[int, "the watchdog's times are multiples of this", Least(1)]
    watchdog_detection_max_ms: Annotated[Limit, "longest detection time of the watchdog", Least(0)]
    watchdog_polls_ports: Annotated[bool, "the watchdog polls all ports one after the other, more slowly for more"]
    watchdog_restores_itself: Annotated[bool, "the watchdog has no restoration time"]
    watchdog_needs_guarantee: Annotated[bool, "the watchdog may look only after queues with guaranteed bandwidth"]
    # management
    access: Annotated[Rendered, "who may open connections to the switch"]
    access_gnmi6: Annotated[bool, "gNMI takes an access list over IPv6"]
    users: Annotated[Rendered, "local logins"]
    users_need_password: Annotated[bool, "a login without password hash would let anybody in"]
    tacacs: Annotated[Rendered, "logins by TACACS+"]
    ntp: Annotated[Rendered, "time servers"]
    ptp: Annotated[Rendered, "boundary clocks of PTP, over UDP and IPv4"]
    ptp_lacking: Annotated[Words, "ASICs, by the beginning of their names, that it has no PTP on"]
    ptp_sets_time: Annotated[bool, "where it has PTP, no time server sets its system clock"]
    syslog: Annotated[Rendered, "log collectors"]
    dns: Annotated[Rendered, "name servers"]
    timezone: Annotated[Rendered, "time zone"]
    timezones_lacking: Annotated[Words, "names of the time zone database that it refuses; [] where none is known"]
    snmp: Annotated[Rendered, "SNMP agent"]
    gnmi: Annotated[Rendered, "gNMI server"]
    gnmi_clients: Annotated[bool, "gNMI admits clients by the common names of their certificates"]
    gnmi_folder: Annotated[str, "folder of the switch in which gNMI's files have to lie"]
    gnmi_endings: Annotated[Words, "how gNMI's certificates and its key have to end; [] where it does not matter"]
    gnmi_files: Annotated[GnmiFiles, "how the configuration names gNMI's files: by path, name, or id of import"]
    sflow: Annotated[Rendered, "samples of traffic"]
    sflow_inband: Annotated[bool, "samples travel through the fabric, not by the management network"]
    sflow_rate_max: Annotated[Limit, "packets of which one is sampled, at most", Least(0)]
    guards: Annotated[Words, "of anti_spoofing, bfd_policing, accounting, snmpv3, syslog_tls: what is written or stock"]

    def balances_at(self, word: str) -> Speeds:
        """Return the speeds at which a way to balance beside the hash runs: none where it is not rendered."""
        return {"flowlet": self.flowlet, "per_packet": self.per_packet, "adaptive": self.adaptive}.get(word, ())

    def hashes_on(self, word: str) -> bool:
        """Return whether the hash reads what a word of the intent names, on some ASIC at least."""
        return getattr(self, f"hash_{word}") not in (False, ())


@dataclass(frozen=True, slots=True)
class HostCapabilities(SpeakerCapabilities):
    """Capabilities of a host's operating system."""

    hosts_bgp_ipv6: Annotated[bool, "BGP sessions between leafs and hosts in IPv6"]
    nvlink_domains: Annotated[bool, "which hosts a scale-up domain has"]
    ptp: Annotated[bool, "its clocks follow a leaf by PTP"]


@dataclass(frozen=True, slots=True)
class NicCapabilities:
    """Capabilities of a NIC family."""

    classes: Annotated[bool, "code points to priorities, and the code point of RoCE"]
    scheduling: Annotated[bool, "strict priority and weights of traffic classes"]
    pfc: Annotated[bool, "priorities under PFC"]
    dcqcn: Annotated[bool, "congestion control by DCQCN"]
    copper: Annotated[bool, "its ports negotiate over passive copper at 100G a lane, or are forced, as the leaf's"]
    libraries: Annotated[Words, "collective libraries that it is configured for: nccl, rccl, vccl"]
    topology_files: Annotated[Words, "forms of the topology file that are written: pci, rails"]
    fault_tolerance: Annotated[bool, "libraries go on over another NIC or port when one fails"]
    telemetry: Annotated[bool, "libraries measure messages"]
    variables: Annotated[bool, "further variables of libraries are written"]
    bond_lacp: Annotated[bool, "its ports can be an LACP bond"]
    planes_nic: Annotated[bool, "it spreads one interface over several planes"]
    adaptive: Annotated[bool, "it takes part in the adaptive routing of the switches"]
    firmware: Annotated[bool, "the version of its firmware is compared with the intent's"]


Capabilities = SwitchCapabilities | HostCapabilities | NicCapabilities
RECORDS: dict[str, type[Capabilities]] = {
    "switch": SwitchCapabilities,
    "host": HostCapabilities,
    "nic": NicCapabilities,
}
"""Kind of a platform to its record."""


class Field(NamedTuple):
    """A field of a record: its type, what it says, and the smallest number where it is one."""

    type: Any
    description: str
    least: int = 0

    @property
    def nothing(self) -> Any:
        """Return what a platform has that lacks it."""
        if isinstance(self.type, type) and issubclass(self.type, Enum):
            return self.type(Rendered.NO.value if self.type is Rendered else "none")
        return {bool: False, int: self.least, Limit: self.least, str: ""}.get(self.type, ())


@cache
def fields_of(kind: str) -> dict[str, Field]:
    """Return the fields of the record of a kind (``switch``, ``host`` or ``nic``) by name."""
    found = {}
    for name, hint in get_type_hints(RECORDS[kind], include_extras=True).items():
        of_type, description, *least = get_args(hint)
        found[name] = Field(of_type, description, *(item.number for item in least))
    return found
