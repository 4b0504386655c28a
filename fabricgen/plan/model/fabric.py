"""The whole fabric as a plan: tiers, link groups, hosts with their NVLink domains, and sparse exceptions on top.

Exceptions are maps over the regular plan; nothing in them grows with the regular part.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from fabricgen.plan.model.contract import Collectives, Contract, Grandmaster, Services, WatchdogTimes
from fabricgen.plan.model.identity import AddressPool, Coordinates, DeviceId, HostId, Identity, LinkId
from fabricgen.plan.model.rollout import RolloutLimits
from fabricgen.plan.model.topology import HostGroup, LinkGroup, Tier, UnitKind
from fabricgen.plan.model.workload import Workload


class LinkException(NamedTuple):
    """Deviations of one link; an empty field is as in its group.

    Attributes:
        state: ``drained`` or ``absent``.
        end: The upper device or leaf at which the cable really ends; None where it ends as planned.
        end_position: Downlink position it has there.
        length_m: Length of its cable; 0 for the group's.
        mtu_bytes: MTU at both ends; 0 for the group's.
    """

    state: str = ""
    end: Coordinates | None = None
    end_position: int = -1
    length_m: float = 0
    media: str = ""
    mtu_bytes: int = 0
    reason: str = ""


class RawSnippet(NamedTuple):
    """Text that is laid over one file of one switch.

    Attributes:
        file: Where it was read from, as the inventory names it.
        output: Path of the file on the device.
        overrides: Paths of managed values that it is meant to change, their steps joined by `` > ``.
        owner: Owner of the risk of its overrides; empty if there is none.
        expires: Last day on which that may stand.
    """

    file: str
    output: str
    text: str
    overrides: tuple[str, ...]
    named_at: tuple[str, ...]
    owner: str = ""
    expires: str = ""

    @property
    def is_json(self) -> bool:
        """Return whether it is merged; otherwise its lines are appended."""
        return self.file.endswith(".json")


class DeviceException(NamedTuple):
    """Deviations of one switch or host.

    Attributes:
        state: ``drained`` or ``absent``.
        tier: Its tier with ports, headroom, thresholds and routing of its own; None where they are the tier's.
        services: Its management services; None where they are the fabric's.
        watchdog: Its PFC watchdog; None where it is the fabric's.
    """

    state: str = ""
    reason: str = ""
    tier: Tier | None = None
    services: Services | None = None
    watchdog: WatchdogTimes | None = None
    raw: tuple[RawSnippet, ...] = ()


class Exceptions(NamedTuple):
    """All exceptions of a fabric by identity.

    Attributes:
        arrivals: Links that end at a switch though the regular plan has them elsewhere, by that switch.
        touched: Switches that differ from their class: excepted ones, and ends and neighbours of what is excepted.
        recabled: Those of ``touched`` at which a cable or a neighbour is missing, or a cable differs; not drained ones.
        resized: Those of ``recabled`` at which a cable of another length or MTU ends, or would by the plan.
        kinds: The tier of each kind of switches that are another box than the others of it, all else as there.
    """

    switches: dict[DeviceId, DeviceException]
    hosts: dict[HostId, DeviceException]
    links: dict[LinkId, LinkException]
    arrivals: dict[DeviceId, tuple[LinkId, ...]]
    touched: frozenset[DeviceId]
    touched_hosts: frozenset[HostId]
    recabled: frozenset[DeviceId]
    resized: frozenset[DeviceId]
    kinds: tuple[Tier, ...] = ()

    def is_absent(self, device: DeviceId | HostId) -> bool:
        """Return whether the intent says that a switch or host is not there."""
        found = self.of(device)
        return found is not None and found.state == "absent"

    def of(self, device: DeviceId | HostId) -> DeviceException | None:
        """Return what is different about a switch or host itself, or None."""
        if isinstance(device, DeviceId):
            return self.switches.get(device) if self.switches else None
        return self.hosts.get(device) if self.hosts else None


NO_EXCEPTIONS = Exceptions({}, {}, {}, {}, frozenset(), frozenset(), frozenset(), frozenset())
"""Of a fabric in which everything is regular."""


FAMILY_BITS = 128 - 32
"""Bits by which a prefix of IPv6 is longer than one of IPv4 with as many addresses."""


class Addressing(NamedTuple):
    """Pools, the management gateway, and how host links are cut.

    Attributes:
        fabric_links: None where the links between switches are unnumbered.
        management: Has one family.
        host_block_len: Prefix length of the one IPv4 aggregate a leaf advertises for its host links; that of the IPv6
            one is ``FAMILY_BITS`` longer.
        host_subnet: The hosts of a rail group share one subnet, on all the leafs they bond to.
        host_len: Prefix length of the IPv4 routes that leafs announce beside their blocks: to single hosts, or to the
            prefixes of routed bonds; 0 where they announce none.
        own_loopbacks: Blocks of loopbacks that switches have of their own outside the pool, with nothing else in them.
    """

    loopbacks: AddressPool
    fabric_links: AddressPool | None
    host_links: AddressPool
    management: AddressPool
    management_gateway: int
    host_block_len: int
    host_subnet: bool = False
    host_len: int = 0
    own_loopbacks: tuple[str, ...] = ()

    @property
    def management_len(self) -> int:
        """Prefix length of the management subnet."""
        return (self.management.ipv4 or self.management.ipv6 or (0, 0))[1]


class Asset(NamedTuple):
    """Entry of a device in the asset list; absent values are empty strings.

    ``rail_macs`` and ``rail_bdfs`` hold (rail, NIC port, address).
    """

    serial: str = ""
    mac: str = ""
    rail_macs: tuple[tuple[int, int, str], ...] = ()
    rail_bdfs: tuple[tuple[int, int, str], ...] = ()
    management_ip: str = ""
    management_interface: str = ""


class PathWeights(NamedTuple):
    """Decision whether next hops are weighted by the links behind them: in the whole fabric, or nowhere.

    Attributes:
        why: What decided it, half a sentence.
        rules: How the switches of each tier weight, words of ``physics.path_weights``; empty strings where they cannot.
    """

    on: bool = False
    why: str = ""
    rules: tuple[str, ...] = ()

    @property
    def active(self) -> tuple[str, ...]:
        """The rules where next hops are weighted; none otherwise."""
        return self.rules if self.on else ()


class Transition(NamedTuple):
    """A fabric on its way from a former plan: some switches are as the new plan has them, all others as the former has.

    Attributes:
        former: The plan that it comes from; it has the same devices and cables.
        passed: Switches that are as in the new plan. A link follows its upper end.
    """

    former: FabricPlan
    passed: frozenset[DeviceId] = frozenset()


class FabricPlan(NamedTuple):
    """Everything that is decided about a fabric.

    ``links[0]`` joins hosts and leafs, ``links[n]`` tier n-1 and tier n. ``host_asn`` is the AS number of all hosts; 0
    where they route statically. ``own`` is what devices have in place of what the rules give them. ``other_jobs`` run
    beside the workload. ``transition`` is set while a rollout leads here from another plan. ``grandmasters`` are the
    ports to PTP grandmasters. ``planned`` has what units lack by their kinds; ``exceptions`` has it too.
    """

    name: str
    unit_name: str
    pod_name: str
    zone_name: str
    tiers: tuple[Tier, ...]
    links: tuple[LinkGroup, ...]
    hosts: tuple[HostGroup, ...]
    addressing: Addressing
    contract: Contract
    watchdog: WatchdogTimes
    services: Services
    collectives: Collectives
    rails: int
    exceptions: Exceptions
    assets: dict[str, Asset]
    workload: Workload | None = None
    host_asn: int = 0
    weights: PathWeights = PathWeights()
    other_jobs: tuple[Workload, ...] = ()
    rollout: RolloutLimits = RolloutLimits()
    transition: Transition | None = None
    kinds: tuple[UnitKind, ...] = ()
    planned: Exceptions = NO_EXCEPTIONS
    own: dict[DeviceId | HostId, Identity] = {}  # noqa: RUF012 - never changed in place
    grandmasters: tuple[tuple[DeviceId, Grandmaster], ...] = ()

    def kind_at(self, unit: int) -> UnitKind | None:
        """Return the kind of a unit (0-based); None for one that lacks nothing."""
        return next((kind for kind in self.kinds if kind.in_kind(unit)), None)

    @property
    def jobs(self) -> tuple[Workload, ...]:
        """Training jobs that run at the same time, that of the intent's workload first."""
        return (self.workload, *self.other_jobs) if self.workload else ()

    @property
    def boxes(self) -> tuple[Tier, ...]:
        """The tiers, then each again as those of its switches have it that are another box."""
        return self.tiers + self.exceptions.kinds

    def box_name(self, tier: Tier) -> str:
        """A tier in words: its name, and model, platform and release where these are of some of its switches only."""
        regular = self.tiers[tier.number]
        own = [tier.model, tier.platform, tier.release.name]
        alike = own == [regular.model, regular.platform, regular.release.name]
        return tier.name if alike else f"{tier.name}: {' '.join(filter(None, own))}"

    def device_name(self, device: DeviceId) -> str:
        """Host name of a switch."""
        own = self.own.get(device) if self.own else None
        return (own and own.name) or self.tiers[device.tier].device_name(device.where)

    def host_name(self, host: HostId) -> str:
        """Host name of a host."""
        own = self.own.get(host) if self.own else None
        return (own and own.name) or self.hosts[host.group].host_name(host.where, host.host)

    def asn_of(self, device: DeviceId) -> int:
        """AS number of a switch."""
        if self.transition is not None and device not in self.transition.passed:
            return self.transition.former.asn_of(device)
        return self.planned_asn(device)

    def planned_asn(self, device: DeviceId) -> int:
        """AS number that a switch has in the end."""
        own = self.own.get(device) if self.own else None
        return (own and own.asn) or self.tiers[device.tier].layout.asn.at(device.where)

    def identity(self, device: DeviceId) -> Identity:
        """Name, numbers and addresses of a switch in the end: its own, else those by the rules."""
        rule = self.rule_of(device)
        own = self.own.get(device) if self.own else None
        return rule if own is None else rule._replace(**{name: mine for name, mine in own._asdict().items() if mine})

    def rule_of(self, device: DeviceId) -> Identity:
        """Name, numbers and addresses that the rules give a switch."""
        a, tier, where = self.addressing, self.tiers[device.tier], device.where
        loopback, management = tier.layout.loopback.at(where), tier.layout.management.at(where)
        return Identity(
            tier.device_name(where),
            tier.layout.asn.at(where),
            a.loopbacks.text4(loopback),
            a.loopbacks.text6(loopback),
            a.loopbacks.router_id(loopback),
            a.management.text(management),
            a.management_len,
            a.management.text(a.management_gateway),
        )

    def tier_of(self, device: DeviceId) -> Tier:
        """The tier of a switch, with the ports, headroom and routing that exceptions leave it."""
        found = self.exceptions.switches.get(device)
        return self.tiers[device.tier] if found is None or found.tier is None else found.tier

    def switches(self) -> Iterator[DeviceId]:
        """Every switch that exists, tier by tier."""
        for tier in self.tiers:
            for where in tier.coordinates():
                device = DeviceId(tier.number, where)
                if not self.exceptions.is_absent(device):
                    yield device

    def units(self) -> Iterator[Coordinates]:
        """Coordinates of every unit (zone, pod, unit set; the rest 0)."""
        return (Coordinates(*where) for where in product(*map(range, self.tiers[0].counts[:3])))

    def hosts_of_unit(self, unit: Coordinates) -> Iterator[HostId]:
        """Every host of a unit that exists, group by group."""
        for number, group in enumerate(self.hosts):
            if not group.in_unit(unit.unit):
                continue
            for host in group_hosts(group):
                found = HostId(number, unit, host)
                if not self.exceptions.is_absent(found):
                    yield found

    def all_hosts(self) -> Iterator[HostId]:
        """Every host that exists, unit by unit."""
        for unit in self.units():
            yield from self.hosts_of_unit(unit)


