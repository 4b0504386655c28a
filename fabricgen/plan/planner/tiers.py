"""The tiers of a plan: ports, buffers, marking and routing of each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import prod

from fabricgen.catalog.records import EcnProfile, SwitchModel
from fabricgen.diagnostics import Bag, Related
from fabricgen.diagnostics.words import and_list, counted, or_list
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.network import UNNUMBERED
from fabricgen.plan.model.contract import Contract
from fabricgen.plan.model.identity import Coordinates
from fabricgen.plan.model.topology import HostGroup, Layout, LinkGroup, PortSide, Tier, ports_by_link
from fabricgen.plan.planner import plan_codes as codes
from fabricgen.plan.planner.buffers import BufferSizer, Sized
from fabricgen.plan.planner.computed_buffers import CableUse
from fabricgen.plan.planner.factors import Factors, takes_part
from fabricgen.plan.planner.lossless import build_clock
from fabricgen.plan.planner.marking import MarkingBox, ThresholdBuilder, build_bound
from fabricgen.plan.planner.numbering import build_ordinal
from fabricgen.plan.planner.platform_facts import PlatformFacts, find_source
from fabricgen.plan.planner.ports import COPPER, PortDemand, PortPlan, plan_ports
from fabricgen.plan.planner.releases import TierModel, find_profiles, report_profiles
from fabricgen.plan.planner.routing import BothEnds, LinkSupport, announces_lost, build_routing
from fabricgen.plan.planner.shape import ROLES, FabricShape, TierShape, default_switch_name


@dataclass(slots=True)
class TierBuilder:
    """Builds the tiers of a plan; holds what all of them need.

    Attributes:
        board_data: By the file that the intent names.
        mixed: Platforms of a tier beside its own.
    """

    intent: FabricIntent
    boxes: Mapping[str, TierModel]
    platforms: Mapping[str, PlatformFacts]
    shape: FabricShape
    links: tuple[LinkGroup, ...]
    layouts: dict[str, Layout]
    leaf_positions: int
    hosts: tuple[HostGroup, ...]
    contract: Contract
    bag: Bag
    board_data: Mapping[str, str]
    ecn_profiles: Mapping[str, EcnProfile]
    mixed: Mapping[str, Collection[str]]

    def build(self) -> tuple[Tier, ...]:
        """Every tier, from the leaf up."""
        ports = [self._ports(number) for number in range(len(self.shape.tiers))]
        self._report_inexact(ports)
        prefixes = self._prefixes(ports)
        return tuple(self._tier(number, plan, prefixes) for number, plan in enumerate(ports))

    def _ports(self, number: int) -> PortPlan:
        model = self.boxes[self.shape.tiers[number].name].model
        plan = self._plan(number, model)
        if plan.missing:
            self._report_missing(number, model, plan)
        for side in plan.without_profile:
            self._report_medium(self.links[number + (side == "up")], model, self.shape.tiers[number].name)
        return plan

    def _plan(self, number: int, model: SwitchModel) -> PortPlan:
        """Ports of a tier on a model; fewer than reserved if only the default reserves them."""
        names = self._facts(self.intent.tiers[self.shape.tiers[number].name].platform).port_names
        down, up = self._down_demands(number), self._up_demand(number)
        plan = plan_ports(model, names, down, up)
        if plan.missing and up and self._may_shrink(number):
            plan = plan_ports(model, names, down, up._replace(reserved=up.now))
        return plan

    def _report_medium(self, link: LinkGroup, model: SwitchModel, tier: str) -> None:
        """A link whose medium the maker's software has no port profile for."""
        named = Related("the speed", ("links", link.name, "speed")), Related("the model", ("tiers", tier, "model"))
        kind, others = ("copper", ("aoc", "mmf", "smf")) if link.media in COPPER else ("optical", ("dac", "aec"))
        self.bag.add(
            codes.NO_PORT_PROFILE,
            f"{model.id} has no port profile for {link.speed_gbps}G over {counted(link.lanes, 'lane')} of {kind} cable",
            ("links", link.name, "cable", "media"),
            hint=f"use {or_list(others)}, or another speed",
            related=named,
        )

    def _may_shrink(self, number: int) -> bool:
        """Return whether the room for uplinks follows from a default maximum only."""
        count = self.intent.tiers[self.shape.tiers[number + 1].name].count
        return count is None or count.max is None

    def _report_inexact(self, ports: list[PortPlan]) -> None:
        """One line per model for whose breakouts the vendor ships no port profile, where the platform reads one."""
        tiers: dict[tuple[str, str], list[str]] = {}
        for number, (shape, plan) in enumerate(zip(self.shape.tiers, ports, strict=True)):
            box, own = self.boxes[shape.name], self.intent.tiers[shape.name]
            if plan.sku_is_exact or self._facts(own.platform).port_names.whole:
                continue
            exact = find_profiles(box, partial(self._plan, number))
            report_profiles(shape.name, own, box, exact, self.bag)
            if not exact:
                tiers.setdefault((own.model, plan.sku), []).append(shape.name)
        for (model, sku), names in tiers.items():
            self.bag.add(
                codes.SKU_NOT_EXACT,
                f"no port profile of {model} has the breakouts of {and_list(names)}; "
                f"its default {sku} plus explicit breakouts is used",
                ("tiers", names[0], "model"),
                record=("switches", model, "skus"),
            )

    def _down_demands(self, number: int) -> list[PortDemand]:
        return self._host_demands() if number == 0 else [self._down_demand(number)]

    def _host_demands(self) -> list[PortDemand]:
        """Ranges of leaf ports for the host groups; neighbours of one speed share a range."""
        found: list[PortDemand] = []
        ends = [group.slot_base for group in self.hosts[1:]] + [self.leaf_positions]
        for group, end in zip(self.hosts, ends, strict=True):
            link, room = group.link, end - group.slot_base
            wanted = PortDemand(link.speed_gbps, link.lanes, room, room, link.media in COPPER)
            if found and (*found[-1][:2], found[-1].copper) == (*wanted[:2], wanted.copper):
                before = found.pop()
                wanted = wanted._replace(now=before.now + wanted.now, reserved=(before.reserved or 0) + wanted.now)
            found.append(wanted)
        return found

    def _down_demand(self, number: int) -> PortDemand:
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
            return PortDemand(link.speed_gbps, link.lanes, now, None, link.media in COPPER)
        return PortDemand(link.speed_gbps, link.lanes, now, reserved, link.media in COPPER)

    def _up_demand(self, number: int) -> PortDemand | None:
        if number + 1 >= len(self.links):
            return None
        link = self.links[number + 1]
        now, reserved = link.width * link.per_pair, link.width_reserved * link.per_pair
        return PortDemand(link.speed_gbps, link.lanes, now, reserved, link.media in COPPER)

    def _ways_down(self, number: int) -> int:
        """Equal-cost next hops of a tier towards hosts: parallel links, times the switches below that lead there."""
        if not number:
            return 1
        lower, ways = self.shape.tiers[number - 1], self.links[number].per_pair
        met = self._met_dimensions(lower, self.shape.tiers[number])
        if number == 1:
            block = self.layouts[lower.name].announced
            shared = [name for name in met if block is not None and not getattr(block.strides, name)]
            return ways * int(prod(getattr(lower.reserved, name) for name in shared))
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
        needed = [f"{each.reserved or each.now} x {each.speed_gbps}G down" for each in down]
        if up:
            needed.append(f"{up.reserved} x {up.speed_gbps}G up")
        cages = sum(1 for cage in model.cages if not cage.service)
        path = ("tiers", tier.name, "model")
        names = ([shape.name for shape in self.shape.tiers], [link.name for link in self.links])
        factors = Factors(self.intent, *names, reserved=True)
        self.bag.add(
            codes.TOO_FEW_PORTS,
            f"{tier.name} needs {and_list(needed)} at the reserved maximum; {model.id} has {cages} cages, "
            f"{counted(plan.missing, 'link')} without a port",
            path,
            hint="use a model with more ports, or lower one of the numbers in the notes",
            related=[
                *takes_part(self.intent, (*factors.ports_down(number), *factors.ports_up(number))),
                Related("its cages", record=("switches", model.id, "cages")),
            ],
        )

    def _prefixes(self, ports: list[PortPlan]) -> int:
        """Loopbacks, leaf aggregates and routes to hosts, the outermost dimension at what the boxes can take."""
        room, shared = self._outermost_room(ports), self.layouts[self.shape.tiers[0].name].shared_block is not None
        of_leaf = 2 + (len(ports[0].down) if shared or any(group.bond for group in self.hosts) else 0)
        total = 0
        for tier in self.shape.tiers:
            size = prod(tier.reserved._replace(**{self.shape.outermost: 1}))
            if tier.per in _SCOPES_WITH[self.shape.outermost]:
                size *= room
            total += size * (of_leaf if tier is self.shape.tiers[0] else 1)
        return total

    def _outermost_room(self, ports: list[PortPlan]) -> int:
        """Return how many members the outermost dimension can have before some box runs out of ports."""
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

    def _size(self, number: int, plan: PortPlan, uses: Sequence[CableUse], facts: PlatformFacts) -> Sized:
        name = self.shape.tiers[number].name
        spare = max(0, len(plan.slots) - sum(use.ports for use in uses))
        box = self.boxes[name]
        source = find_source(facts, box.model, box.release.name)
        sizer = BufferSizer(box.model, plan.sku, ROLES[number], self.contract, source)
        return sizer.size(uses, spare, ("tiers", name, "model"), self.bag)

    def _tier(self, number: int, plan: PortPlan, prefixes: int) -> Tier:
        shape = self.shape.tiers[number]
        own = self.intent.tiers[shape.name]
        model, release = self.boxes[shape.name].model, self.boxes[shape.name].release
        facts = self._facts(own.platform)
        down, up = self.links[number], self.links[number + 1] if number + 1 < len(self.links) else None
        uses = self._uses(number, plan)
        sized = self._size(number, plan, uses, facts)
        bound = build_bound(sized.shared, len(plan.down) + len(plan.up), self.intent.lossless)
        self._check_platform(shape.name, own.platform, model)
        width = max(up.width_reserved * up.per_pair if up else 1, self._ways_down(number))
        return Tier(
            name=shape.name,
            number=number,
            role=ROLES[number],
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
            modes=plan.modes,
            down=PortSide(down.name, plan.down),
            up=PortSide(up.name, plan.up) if up else None,
            buffers=sized.buffers,
            bound=bound,
            release=release,
            ecn=ThresholdBuilder(
                self.intent.lossless,
                MarkingBox(shape.name, model, own.platform, plan.sku),
                self.ecn_profiles,
                uses,
                bound,
                sized.reported,
                self.bag,
            ).build(),
            routing=build_routing(
                self.intent.routing, own.ecmp, number, self._both_ends(number), width, prefixes, model.asic.vendor
            ),
            rails_per_group=self.shape.rails_per_group,
            board_data=self.board_data.get(own.board_data or "", ""),
            product=model.product,
            clock=build_clock(len(plan.slots) if facts.polls_ports else 0, facts.watchdog_max_ms),
        )

    def _check_platform(self, tier: str, platform: str, model: SwitchModel) -> None:
        """The model of a tier runs its platform."""
        # A missing platform is already reported; that the model does not run it either adds nothing.
        if platform in self.platforms and platform not in model.platforms:
            self.bag.add(
                codes.ILLEGAL_PLATFORM,
                f"{model.id} does not run {platform!r}; it runs {', '.join(model.platforms) or 'no platform'}",
                ("tiers", tier, "platform"),
                related=[
                    Related("the model", ("tiers", tier, "model")),
                    Related("what it runs", record=("switches", model.id, "platforms")),
                ],
                hint=f"use {model.platforms[0]}" if model.platforms else "use another model",
            )

    def _both_ends(self, number: int) -> BothEnds:
        """Return what both ends of a tier's sessions can, those with hosts included."""
        numbered = self.intent.addressing.fabric_links != UNNUMBERED
        acl = self.intent.operations.access.acl
        bfd = self._sides(number, lambda facts, above: facts.runs_bfd(acl=acl, numbered=numbered or not above))
        gtsm = self._sides(number, lambda facts, _: facts.gtsm)
        md5 = self._sides(number, lambda facts, _: facts.md5)
        return BothEnds(bfd, gtsm, md5, announces_lost(self.intent))

    def _sides(self, number: int, has: Callable[[PlatformFacts, bool], bool]) -> LinkSupport:
        """Return the support at both ends of the links above and below a tier; links to hosts are not ``above``."""
        own = [(shape.name, self.intent.tiers[shape.name].platform) for shape in self.shape.tiers]
        tiers = [(platform, *self.mixed.get(name, ())) for name, platform in own]
        hosts = self.intent.routing.hosts == "bgp"
        below = hosts and all(has(self._facts(each), False) for each in (*tiers[0], *(g.os for g in self.hosts)))
        above = [all(has(self._facts(each), True) for each in platforms) for platforms in tiers]
        joined = [below, *(low and high for low, high in pairwise(above)), False]
        return LinkSupport(upper=joined[number + 1], lower=joined[number])

    def _facts(self, platform: str) -> PlatformFacts:
        return self.platforms.get(platform, PlatformFacts())


_SCOPES_WITH = {"unit": ("unit",), "pod": ("unit", "pod"), "zone": ("unit", "pod", "zone")}
"""Scopes whose devices multiply with each outermost dimension."""
