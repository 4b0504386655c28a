"""Rules on BGP, BFD, ECMP and timers."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, Needs, PlanView, rule
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.intent.topology import HashWord
from fabricgen.physics.timers import detection_s, retry_budget_s

TIMER_MARGIN = 2.0
"""A retry budget below twice the detection time leaves nothing for route withdrawal and reprogramming."""


def tier_key(view: IntentView | PlanView, tier: str, key: str) -> IntentPath:
    """Path of an ECMP setting: the tier's own if it has one, else the fabric's."""
    own = view.intent.tiers[tier].ecmp
    if own is not None and getattr(own, key) is not None:
        return ("tiers", tier, "ecmp", key)
    return ("routing", "ecmp", key)


@rule(
    "FG-RTE-010",
    "BFD asked where it does not run",
    needs=Needs.INTENT,
    why="Failures would be noticed by the hold timer only, although the intent says otherwise.",
    fix="Use bfd: auto or off, or another platform.",
    source="The platform's NOTES.md",
)
def check_bfd(view: IntentView) -> Iterator[Finding]:
    """BFD is asked only of platforms that run it."""
    if view.intent.routing.bfd != "on":
        return
    for name, tier in sorted(view.intent.tiers.items()):
        spec = view.platforms.get(tier.platform)
        if spec is not None and not spec.capabilities.get("bfd", False):
            yield Finding(
                f"tier {name!r} runs {tier.platform}, which has no BFD",
                ("routing", "bfd"),
                hint="use auto",
                related=(Related("the platform", ("tiers", name, "platform")),),
            )


@rule(
    "FG-RTE-011",
    "Fewer equal-cost paths than planned",
    needs=Needs.PLAN,
    why="Links beyond max_paths carry nothing, and the oversubscription is worse than planned.",
    fix="Use max_paths: auto, or at least the planned width.",
    source="RFC 7938 section 6.1",
)
def check_max_paths(view: PlanView) -> Iterator[Finding]:
    """The ECMP width covers every planned uplink."""
    for tier in view.plan.tiers[:-1]:
        link = view.plan.links[tier.number + 1]
        width = link.width * link.per_pair
        if tier.routing.max_paths < width:
            yield Finding(
                f"max_paths is {tier.routing.max_paths}; tier {tier.name!r} has {width} equal-cost uplinks",
                tier_key(view, tier.name, "max_paths"),
                hint="use auto",
                related=(Related("the links", ("links", link.name)),),
            )


@rule(
    "FG-RTE-012",
    "ECMP width above what the ASIC takes",
    needs=Needs.PLAN,
    why="The ASIC refuses the group or installs fewer next hops than routing believes.",
    fix="Use fewer uplinks per switch.",
    source="The ASIC's file in the catalog",
)
def check_asic_width(view: PlanView) -> Iterator[Finding]:
    """No group is wider than the ASIC's widest."""
    for tier in view.plan.tiers:
        asic = view.catalog.switches[view.intent.tiers[tier.name].model].asic
        limit = asic.ecmp_width_max
        if limit and tier.routing.max_paths > limit:
            yield Finding(
                f"tier {tier.name!r} has groups of {tier.routing.max_paths} next hops; {asic.id} takes {limit}",
                tier_key(view, tier.name, "max_paths"),
                hint=f"use {limit} or fewer",
                related=(Related("the model", ("tiers", tier.name, "model")),),
            )


@rule(
    "FG-RTE-013",
    "The platform cannot hash on this",
    needs=Needs.INTENT,
    why="Without the field, few and large RoCE flows collide on a link.",
    fix="Leave the word out, or choose a platform that reads the field.",
    source="The platform's NOTES.md; sonic-hash.yang has no BTH field",
)
def check_hash_words(view: IntentView) -> Iterator[Finding]:
    """Every hash word is one the platform can express."""
    for name, tier in sorted(view.intent.tiers.items()):
        spec = view.platforms.get(tier.platform)
        own = tier.ecmp.hash if tier.ecmp and tier.ecmp.hash is not None else view.intent.routing.ecmp.hash
        for word in own if spec else ():
            if word != "five_tuple" and spec and not spec.capabilities.get(f"hash_{word}", False):
                yield Finding(
                    f"tier {name!r} asks for {word}, which {tier.platform} cannot hash on",
                    tier_key(view, name, "hash"),
                    hint="use five_tuple",
                    related=(Related("the platform", ("tiers", name, "platform")),),
                )