def group_hosts(group: HostGroup) -> Iterator[int]:
    """Numbers of a group's hosts in one unit: regular ones, then backups behind the reserved range."""
    yield from range(group.per_unit)
    yield from range(group.per_unit_reserved, group.per_unit_reserved + group.backup_per_unit)


class DomainShape(NamedTuple):
    """Composition of each domain of a unit: regular hosts and spares.

    ``spares_apart`` is set where spares form domains of their own.
    """

    regular: int
    spares: int
    spares_apart: bool


def domain_shape(per_unit: int, spares: int, size: int) -> DomainShape | None:
    """Return how domains of one size fill a unit; None if they do not.

    Spares form domains of their own where regular hosts fill theirs; otherwise each domain has as many regular hosts
    and as many spares as every other, which growth by whole domains keeps.
    """
    if per_unit % size == 0:
        return DomainShape(size, size, True) if spares % size == 0 else None
    domains, left = divmod(per_unit + spares, size)
    if left or not domains or per_unit % domains or spares % domains:
        return None
    return DomainShape(per_unit // domains, spares // domains, False)


def domain_number(group: HostGroup, host: int) -> tuple[bool, int]:
    """Return which domain of its unit a host belongs to; every host its own where the group has no domains.

    Returns:
        Whether the domain consists of spares only, and its number among its kind.
    """
    spare = host >= group.per_unit_reserved
    shape = (
        domain_shape(group.per_unit, group.backup_per_unit, group.nvlink_domain) if group.nvlink_domain > 1 else None
    )
    if shape is None:
        return spare, host
    if not spare:
        return False, host // shape.regular
    return shape.spares_apart, (host - group.per_unit_reserved) // shape.spares


def domain_hosts(plan: FabricPlan, host: HostId) -> Iterator[HostId]:
    """Every host of a host's domain that exists, by number."""
    group = plan.hosts[host.group]
    own = domain_number(group, host.host)
    for number in group_hosts(group):
        found = HostId(host.group, host.where, number)
        if domain_number(group, number) == own and not plan.exceptions.is_absent(found):
            yield found
