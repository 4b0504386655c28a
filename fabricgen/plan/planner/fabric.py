"""Planning a whole fabric."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from functools import partial
from types import MappingProxyType

from fabricgen.catalog import Catalog
from fabricgen.diagnostics import Bag
from fabricgen.intent.assets import AssetRow
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.rollout import Rollout
from fabricgen.intent.topology import Links
from fabricgen.plan.model.fabric import NO_EXCEPTIONS, Asset, FabricPlan
from fabricgen.plan.model.identity import Coordinates, Numbering
from fabricgen.plan.model.rollout import SCOPES, RolloutLimits
from fabricgen.plan.model.topology import HostGroup, LinkGroup, Tier
from fabricgen.plan.planner.exceptions.boxes import Box, Boxes, box_key, check_links, find_kinds, mixed_platforms
from fabricgen.plan.planner.exceptions.overlay import build_exceptions
from fabricgen.plan.planner.exceptions.patterns import spell_out
from fabricgen.plan.planner.factors import Factors, limit_size
from fabricgen.plan.planner.grandmasters import place_grandmasters
from fabricgen.plan.planner.hosts import build_host_groups
from fabricgen.plan.planner.identities import add_own, rename
from fabricgen.plan.planner.kinds import add_kinds
from fabricgen.plan.planner.link_ends import LinkEnd, find_lanes, settle_copper
from fabricgen.plan.planner.lossless import build_contract, build_watchdog
from fabricgen.plan.planner.numbering import LINK_LEN, build_layouts, build_ordinal
from fabricgen.plan.planner.platform_facts import PlatformFacts, find_source
from fabricgen.plan.planner.releases import TierModel, choose_releases
from fabricgen.plan.planner.routing import HOST_ASN, decide_weights, settle_balancing
from fabricgen.plan.planner.series import Spaces
from fabricgen.plan.planner.services import build_collectives, build_services
from fabricgen.plan.planner.shape import FabricShape, Rails, TierShape, build_shape
from fabricgen.plan.planner.tiers import TierBuilder

HOST_LEN = 32
"""Prefix length of routes to hosts that share a subnet."""


def build_plan(
    intent: FabricIntent,
    catalog: Catalog,
    platforms: Mapping[str, PlatformFacts],
    assets: Mapping[str, Asset],
    bag: Bag,
    board_data: Mapping[str, str] | None = None,
    rows: Sequence[AssetRow] = (),
) -> FabricPlan | None:
    """Decide everything about a fabric, in closed form; None only if no tier stands on the hosts.

    Args:
        intent: The validated intent.
        catalog: Every model the intent names.
        platforms: Facts per switch platform and NIC family.
        assets: Asset list by host name.
        bag: Receives what cannot be built; the plan then holds as much as can.
        board_data: By file, what the maker of the box ships for its configuration, JSON.
        rows: The asset list, for what devices have of their own.
    """
    stated = limit_size(intent, bag)
    intent = settle_balancing(stated, catalog, platforms)
    shape = build_shape(intent, _rails(intent, catalog), bag)
    if shape is None:
        return None
    chosen = choose_releases(intent, catalog, platforms, bag)
    build = partial(_build_regular, catalog=catalog, platforms=platforms, shape=shape, board_data=board_data or {})
    kinds = []
    if stated.boxes:
        draft, _ = rename(add_kinds(build(intent, chosen, Bag()), intent, Bag()), rows, Bag())
        stated = spell_out(draft, stated, Bag())
        kinds = find_kinds(draft, stated, catalog.switches, platforms, bag)
        intent = settle_balancing(stated, catalog, platforms, kinds)
        build = partial(build, mixed=mixed_platforms(stated, kinds))
    plan = build(intent, chosen, bag)._replace(assets=dict(assets), rollout=_build_limits(intent.rollout))
    plan = add_kinds(plan, intent, bag)
    boxes = Boxes(_boxes(plan.tiers, chosen, platforms), {})
    for kind in kinds:
        settled = settle_balancing(kind.intent, catalog, platforms, kinds)
        own_chosen = choose_releases(settled, catalog, platforms, Bag())
        own = build(settled, own_chosen, found := Bag())
        check_links(kind, plan, own, found, bag)
        boxes.inputs.update(_boxes(own.tiers, own_chosen, platforms))
        boxes.unlike.update(dict.fromkeys(kind.devices, own.tiers[kind.number]))
    if kinds:
        plan = plan._replace(exceptions=plan.planned._replace(kinds=boxes.kinds))
        plan = plan._replace(watchdog=build_watchdog(intent.lossless, [tier.clock for tier in plan.boxes]))
    plan = _with_own(plan, rows, intent, boxes, bag)
    asics = [boxes.inputs[box_key(tier)].model.asic for tier in plan.boxes]
    return plan._replace(weights=decide_weights(plan, intent.routing.ecmp.weights, platforms, asics))


def _with_own(plan: FabricPlan, rows: Sequence[AssetRow], intent: FabricIntent, boxes: Boxes, bag: Bag) -> FabricPlan:
    """A plan with what single devices have of their own, and with its exceptions, whose names are those of devices."""
    plan, named = rename(plan, rows, bag)
    if intent.exceptions:
        intent = spell_out(plan, intent, bag)
    plan = add_own(plan, named, rows, intent, bag)
    if intent.exceptions:
        plan = plan._replace(exceptions=build_exceptions(plan, intent, boxes, bag))
    return plan._replace(grandmasters=place_grandmasters(plan, intent.operations.ptp, bag))


def _build_regular(
    intent: FabricIntent,
    chosen: Mapping[str, TierModel],
    bag: Bag,
    *,
    catalog: Catalog,
    platforms: Mapping[str, PlatformFacts],
    shape: FabricShape,
    board_data: Mapping[str, str],
    mixed: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> FabricPlan:
    """The fabric without its exceptions, on the boxes chosen for its tiers."""
    ends = _switch_ends(intent, catalog, platforms, shape)
    host_links = _build_host_links(intent, catalog, shape, ends, bag)
    links = (_common_host_link(shape, host_links), *_build_links(intent, shape, ends, bag))
    hosts, leaf_positions = build_host_groups(intent, catalog.servers, catalog.nics, shape, host_links, bag)
    factors = Factors(intent, [tier.name for tier in shape.tiers], [link.name for link in links], reserved=True)
    spaces = _spaces(shape, links, hosts, leaf_positions)
    layouts, addressing = build_layouts(shape, intent.addressing, intent.routing.asn, spaces, factors, bag)
    contract = build_contract(intent.lossless)
    known = (intent, chosen, platforms, shape, links, layouts, leaf_positions, hosts, contract, bag)
    tiers = TierBuilder(*known, board_data, catalog.ecn_profiles, mixed).build()
    return FabricPlan(
        name=intent.fabric,
        unit_name=intent.units.name,
        pod_name=intent.pods.name if intent.pods else "",
        zone_name=intent.zones.name if intent.zones else "",
        tiers=tiers,
        links=links,
        hosts=hosts,
        addressing=addressing,
        contract=contract,
        watchdog=build_watchdog(intent.lossless, [tier.clock for tier in tiers]),
        services=build_services(intent),
        collectives=build_collectives(intent, contract, platforms.get(hosts[0].nic_family, PlatformFacts()).dcqcn),
        rails=shape.rails,
        exceptions=NO_EXCEPTIONS,
        assets={},
        host_asn=HOST_ASN if intent.routing.hosts == "bgp" else 0,
    )


def _build_limits(rollout: Rollout) -> RolloutLimits:
    """Return the limits and the pace of a rollout, those shares only that are written."""
    shares = {scope: getattr(rollout.out_max, scope) for scope in SCOPES}
    written = tuple((scope, share) for scope, share in shares.items() if share is not None)
    units, is_counted, _ = rollout.scheduler_group.partition(" units")
    return RolloutLimits(
        out_max=written,
        floor=rollout.floor,
        scheduler_group="unit" if is_counted else units,
        group_units=int(units) if is_counted else 1,
        canary=rollout.canary,
        steps=tuple(rollout.steps),
        soak_seconds=rollout.soak,
        gate=rollout.gate or "",
        max_failures=rollout.max_failures,
    )


def _boxes(
    tiers: Sequence[Tier], chosen: Mapping[str, TierModel], platforms: Mapping[str, PlatformFacts]
) -> dict[Hashable, Box]:
    """Return what working out single switches takes, by the box of their tier."""
    found: dict[Hashable, Box] = {}
    for tier in tiers:
        model, facts = chosen[tier.name].model, platforms.get(tier.platform, PlatformFacts())
        found[box_key(tier)] = Box(model, facts.port_names, find_source(facts, model, tier.release.name))
    return found


def _switch_ends(
    intent: FabricIntent, catalog: Catalog, platforms: Mapping[str, PlatformFacts], shape: FabricShape
) -> list[LinkEnd]:
    """The end of links at the switches of each tier, from the leaf up."""
    tiers = [(tier.name, intent.tiers[tier.name]) for tier in shape.tiers]
    return [
        LinkEnd(catalog.switches[own.model], ("tiers", name, "model"), platforms.get(own.platform, PlatformFacts()))
        for name, own in tiers
    ]


def _spaces(shape: FabricShape, links: Sequence[LinkGroup], hosts: Sequence[HostGroup], leaf_positions: int) -> Spaces:
    """Return what devices need of the pools."""
    subnet, routed = (any(group.bond and group.routed is each for group in hosts) for each in (False, True))
    slots = {group.slots_per_host for group in hosts}
    return Spaces(
        {tier.name: link.width_reserved * link.per_pair for tier, link in zip(shape.tiers, links[1:], strict=False)},
        leaf_positions,
        any(group.bond or group.spread for group in hosts),
        subnet,
        HOST_LEN if subnet else LINK_LEN if routed else 0,
        slots.pop() if len(slots) == 1 else 0,
    )


def _rails(intent: FabricIntent, catalog: Catalog) -> Rails:
    servers = {name: catalog.servers[group.server] for name, group in intent.hosts.items()}
    return Rails(
        {name: len(server.rails) for name, server in servers.items()},
        frozenset(name for name, server in servers.items() if server.gpus),
    )


def _build_host_links(
    intent: FabricIntent, catalog: Catalog, shape: FabricShape, switches: Sequence[LinkEnd], bag: Bag
) -> dict[str, LinkGroup]:
    """The links of each host group, at a lane count that its NIC and the leaf can run."""
    found = {}
    for group, (name, link) in shape.host_links.items():
        ends = (LinkEnd(catalog.nics[intent.hosts[group].nic], ("hosts", group, "nic")), switches[0])
        lanes = find_lanes(intent, name, link.speed, ends, bag)
        built = _link_group(name, 0, link, lanes, shape.tiers[0], Numbering(0, Coordinates()))
        found[group] = settle_copper(built, ends)
    return found


def _common_host_link(shape: FabricShape, by_group: Mapping[str, LinkGroup]) -> LinkGroup:
    """Return what stands for the hosts in the chain of tiers: the links of all hosts, or of the first group."""
    common = shape.links[0][0]
    return next((link for link in by_group.values() if link.name == common), next(iter(by_group.values())))


def _build_links(intent: FabricIntent, shape: FabricShape, switches: Sequence[LinkEnd], bag: Bag) -> list[LinkGroup]:
    """Link groups between tiers, from the leaf up, each at a lane count both ends can run."""
    groups = []
    for number, (name, link) in enumerate(shape.links[1:], start=1):
        lower, tier = shape.tiers[number - 1], shape.tiers[number]
        ends = (switches[number - 1], switches[number])
        lanes = find_lanes(intent, name, link.speed, ends, bag)
        built = _link_group(name, number, link, lanes, tier, build_ordinal(lower, tier))
        groups.append(settle_copper(built, ends))
    return groups


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