@rule(
    "FG-RTE-014",
    "Tiers that cannot be decorrelated",
    needs=Needs.PLAN,
    severity=Severity.WARNING,
    why="With the same hash at two tiers the second sees only the flows the first chose: next hops lie idle.",
    fix="Use a platform with a seed or several algorithms, or state decorrelate: off.",
    source="sonic-net/sonic-buildimage 17215; roce ECMP vectors: m2 / gcd(m1, m2) next hops remain",
)
def check_decorrelation(view: PlanView) -> Iterator[Finding]:
    """Neighbouring tiers can hash differently."""
    for tier in view.plan.tiers[1:]:
        spec = view.platforms.get(tier.platform)
        if spec is None or not tier.routing.hash_rank or tier.number == len(view.plan.tiers) - 1:
            continue
        if spec.capabilities.get("hash_seed_unrendered", False):
            continue
        if tier.routing.hash_rank >= len(spec.hash_algorithms):
            yield Finding(
                f"{tier.platform} has {len(spec.hash_algorithms)} hash algorithms; tier {tier.name!r} needs its own",
                tier_key(view, tier.name, "decorrelate"),
                hint="state decorrelate: off to accept it",
            )


@rule(
    "FG-RTE-015",
    "Decorrelation off",
    needs=Needs.INTENT,
    severity=Severity.WARNING,
    why="With the same hash at two tiers the second sees only the flows the first chose: next hops lie idle.",
    fix="Use decorrelate: auto.",
    source="sonic-net/sonic-buildimage 17215",
)
def check_decorrelate_off(view: IntentView) -> Iterator[Finding]:
    """Say aloud that tiers polarise."""
    tiers = view.intent.tiers
    if view.intent.routing.ecmp.decorrelate == "off" and len(tiers) > 2:
        yield Finding(
            "decorrelate is off: tiers hash alike and traffic polarises",
            ("routing", "ecmp", "decorrelate"),
            hint="use auto",
        )
    for name, tier in sorted(tiers.items()):
        if tier.ecmp and tier.ecmp.decorrelate == "off" and len(tiers) > 2:
            yield Finding(
                f"decorrelate is off for tier {name!r}: it hashes like its neighbour",
                ("tiers", name, "ecmp", "decorrelate"),
                hint="use auto",
            )


@rule(
    "FG-RTE-016",
    "A hash word twice",
    needs=Needs.INTENT,
    why="The second changes nothing and hides a slip.",
    fix="Name every word once.",
    source="docs/intent.md, routing",
)
def check_hash_once(view: IntentView) -> Iterator[Finding]:
    """Hash words are unique."""
    named: list[tuple[IntentPath, list[HashWord]]] = [(("routing", "ecmp", "hash"), view.intent.routing.ecmp.hash)]
    named += [
        (("tiers", name, "ecmp", "hash"), tier.ecmp.hash)
        for name, tier in sorted(view.intent.tiers.items())
        if tier.ecmp and tier.ecmp.hash
    ]
    for path, words in named:
        for word in sorted({word for word in words if words.count(word) > 1}):
            yield Finding(f"{word} is named {words.count(word)} times", path, hint="name it once")
        if "five_tuple" not in words:
            yield Finding(
                "five_tuple is missing; without it all flows of a pair share one link", path, hint="add five_tuple"
            )


@rule(
    "FG-RTE-017",
    "Retries run out before a failure is noticed",
    needs=Needs.PLAN,
    why="The job dies of a link failure that routing would have healed a moment later.",
    fix="Raise timeout_exponent or retry_count, or run BFD.",
    source="InfiniBand Architecture Specification (local ACK timeout); RFC 5880; NVIDIA/nccl NCCL_IB_TIMEOUT",
)
def check_retry_budget(view: PlanView) -> Iterator[Finding]:
    """The retry budget covers the slowest failure detection twice."""
    c = view.intent.collectives
    budget = retry_budget_s(c.timeout_exponent, c.retry_count)
    for tier in view.plan.tiers:
        r = tier.routing
        detection = detection_s(r.bfd, r.bfd_multiplier, r.bfd_interval_ms, r.hold_s)
        if budget < TIMER_MARGIN * detection:
            yield Finding(
                f"a queue pair gives up after {budget:.2f} s; tier {tier.name!r} notices a silent failure after "
                f"{detection:.2f} s, which leaves less than {TIMER_MARGIN:g} times that",
                ("collectives", "timeout_exponent"),
                hint="use timeout_exponent: 20",
                related=(Related("retries", ("collectives", "retry_count")), Related("bfd", ("routing", "bfd"))),
            )
            return
