"""Routing of each tier: BGP timers, ECMP width, prefix limit, hashing, load balancing and weights of next hops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from fabricgen.catalog import Catalog
from fabricgen.catalog.records import Asic
from fabricgen.diagnostics.words import and_list
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.network import Routing
from fabricgen.intent.topology import Ecmp, Links, TierEcmp
from fabricgen.physics.ecmp import roce_dest_qp_field
from fabricgen.physics.path_delay import gap_above_us, path_spread_us
from fabricgen.physics.path_weights import weighting_rule
from fabricgen.plan.model.contract import RoutingPolicy, Udf
from fabricgen.plan.model.fabric import FabricPlan, PathWeights
from fabricgen.plan.model.identity import FabricLinkId
from fabricgen.plan.model.topology import Tier
from fabricgen.plan.planner.exceptions.boxes import Kind
from fabricgen.plan.planner.platform_facts import PlatformFacts
from fabricgen.plan.planner.shape import attachment_of

CONNECT_RETRY_S = 10
"""FRR's datacenter profile (bgpd/bgp_vty.c)."""
HOST_ASN = 4_294_967_294
"""AS number of every host that speaks BGP: the last private one (RFC 6996), which no switch is given."""
BFD_MULTIPLIER, BFD_INTERVAL_MS = 3, 300
"""FRR's and SONiC's BFD defaults: 300 ms, three times."""


class LinkSupport(NamedTuple):
    """Support of a feature by the platforms at both ends of the links above and below a tier."""

    upper: bool
    lower: bool


class BothEnds(NamedTuple):
    """Features that the sessions above and below a tier use only if both ends support them: one end alone fails.

    ``unreachability``: lost prefixes are announced in all tiers.
    """

    bfd: LinkSupport
    gtsm: LinkSupport
    md5: LinkSupport
    unreachability: bool = False


def build_routing(
    routing: Routing, own: TierEcmp | None, tier: int, sides: BothEnds, width: int, prefixes: int, asic_vendor: str
) -> RoutingPolicy:
    """Routing policy of one tier."""
    timers = routing.timers
    ecmp, key = routing.ecmp.with_own(own), routing.security.key.token if routing.security.key else ""
    return RoutingPolicy(
        bfd_upper=sides.bfd.upper and routing.bfd != "off",
        bfd_lower=sides.bfd.lower and routing.bfd != "off",
        bfd_multiplier=BFD_MULTIPLIER,
        bfd_interval_ms=BFD_INTERVAL_MS,
        keepalive_s=timers.keepalive,
        hold_s=timers.hold_s,
        connect_s=CONNECT_RETRY_S if timers.connect_retry_s == "auto" else timers.connect_retry_s,
        advertisement_s=timers.advertisement_s,
        max_paths=width if ecmp.max_paths == "auto" else ecmp.max_paths,
        max_prefixes=prefixes,
        hash_fields=tuple(ecmp.hash),
        hash_rank=tier if ecmp.decorrelate == "auto" else 0,
        load_balancing=ecmp.load_balancing,
        resilient=ecmp.resilient,
        flowlet_gap_us=0 if ecmp.flowlet_gap_us == "auto" else ecmp.flowlet_gap_us,
        gtsm_upper=sides.gtsm.upper and routing.security.ttl != "off",
        gtsm_lower=sides.gtsm.lower and routing.security.ttl != "off",
        key_upper=key if sides.md5.upper else "",
        key_lower=key if sides.md5.lower else "",
        udf=Udf(*roce_dest_qp_field(asic_vendor)),
        paths_stated=ecmp.max_paths != "auto",
        unreachability=sides.unreachability,
    )


def announces_lost(intent: FabricIntent) -> bool:
    """Return whether lost prefixes are announced: there is another plane, and hosts choose it by destination."""
    planes = intent.planes
    apart = planes is not None and planes.count > 1 and planes.host != "bond" and len(intent.tiers) > 1
    return apart and intent.routing.unreachability == "on"


def settle_balancing(
    intent: FabricIntent,
    catalog: Catalog,
    platforms: Mapping[str, PlatformFacts],
    kinds: Sequence[Kind] = (),
) -> FabricIntent:
    """Return the intent in which every tier has its own load balancing and flowlet gap, none of them ``auto``.

    Adaptive routing is for a fabric of which each kind of switches can do it.
    """
    advices = {advised_balancing(each, catalog, platforms) for each in (intent, *(kind.intent for kind in kinds))}
    advice = advices.pop() if len(advices) == 1 else "static"
    spread_us = path_spread_us(link.cable.length_m for _, link in fabric_links(intent))
    tiers = {}
    for name, tier in intent.tiers.items():
        ecmp = intent.routing.ecmp.with_own(tier.ecmp)
        gap_us = platforms.get(tier.platform, PlatformFacts()).flowlet_gap_us
        own = (tier.ecmp or TierEcmp()).model_copy(update=_settled(ecmp, advice, gap_above_us(spread_us, gap_us)))
        tiers[name] = tier.model_copy(update={"ecmp": own})
    return intent.model_copy(update={"tiers": tiers})


def _settled(ecmp: Ecmp, advice: str, gap_us: int) -> dict[str, object]:
    """Values of one tier; resilient hashing keeps to the hash."""
    word = ecmp.load_balancing
    if word == "auto":
        word = "static" if ecmp.resilient else advice  # type: ignore[assignment]
    return {"load_balancing": word, "flowlet_gap_us": gap_us if ecmp.flowlet_gap_us == "auto" else ecmp.flowlet_gap_us}


