"""Tiers, boxes, ports, links and hosts of a plan as index algebra: nothing here grows with the number of devices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Annotated, NamedTuple

from fabricgen.plan.model.buffers import Buffers
from fabricgen.plan.model.contract import EcnThresholds, MarkingBound, RoutingPolicy, WatchdogClock
from fabricgen.plan.model.identity import Coordinates, Numbering

if TYPE_CHECKING:
    from fabricgen.plan.model import origin_keys as keys
    from fabricgen.plan.model.origin_keys import Origin, Sticky


class Release(NamedTuple):
    """A release, or an empty name for a platform whose files are the same for every one.

    Attributes:
        schema: Version of the configuration's schema, as the image itself writes it.
        routing: Version of the routing daemons in the image.
        weight_sum: What its SAI scales the weights of a group to on ASICs with ``weight_sum_max``; 0 if not at all.
        released: Images of it are published; false for a development branch, which is used only where it is named.
        default: The one that is meant where the intent names none; without any, the newest published one.
        lacks: Tables and fields written for later releases that this one refuses, as the manifest's ``since`` names
            them: ``TABLE`` or ``TABLE > field``.
    """

    name: str = ""
    schema: str = ""
    routing: str = ""
    released: bool = True
    lacks: tuple[str, ...] = ()
    default: bool = False
    weight_sum: int = 0

    def knows(self, path: str) -> bool:
        """Return whether the release takes a table, or a field of one."""
        table = path.split(" > ", 1)[0]
        return path not in self.lacks and table not in self.lacks


ANY_RELEASE = Release()
"""Release of a platform whose files follow none."""


NO_SWITCH = "none"
"""Instead of a PCI address: NIC and GPU of the rail hang on PCIe roots of their own."""


@dataclass(frozen=True, slots=True)
class Hardware:
    """CPUs and PCIe of a server; what no source says is empty or 0.

    Attributes:
        cpu_vendor: What the CPU calls itself (x86: the CPUID vendor string).
        cpu_family: CPUID family; ``cpu_model`` is its model.
        cpu_lists: CPUs of each NUMA node as the kernel lists them.
        switch_ids: PCI ids of the switches above NICs and GPUs: vendor, device and those of the subsystem.
    """

    pcie_gen: Annotated[int, Origin(keys.SERVER)] = 0
    pcie_lanes: Annotated[int, Origin(keys.SERVER)] = 0
    cpu_arch: Annotated[str, Origin(keys.SERVER)] = ""
    cpu_vendor: Annotated[str, Origin(keys.SERVER)] = ""
    cpu_family: Annotated[int, Origin(keys.SERVER)] = 0
    cpu_model: Annotated[int, Origin(keys.SERVER)] = 0
    cpu_lists: Annotated[tuple[str, ...], Origin(keys.SERVER)] = ()
    switch_ids: Annotated[tuple[str, ...], Origin(keys.SERVER)] = ()


class Slot(NamedTuple):
    """A logical port of a box at the breakout the plan gives its cage.

    Attributes:
        side: ``down``, ``up`` or empty for a port no link will ever use.
        position: The link's index in that side's range.
        number: The port's own number where the maker's software numbers ports in advance; else -1.
        profile: Number of the maker's port profile for its speed and medium; 0 where there is none.
    """

    name: str
    alias: str
    cage: int
    subport: int
    lanes: tuple[int, ...]
    speed_gbps: int
    fec: str
    autoneg: str
    side: str
    position: int
    service: bool = False
    number: int = -1
    profile: int = 0


@dataclass(frozen=True, slots=True)
class CageMode:
    """A cage that is broken out: its parent port's name and the breakout mode."""

    cage: Annotated[int, Sticky(keys.MODEL)]
    port: Annotated[str, Sticky(keys.MODEL)]
    mode: Annotated[str, Origin(keys.SPEED, keys.MODEL)]


class PortSide(NamedTuple):
    """One side of a box's ports: which slots carry link 0, 1, … and what those links are.

    Attributes:
        slots: Index into ``Tier.slots`` of each position, at the reserved maximum.
    """

    link: str
    slots: tuple[int, ...]


class Layout(NamedTuple):
    """All the numberings of one tier."""

    loopback: Numbering
    management: Numbering
    asn: Numbering
    uplink: Numbering | None = None
    """Address of the lower end of a device's first uplink /31; the upper end is one less."""
    host_block: Numbering | None = None
    """First address of a leaf's host links."""
    shared_block: Numbering | None = None
    """First address of the block that a leaf announces, where the links of several leafs count inside it."""

    @property
    def announced(self) -> Numbering | None:
        """Return the first address of the block that a leaf announces."""
        return self.shared_block or self.host_block


