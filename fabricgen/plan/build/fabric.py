"""Planning a whole fabric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from fabricgen.catalog import Catalog
from fabricgen.catalog.records import SwitchModel
from fabricgen.diagnostics import Bag, Related
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.topology import Links
from fabricgen.plan.build import codes
from fabricgen.plan.build.addresses import Spaces, build_layouts
from fabricgen.plan.build.buffers import BufferSource, build_buffers
from fabricgen.plan.build.exceptions import Boxes, build_exceptions
from fabricgen.plan.build.hosts import build_host_groups
from fabricgen.plan.build.lossless import build_contract, build_watchdog
from fabricgen.plan.build.marking import build_bound, build_marking
from fabricgen.plan.build.numbering import build_ordinal
from fabricgen.plan.build.ports import COPPER, Demand, PortNames, PortPlan, lanes_in_common, plan_ports, switch_lanes
from fabricgen.plan.build.routing import HOST_ASN, BfdSides, build_routing
from fabricgen.plan.build.scripted import CableUse, choose_script
from fabricgen.plan.build.services import build_collectives, build_services
from fabricgen.plan.build.shape import ROLES, Rails, Shape, TierShape, build_shape
from fabricgen.plan.build.size import limit_size
from fabricgen.plan.model.contract import Contract
from fabricgen.plan.model.exceptions import NO_EXCEPTIONS
from fabricgen.plan.model.fabric import Asset, FabricPlan
from fabricgen.plan.model.numbering import Coordinates, Numbering
from fabricgen.plan.model.topology import HostGroup, Layout, LinkGroup, Side, Tier, ports_by_link


class PlatformFacts(NamedTuple):
    """What planning must know of a platform: how it names ports, whether it runs BFD, its NIC parameters.

    ``own_buffers``: it cuts pools and headroom itself; otherwise its configuration has the catalog's, or
    ``computes_buffers``: what its images compute where the ASIC's maker has a script for that.
    """

    port_names: PortNames = PortNames()
    bfd: bool = False
    dcqcn: tuple[tuple[str, int], ...] = ()
    own_buffers: bool = False
    computes_buffers: bool = False


def build_plan(
    intent: FabricIntent,
    catalog: Catalog,
    platforms: Mapping[str, PlatformFacts],
    assets: Mapping[str, Asset],
    bag: Bag,
    board_data: Mapping[str, str] | None = None,
) -> FabricPlan | None:
    """Decide everything about a fabric, in closed form.

    Args:
        intent: The validated intent.
        catalog: Every model the intent names.
        platforms: Facts per switch platform and NIC family.
        assets: Asset list by host name.
        bag: Receives what cannot be built; the plan then holds as much as can.
        board_data: By tier, what the maker of the box ships for its configuration, JSON.

    Returns:
        The plan; None only if no tier stands on the hosts.
    """
    intent = limit_size(intent, bag)
    shape = build_shape(intent, _rails(intent, catalog), bag)
    if shape is None:
        return None
    host_links = _build_host_links(intent, catalog, shape, bag)
    links = (_common_host_link(shape, host_links), *_build_links(intent, catalog, shape, bag))
    hosts, leaf_positions = build_host_groups(intent, catalog.servers, catalog.nics, shape, host_links, bag)
    spaces = Spaces(
        {tier.name: link.width_reserved * link.per_pair for tier, link in zip(shape.tiers, links[1:], strict=False)},
        leaf_positions,
        any(group.bond or group.spread for group in hosts),
        any(group.bond for group in hosts),
    )
    layouts, addressing = build_layouts(shape, intent.addressing, intent.routing.asn, spaces, bag)
    contract = build_contract(intent.lossless)
    builder = _TierBuilder(
        intent, catalog, platforms, shape, links, layouts, leaf_positions, hosts, contract, bag, board_data or {}
    )
    tiers = builder.build()
    family = hosts[0].nic_family
    plan = FabricPlan(
        name=intent.fabric,
        unit_name=intent.units.name,
        pod_name=intent.pods.name if intent.pods else "",
        zone_name=intent.zones.name if intent.zones else "",
        tiers=tiers,
        links=links,
        hosts=hosts,
        addressing=addressing,
        contract=contract,
        watchdog=build_watchdog(intent.lossless),
        services=build_services(intent),
        collectives=build_collectives(intent, contract, platforms.get(family, PlatformFacts()).dcqcn),
        rails=shape.rails,
        exceptions=NO_EXCEPTIONS,
        assets=dict(assets),
        host_asn=HOST_ASN if intent.routing.hosts == "bgp" else 0,
    )
    if not intent.exceptions:
        return plan
    models = [catalog.switches[tier.model] for tier in tiers]
    port_names = [platforms.get(tier.platform, PlatformFacts()).port_names for tier in tiers]
    sources = [
        find_source(platforms.get(tier.platform, PlatformFacts()), model, tier.release)
        for tier, model in zip(tiers, models, strict=True)
    ]
    return plan._replace(exceptions=build_exceptions(plan, intent, Boxes(models, port_names, sources), bag))


def find_source(facts: PlatformFacts, model: SwitchModel, release: str | None) -> BufferSource:
    """Who says how large the buffers of a tier are."""
    script = choose_script(model.asic, release) if facts.computes_buffers else None
    return BufferSource(facts.own_buffers, script)


def _rails(intent: FabricIntent, catalog: Catalog) -> Rails:
    servers = {name: catalog.servers[group.server] for name, group in intent.hosts.items()}
    return Rails(
        {name: len(server.rails) for name, server in servers.items()},
        frozenset(name for name, server in servers.items() if server.gpus),
    )


def _build_host_links(intent: FabricIntent, catalog: Catalog, shape: Shape, bag: Bag) -> dict[str, LinkGroup]:
    """The links of each host group, at a lane count that its NIC and the leaf can run."""
    leaf = shape.tiers[0]
    own = intent.tiers[leaf.name].model
    found = {}
    for group, (name, link) in shape.host_links.items():
        nic = catalog.nics[intent.hosts[group].nic]
        ends = frozenset(nic.lanes_by_gbps.get(link.speed, ()))
        lanes = _common_lanes(intent, name, (nic.id, ends), (own, switch_lanes(catalog.switches[own], link.speed)), bag)
        found[group] = _link_group(name, 0, link, lanes, leaf, Numbering(0, Coordinates()))
    return found


def _common_host_link(shape: Shape, by_group: Mapping[str, LinkGroup]) -> LinkGroup:
    """What stands for the hosts in the chain of tiers: the links of all hosts, or of the first group."""
    common = shape.links[0][0]
    return next((link for link in by_group.values() if link.name == common), next(iter(by_group.values())))


def _build_links(intent: FabricIntent, catalog: Catalog, shape: Shape, bag: Bag) -> list[LinkGroup]:
    """Link groups between tiers, from the leaf up, each at a lane count both ends can run."""
    groups = []
    for number, (name, link) in enumerate(shape.links[1:], start=1):
        lower, tier = shape.tiers[number - 1], shape.tiers[number]
        ends = []
        for end in (lower, tier):
            model = intent.tiers[end.name].model
            ends.append((model, switch_lanes(catalog.switches[model], link.speed)))
        lanes = _common_lanes(intent, name, ends[0], ends[1], bag)
        groups.append(_link_group(name, number, link, lanes, tier, build_ordinal(lower, tier)))
    return groups


def _common_lanes(
    intent: FabricIntent, name: str, lower: tuple[str, frozenset[int]], upper: tuple[str, frozenset[int]], bag: Bag
) -> int:
    """The lane count of a link; where the ends have none in common, one of theirs."""
    link = intent.links.get(name)
    lanes = lanes_in_common(lower[1], upper[1])
    if lanes is None and link is not None:
        bag.add(
            codes.NO_COMMON_BREAKOUT,
            f"{link.speed}G: {lower[0]} runs it over {_lanes(lower[1])}, {upper[0]} over {_lanes(upper[1])}",
            ("links", name, "speed"),
            hint="choose a speed both ends list",
            related=[Related("the switch model", ("tiers", name.partition("-")[2], "model"))],
        )
    return min(lower[1] | upper[1], default=0) if lanes is None else lanes


def _link_group(name: str, upper: int, link: Links, lanes: int, tier: TierShape, ordinal: Numbering) -> LinkGroup:
    return LinkGroup(
        name=name,
        lower=upper - 1,
        upper=upper,
        speed_gbps=link.speed,
        lanes=lanes,
        per_pair=link.per_pair,
        media=link.cable.media,
        length_m=link.cable.length_m,
        mtu_bytes=link.mtu,
        pattern=tier.pattern,
        width=tier.width,
        width_reserved=tier.width_reserved,
        ordinal=ordinal,
    )


def _lanes(lanes: frozenset[int]) -> str:
    return " or ".join(f"{n} lanes" for n in sorted(lanes)) if lanes else "no number of lanes"


@dataclass(slots=True)
class _TierBuilder:
    """Builds the tiers of a plan; holds what all of them need."""

    intent: FabricIntent
    catalog: Catalog
    platforms: Mapping[str, PlatformFacts]
    shape: Shape
    links: tuple[LinkGroup, ...]
    layouts: dict[str, Layout]
    leaf_positions: int
    hosts: tuple[HostGroup, ...]
    contract: Contract
    bag: Bag
    board_data: Mapping[str, str]

    def build(self) -> tuple[Tier, ...]:
        """Every tier, from the leaf up."""
        ports = [self._ports(number) for number in range(len(self.shape.tiers))]
        self._report_inexact(ports)
        prefixes = self._prefixes(ports)
        return tuple(self._tier(number, plan, prefixes) for number, plan in enumerate(ports))

    def _ports(self, number: int) -> PortPlan:
        tier = self.shape.tiers[number]
        own = self.intent.tiers[tier.name]
        model = self.catalog.switches[own.model]
        names = self.platforms.get(own.platform, PlatformFacts()).port_names
        down, up = self._down_demands(number), self._up_demand(number)
        plan = plan_ports(model, names, down, up)
        if plan.missing and up and self._may_shrink(number):
            # Nobody asked for the room above the count, and the box cannot give it.
            plan = plan_ports(model, names, down, up._replace(reserved=up.now))
        if plan.missing:
            self._report_missing(number, model, plan)
        for side in plan.without_profile:
            self._report_medium(self.links[number + (side == "up")], model)
        return plan

    def _report_medium(self, link: LinkGroup, model: SwitchModel) -> None:
        """A link whose medium the maker's software has no port profile for."""
        path = ("links", link.name, "cable", "media")
        kind, other = ("copper", "aoc, mmf or smf") if link.media in COPPER else ("optical", "dac or aec")
        self.bag.add(
            codes.NO_PORT_PROFILE,
            f"{model.id} has no port profile for {link.speed_gbps}G over {link.lanes} lanes of {kind} cable",
            path,
            hint=f"use {other}, or another speed",
        )

    def _may_shrink(self, number: int) -> bool:
        """Whether the room for uplinks follows from a default maximum only."""
        count = self.intent.tiers[self.shape.tiers[number + 1].name].count
        return count is None or count.max is None

    def _report_inexact(self, ports: list[PortPlan]) -> None:
        """One warning per model for whose breakouts the vendor ships no port profile, where the platform reads one."""
        tiers: dict[tuple[str, str], list[str]] = {}
        for shape, plan in zip(self.shape.tiers, ports, strict=True):
            platform = self.platforms.get(self.intent.tiers[shape.name].platform, PlatformFacts())
            if not plan.sku_is_exact and not platform.port_names.whole:
                tiers.setdefault((self.intent.tiers[shape.name].model, plan.sku), []).append(shape.name)
        for (model, sku), names in tiers.items():
            self.bag.add(
                codes.SKU_NOT_EXACT,
                f"no port profile of {model} has the breakouts of {' and '.join(names)}; "
                f"its default {sku} plus explicit breakouts is used",
                ("tiers", names[0], "model"),
            )

    def _down_demands(self, number: int) -> list[Demand]:
        return self._host_demands() if number == 0 else [self._down_demand(number)]

    def _host_demands(self) -> list[Demand]:
        """Ranges of leaf ports for the host groups; neighbours of one speed share a range."""
        found: list[Demand] = []
        ends = [group.slot_base for group in self.hosts[1:]] + [self.leaf_positions]
        for group, end in zip(self.hosts, ends, strict=True):
            link, room = group.link, end - group.slot_base
            wanted = Demand(link.speed_gbps, link.lanes, room, room, link.media in COPPER)
            if found and (*found[-1][:2], found[-1].copper) == (*wanted[:2], wanted.copper):
                before = found.pop()
                wanted = wanted._replace(now=before.now + wanted.now, reserved=(before.reserved or 0) + wanted.now)
            found.append(wanted)
        return found

    def _down_demand(self, number: int) -> Demand:
        """Ports towards the switches of the tier below."""
        link = self.links[number]
        lower, tier = self.shape.tiers[number - 1], self.shape.tiers[number]
        dimensions = self._met_dimensions(lower, tier)
        last = Coordinates(**{name: getattr(lower.counts, name) - 1 for name in dimensions})
        now = (link.ordinal.at(last) + 1) * link.per_pair
        room = Coordinates(**{name: getattr(lower.reserved, name) - 1 for name in dimensions})
        reserved = (link.ordinal.at(room) + 1) * link.per_pair
        outermost = self.shape.outermost
        if outermost in dimensions and not self._has_max(outermost):
            return Demand(link.speed_gbps, link.lanes, now, None, link.media in COPPER)
        return Demand(link.speed_gbps, link.lanes, now, reserved, link.media in COPPER)

    def _up_demand(self, number: int) -> Demand | None:
        if number + 1 >= len(self.links):
            return None
        link = self.links[number + 1]
        now, reserved = link.width * link.per_pair, link.width_reserved * link.per_pair
        return Demand(link.speed_gbps, link.lanes, now, reserved, link.media in COPPER)

    def _ways_down(self, number: int) -> int:
        """Equal-cost next hops of a tier towards hosts: parallel links, times the switches below that lead there."""
        if not number:
            return 1
        lower, ways = self.shape.tiers[number - 1], self.links[number].per_pair
        met = self._met_dimensions(lower, self.shape.tiers[number])
        if number == 1:
            block = self.layouts[lower.name].host_block
            shared = block is not None and not block.strides.index and "index" in met
            return ways * lower.reserved.index if shared else ways
        for dimension in met:
            ways *= getattr(lower.reserved, dimension) if dimension in ("group", "index") else 1
        return ways

    @staticmethod
    def _met_dimensions(lower: TierShape, upper: TierShape) -> list[str]:
        """Dimensions of the lower tier along which one upper device has several neighbours."""
        strides = build_ordinal(lower, upper).strides
        lacks = {"unit": (), "pod": ("unit",), "zone": ("unit", "pod")}.get(lower.per, ("unit", "pod", "zone"))
        return [name for name in Coordinates._fields if getattr(strides, name) and name not in lacks]

    def _has_max(self, dimension: str) -> bool:
        count = {"zone": self.intent.zones, "pod": self.intent.pods, "unit": self.intent.units}[dimension]
        return count is not None and count.max is not None

    def _report_missing(self, number: int, model: SwitchModel, plan: PortPlan) -> None:
        tier = self.shape.tiers[number]
        down, up = self._down_demands(number), self._up_demand(number)
        wants = [f"{each.reserved or each.now} x {each.speed_gbps}G down" for each in down]
        if up:
            wants.append(f"{up.reserved} x {up.speed_gbps}G up")
        cages = sum(1 for cage in model.cages if not cage.service)
        path = ("tiers", tier.name, "model")
        self.bag.add(
            codes.TOO_FEW_PORTS,
            f"{tier.name} needs {' and '.join(wants)} at the reserved maximum; {model.id} has {cages} cages, "
            f"{plan.missing} links find no port",
            path,
            hint="lower a max or count, per_pair, or choose a model with more ports",
            related=[
                Related("links down", ("links", self.links[number].name)),
                *([Related("links up", ("links", self.links[number + 1].name))] if up else []),
            ],
        )

    def _prefixes(self, ports: list[PortPlan]) -> int:
        """Loopbacks, leaf aggregates and routes to hosts, the outermost dimension at what the boxes can take."""
        room = self._outermost_room(ports)
        of_leaf = 2 + (len(ports[0].down) if any(group.bond for group in self.hosts) else 0)
        total = 0
        for tier in self.shape.tiers:
            sizes = tier.reserved._replace(**{self.shape.outermost: 1})
            size = 1
            for value in sizes:
                size *= value
            if tier.per in _SCOPES_WITH[self.shape.outermost]:
                size *= room
            total += size * (of_leaf if tier is self.shape.tiers[0] else 1)
        return total

    def _outermost_room(self, ports: list[PortPlan]) -> int:
        """How many members the outermost dimension can have before some box runs out of ports."""
        outermost = self.shape.outermost
        leaf = self.shape.tiers[0]
        if self._has_max(outermost):
            return int(getattr(leaf.reserved, outermost))
        for number in range(1, len(ports)):
            stride = getattr(self.links[number].ordinal.strides, outermost)
            if stride:
                positions = len(ports[number].down) // self.links[number].per_pair
                return max(int(getattr(leaf.counts, outermost)), positions // int(stride))
        return int(getattr(leaf.counts, outermost))

    def _uses(self, number: int, plan: PortPlan) -> list[CableUse]:
        """Link groups of a tier's switches and how many ports each has at the reserved maximum."""
        up = (self.links[number + 1], len(plan.up)) if number + 1 < len(self.links) else None
        ports = ports_by_link(number, self.links[number], self.hosts, len(plan.down), up)
        return [
            CableUse(link.name, link.speed_gbps, link.length_m, link.mtu_bytes, link.lanes, count)
            for link, count in ports
        ]

    def _tier(self, number: int, plan: PortPlan, prefixes: int) -> Tier:
        shape = self.shape.tiers[number]
        own = self.intent.tiers[shape.name]
        model = self.catalog.switches[own.model]
        facts = self.platforms.get(own.platform, PlatformFacts())
        role = ROLES[number]
        down, up = self.links[number], self.links[number + 1] if number + 1 < len(self.links) else None
        uses = self._uses(number, plan)
        named_at = ("tiers", shape.name, "model")
        source = find_source(facts, model, own.release)
        sized = build_buffers(model, plan.sku, role, uses, self.contract, source, named_at, self.bag)
        bound = build_bound(sized.shared, len(plan.down) + len(plan.up), self.intent.lossless)
        width = max(up.width_reserved * up.per_pair if up else 1, self._ways_down(number))
        # A platform nobody has installed is already reported; that the model does not run it either says nothing new.
        if own.platform in self.platforms and own.platform not in model.platforms:
            self.bag.add(
                codes.ILLEGAL_PLATFORM,
                f"{model.id} does not run {own.platform!r}; it runs {', '.join(model.platforms) or 'nothing known'}",
                ("tiers", shape.name, "platform"),
                related=[Related("the model", ("tiers", shape.name, "model"))],
                hint=f"use {model.platforms[0]}" if model.platforms else "",
            )
        return Tier(
            name=shape.name,
            number=number,
            role=role,
            scope=shape.per,
            model=model.id,
            platform=own.platform,
            board=plan.board,
            sku=plan.sku,
            sku_is_exact=plan.sku_is_exact,
            name_pattern=own.name or default_switch_name(self.intent, shape, number),
            counts=shape.counts,
            reserved=shape.reserved,
            layout=self.layouts[shape.name],
            slots=plan.slots,
            native=plan.native,
            modes=plan.modes,
            native_modes=plan.native_modes,
            down=Side(down.name, plan.down),
            up=Side(up.name, plan.up) if up else None,
            buffers=sized.buffers,
            bound=bound,
            release=own.release or "",
            ecn=build_marking(
                self.intent.lossless, shape.name, model, self.catalog.ecn_profiles, uses, bound, sized.told, self.bag
            ),
            routing=build_routing(
                self.intent.routing, own.ecmp, number, self._bfd(number), width, prefixes, model.asic.vendor
            ),
            rails_per_group=self.shape.rails_per_group,
            board_data=self.board_data.get(shape.name, ""),
        )

    def _bfd(self, number: int) -> BfdSides:
        """Where BFD can run: one end alone would watch a neighbour that never answers."""
        platforms = [self.intent.tiers[shape.name].platform for shape in self.shape.tiers]
        hosts = self.intent.routing.hosts == "bgp" and all(self._runs_bfd(group.os) for group in self.hosts)
        runs = [hosts, *map(self._runs_bfd, platforms), False]
        here = runs[number + 1]
        return BfdSides(upper=here and runs[number + 2], lower=here and runs[number])

    def _runs_bfd(self, platform: str) -> bool:
        return self.platforms.get(platform, PlatformFacts()).bfd


_SCOPES_WITH = {
    "unit": ("unit",),
    "pod": ("unit", "pod"),
    "zone": ("unit", "pod", "zone"),
}
"""Scopes whose devices multiply with each outermost dimension."""


def default_switch_name(intent: FabricIntent, shape: TierShape, number: int) -> str:
    """Name pattern that names every dimension the tier has; widths follow the reserved maxima."""
    name = shape.name.replace("_", "-")
    scope = ("z{zone:02}-" if intent.zones and shape.per != "fabric" else "") + (
        "p{pod:02}-" if intent.pods and shape.per in ("pod", "unit") else ""
    )
    plane = "{plane}" if shape.counts.plane > 1 else ""
    if number == 0:
        group = "-r{rail}" if shape.counts.group > 1 else ""
        member = "-{index}" if shape.counts.index > 1 else ""
        return f"{name}-{scope}u{{unit:03}}{group}{plane}{member}"
    digits = max(2, len(str(shape.reserved.group * shape.reserved.index)))
    return f"{name}-{scope}{plane}{{index:0{digits}}}"