def advised_balancing(intent: FabricIntent, catalog: Catalog, platforms: Mapping[str, PlatformFacts]) -> str:
    """Return what the makers advise for RoCE: adaptive routing where switches, NICs and links all can, else the hash.

    Source:
        NVIDIA, Cumulus Linux 5.16, Equal Cost Multipath Load Sharing, Adaptive Routing: RoCE on the Spectrum-X
        platform, 200G and 400G, no bonds; Spectrum-X network operator configuration: ConnectX-8 and BlueField-3.
        Otherwise hash and queue pairs: Gangidi et al., SIGCOMM 2024 (Meta's E-ECMP); Habana, Expected Switch
        Configuration (Arista's default hash fields).
    """
    bonds = any(attachment_of(intent, group).bond != "none" for group in intent.hosts)
    speeds = {link.speed for _, link in fabric_links(intent)}
    switches = all(_adapts(catalog, platforms, tier.model, tier.platform, speeds) for tier in intent.tiers.values())
    nics = [catalog.nics[group.nic] for group in intent.hosts.values()]
    reorder = all(nic.out_of_order and platforms.get(nic.family, PlatformFacts()).adapts for nic in nics)
    return "adaptive" if switches and reorder and speeds and not bonds else "static"


def _adapts(
    catalog: Catalog, platforms: Mapping[str, PlatformFacts], model: str, platform: str, speeds: set[int]
) -> bool:
    """Return whether a box with its platform runs adaptive routing on links of all these speeds."""
    facts, box = platforms.get(platform, PlatformFacts()), catalog.switches.get(model)
    if box is None or not box.asic.id.startswith(facts.balancing_asics):
        return False
    return speeds <= set(facts.adaptive_gbps)


def fabric_links(intent: FabricIntent) -> Iterator[tuple[str, Links]]:
    """Yield the groups of links between two tiers of switches by name, in the order of their names."""
    between = {f"{lower}-{upper}" for lower in intent.tiers for upper in intent.tiers}
    yield from ((name, link) for name, link in sorted(intent.links.items()) if name in between)


BY_RELEASE = "by_release"
"""Weights are those of the FRRouting in the release."""


def decide_weights(
    plan: FabricPlan, asked: str, platforms: Mapping[str, PlatformFacts], asics: Sequence[Asic]
) -> PathWeights:
    """Return whether the fabric weights next hops, and how each tier does; ``asics`` are those of the plan's boxes.

    One path without a bandwidth makes all of a choice plain ECMP, so every tier has to take part. By default only
    parallel links are reason enough: without them a link that is lost withdraws the whole next hop. A platform that
    hands FRR's weights, up to 255 for each next hop, to the SDK of the ASIC does so by default only where it is
    published what that makes of them: others may repeat each next hop as often.

    Source:
        RFC 10005 (link bandwidth): a set of paths of which one has no bandwidth is not weighted. opencomputeproject/SAI
        pull request 2166: by default members are repeated in proportion to their weight.
    """
    each = [_rule(tier, platforms.get(tier.platform, PlatformFacts())) for tier in plan.boxes]
    rules = tuple(each[: len(plan.tiers)])
    parallel = _parallel_links(plan)
    if asked == "off":
        return PathWeights(False, "the intent turns weights off", rules)
    if asked == "auto" and not parallel:
        return PathWeights(False, "no two switches are joined by parallel links", rules)
    if unfit := _unfit(plan, each, asked):
        return PathWeights(False, unfit, rules)
    if asked == "auto" and (unknown := _unpublished(plan, platforms, asics)):
        return PathWeights(False, f"no public source has what the SDK of {and_list(unknown)} makes of weights", rules)
    return PathWeights(True, parallel if asked == "auto" else "the intent turns weights on", rules)


def _unfit(plan: FabricPlan, rules: Sequence[str], asked: str) -> str:
    """Return which switches weight nothing, or by default in another way than their tier; empty if none do."""
    each = [*zip(plan.boxes, rules, strict=True)]
    if lacking := sorted({tier.platform for tier, rule in each if not rule}):
        return f"{and_list(lacking)} {'is' if len(lacking) == 1 else 'are'} rendered without"
    unlike = dict.fromkeys(tier.name for tier, rule in each if rule != rules[tier.number])
    return f"switches of {and_list(unlike)} weight in unlike ways" if unlike and asked == "auto" else ""


def _unpublished(plan: FabricPlan, platforms: Mapping[str, PlatformFacts], asics: Sequence[Asic]) -> list[str]:
    """Return the ASICs that are handed weights and of which no scale of them is published."""
    handed = {name for name, facts in platforms.items() if facts.path_weights == BY_RELEASE}
    pairs = zip(plan.boxes, asics, strict=True)
    return sorted({asic.id for tier, asic in pairs if tier.platform in handed and not weight_sum(tier, asic)})


def weight_sum(tier: Tier, asic: Asic) -> int:
    """Return what the SDK scales weights of a group to, NVIDIA's by the tier's release; 0 where none is published."""
    total = asic.weight_sum_max or 0
    return min(total, tier.release.weight_sum) if asic.vendor == "nvidia" else total


def _rule(tier: Tier, facts: PlatformFacts) -> str:
    """Return how the switches of a tier weight at their release."""
    by_release = facts.path_weights == BY_RELEASE
    return weighting_rule(tier.release.routing) if by_release else facts.path_weights


def _parallel_links(plan: FabricPlan) -> str:
    """Return where parallel links are, by plan or because an exception moves a cable; empty if there are none."""
    names = [group.name for group in plan.links[1:] if group.per_pair > 1]
    moved = any(
        isinstance(link, FabricLinkId) and change.end is not None for link, change in plan.exceptions.links.items()
    )
    if names:
        return f"{and_list(names)} {'has' if len(names) == 1 else 'have'} parallel links"
    return "an exception moves a link beside another" if moved else ""