class Tier(NamedTuple):
    """One tier of switches.

    Attributes:
        counts: How many there are along each dimension now.
        reserved: How many the numbering leaves room for; equals ``counts`` along the outermost dimension.
        slots: Every logical port of the box, in front-panel order, as it is when all reserved links exist.
        modes: Breakout mode of every cage: that of the links it is reserved for, else the one that it is shipped in.
        board_data: What the vendor ships for its configuration, JSON; empty where the intent names none.
        bound: Where PFC may pause at the reserved maximum; None where the catalog has no figures.
        product: What the boxes call themselves; empty where the catalog does not know.
    """

    name: str
    number: int
    role: str
    scope: str
    model: str
    platform: str
    board: str
    sku: str
    sku_is_exact: bool
    name_pattern: str
    counts: Coordinates
    reserved: Coordinates
    layout: Layout
    slots: tuple[Slot, ...]
    modes: tuple[CageMode, ...]
    down: PortSide
    up: PortSide | None
    buffers: Buffers
    ecn: tuple[EcnThresholds, ...]
    routing: RoutingPolicy
    rails_per_group: int = 1
    bound: MarkingBound | None = None
    board_data: str = ""
    release: Release = ANY_RELEASE
    product: str = ""
    clock: WatchdogClock = WatchdogClock()

    def coordinates(self) -> Iterator[Coordinates]:
        """Every device that exists, outermost dimension slowest."""
        return (Coordinates(*where) for where in product(*map(range, self.counts)))

    @property
    def size(self) -> int:
        """Return how many devices exist."""
        return prod(self.counts)

    def device_name(self, where: Coordinates) -> str:
        """Host name of the device at these coordinates."""
        return self.name_pattern.format(
            zone=where.zone + 1,
            pod=where.pod + 1,
            unit=where.unit + 1,
            plane=chr(97 + where.plane),
            group=where.group,
            rail=where.group * self.rails_per_group,
            index=where.group * self.reserved.index + where.index + 1,
        )


PASSIVE_COPPER = "dac"
NEGOTIATED_LANE_GBPS = 100
"""Rate of a lane from which passive copper is negotiated here; slower lanes keep what the port profile says."""


class LinkGroup(NamedTuple):
    """The links between two neighbouring tiers (or between hosts and leafs, where ``lower`` is -1).

    Lower device ``d`` meets ``width`` upper devices of the scope it shares with them, ``per_pair`` links each.

    Attributes:
        pattern: ``mesh``, ``stripe_index`` or ``stripe_rail``.
        ordinal: Number of a lower device among those one upper device meets.
        calibrated_m: Lengths of copper that the switches at its ends drive without negotiating.
    """

    name: str
    lower: int
    upper: int
    speed_gbps: int
    lanes: int
    per_pair: int
    media: str
    length_m: float
    mtu_bytes: int
    pattern: str
    width: int
    width_reserved: int
    ordinal: Numbering
    negotiates: bool = True
    calibrated_m: tuple[int, ...] = ()

    def autoneg(self, media: str, length_m: float) -> str:
        """Return ``on`` or ``off`` for both ends of a cable of this group; empty where the cable does not decide it.

        Passive copper at 100G a lane negotiates and trains, unless both ends have settings for its very length.

        Source:
            IEEE 802.3ck clause 162; SONiC doc/port_link_training/port-link-training-design.md.
        """
        if media != PASSIVE_COPPER or not self.lanes or self.speed_gbps < NEGOTIATED_LANE_GBPS * self.lanes:
            return ""
        return "off" if not self.negotiates or length_m in self.calibrated_m else "on"


class RailPlace(NamedTuple):
    """A rail of a server: its NIC, its GPU, their PCIe switch and NUMA node, the NIC's cage; empty where unknown."""

    rail: int
    nic_bdf: str
    gpu_bdf: str
    switch_bdf: str
    numa: int
    cage: str = ""


@dataclass(frozen=True, slots=True)
class HostGroup:
    """A group of equal hosts.

    Attributes:
        units: Inclusive 0-based ranges of units that have it; empty means every unit.
        slot_base: First position of the group in a leaf's downlink range.
        slots_per_host: Positions one host takes on a leaf.
        rails_per_leaf: Rails of a host that meet the same leafs.
        leafs_per_group: How many leafs of a rail group's pair it meets in each plane.
        nic_ports: Ports of each NIC; ``ports_per_leaf`` of them meet the same leaf.
        routed: Each such bond has a prefix of its own, and no subnet with others.
        spread: The ports of a NIC are one interface with one address, the NIC spreads over them.
        backup_per_unit: Spare hosts, numbered after those the group has room for.
        nvlink_domain: Hosts that share an NVLink domain; 0 where every host is a domain of its own.
        nvlink_hosts: How many such hosts one NVLink switch fabric can join; 1 where NVLink ends at the host.
        library: Collective library; empty without GPUs.
        out_of_order: The NIC places packets that overtook each other.
        embedded_cpu: The NIC has cores of its own, to which its ports can belong.
        firmware: Version that its NICs have to run; empty where any does.
    """

    name: Annotated[str, Origin(keys.HOST_GROUP)]
    server: Annotated[str, Origin(keys.SERVER)]
    nic: Annotated[str, Origin(keys.NIC)]
    os: Annotated[str, Origin(("hosts", "{group}", "os"))]
    nic_family: Annotated[str, Origin(keys.NIC)]
    name_pattern: Annotated[str, Origin(("hosts", "{group}", "name"))]
    units: Annotated[tuple[tuple[int, int], ...], Origin(("hosts", "{group}", "units"))]
    per_unit: Annotated[int, Origin(keys.PER_UNIT)]
    per_unit_reserved: Annotated[int, Origin(keys.PER_UNIT_MAX, keys.PER_UNIT)]
    rails: Annotated[tuple[RailPlace, ...], Origin(keys.SERVER)]
    gpus: Annotated[int, Origin(keys.SERVER)]
    hardware: Annotated[Hardware, Origin(keys.SERVER)]
    slot_base: Annotated[int, Origin(keys.PER_UNIT_MAX, ("hosts",))]
    slots_per_host: Annotated[int, Origin(keys.SERVER, keys.RAILS_PER_LEAF)]
    link: Annotated[LinkGroup, Origin(("links", "{links}"))]
    rails_per_leaf: Annotated[int, Origin(keys.RAILS_PER_LEAF)]
    leafs_per_group: Annotated[int, Origin(keys.LEAFS_PER_GROUP)] = 1
    nic_ports: Annotated[int, Origin(keys.NIC, keys.PLANES)] = 1
    ports_per_leaf: Annotated[int, Origin(keys.NIC, keys.PLANES)] = 1
    bond: Annotated[bool, Origin(keys.BOND)] = False
    routed: Annotated[bool, Origin(keys.BOND)] = False
    spread: Annotated[bool, Origin(("planes", "host"))] = False
    backup_per_unit: Annotated[int, Origin(("hosts", "{group}", "backup_per_unit", "count"))] = 0
    nvlink_domain: Annotated[int, Origin(keys.NVLINK_DOMAIN)] = 0
    nvlink_hosts: Annotated[int, Origin(keys.SERVER)] = 1
    library: Annotated[str, Origin(("collectives", "library"), keys.SERVER)] = ""
    out_of_order: Annotated[bool, Origin(keys.NIC)] = False
    embedded_cpu: Annotated[bool, Origin(keys.NIC)] = False
    firmware: Annotated[str, Origin(("hosts", "{group}", "firmware"))] = ""

    def rails_on(self, group: int) -> range:
        """Rails that meet the leafs of a rail group."""
        first = group * self.rails_per_leaf
        return range(min(first, len(self.rails)), min(first + self.rails_per_leaf, len(self.rails)))

    def in_unit(self, unit: int) -> bool:
        """Return whether the unit (0-based) has this group."""
        return not self.units or any(first <= unit <= last for first, last in self.units)

    def meets(self, leaf: Coordinates) -> bool:
        """Return whether hosts of the group, which may have fewer rails or leafs than others, reach a leaf."""
        return self.in_unit(leaf.unit) and bool(self.rails_on(leaf.group)) and leaf.index < self.leafs_per_group

    def host_name(self, where: Coordinates, host: int) -> str:
        """Host name of host ``host`` (0-based) of the unit; no host name has an underscore (RFC 1123 section 2.1)."""
        group = self.name.replace("_", "-")
        return self.name_pattern.format(
            zone=where.zone + 1, pod=where.pod + 1, unit=where.unit + 1, host=host + 1, group=group
        )


class UnitKind(NamedTuple):
    """Units that lack something of the others.

    Attributes:
        units: Inclusive 0-based ranges of them.
        hosts: Hosts of each group in such a unit, where these are not as many as elsewhere.
        uplinks: Uplinks of each leaf; 0 for as many as elsewhere.
    """

    name: str
    units: tuple[tuple[int, int], ...]
    hosts: Mapping[str, int]
    uplinks: int
    is_absent: bool

    def per_unit(self, group: HostGroup) -> int:
        """Hosts of a group in such a unit, spares apart."""
        return self.hosts.get(group.name, group.per_unit)

    def in_kind(self, unit: int) -> bool:
        """Return whether a unit (0-based) is of this kind."""
        return any(first <= unit <= last for first, last in self.units)


def group_at(hosts: Sequence[HostGroup], position: int) -> HostGroup:
    """The host group in whose range of a leaf's downlinks a position lies."""
    return next(group for group in reversed(hosts) if group.slot_base <= position)


def ports_by_link(
    number: int, down: LinkGroup, hosts: Sequence[HostGroup], downlinks: int, up: tuple[LinkGroup, int] | None
) -> list[tuple[LinkGroup, int]]:
    """Link groups of a tier's switches with the ports reserved for each, downwards first.

    A leaf's downlinks belong to the host group in whose range they are; ``up`` is the links above with their ports.
    """
    ports = {group.link: 0 for group in hosts} if number == 0 else {down: downlinks}
    for position in range(downlinks if number == 0 else 0):
        ports[group_at(hosts, position).link] += 1
    return [*ports.items(), *([up] if up else [])]
