"""Rules on how switches choose among equal paths, as far as platforms and NICs take part."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.catalog.host_records import NicModel
from fabricgen.checks.model import Finding, IntentView, PlanView, rule
from fabricgen.checks.rules.hashing import hash_of_tier
from fabricgen.checks.rules.platforms import NOTES, platform_of, tier_platforms
from fabricgen.checks.rules.tier_settings import ecmp_of, hash_of, tier_key
from fabricgen.checks.rules.topology import host_path
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.diagnostics.words import and_list
from fabricgen.platforms.manifest.capabilities import PathWeights
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.platforms.views.hashing import find_hash

HASHED = ("auto", "static")
"""Words of the intent with which nothing but the hash, or the makers' advice, chooses."""
SPRAYED = ("per_packet", "adaptive")
"""Words with which packets of one flow take several paths."""


@rule(
    "FG-RTE-902",
    "Load balancing that the platform does not render",
    why="The intent is understood, but nothing would be rendered from it; a silent omission is worse than an error.",
    fix="Use load_balancing: auto or static, or a platform, an ASIC and a speed that are documented for it.",
    source=NOTES,
)
def check_load_balancing(view: IntentView) -> Iterator[Finding]:
    """Flowlets, spraying and adaptive routing only where the platform has them, on documented ASICs and speeds."""
    for name, spec in tier_platforms(view):
        word = ecmp_of(view, name).load_balancing
        path = tier_key(view, name, "load_balancing")
        if word in HASHED:
            continue
        speeds, of_tier = spec.switch.balances_at(word), f"load_balancing {word!r} of tier {name!r}"
        model = view.catalog.switches.get(view.intent.tiers[name].model)
        asics = spec.switch.balancing_asics
        if speeds == ():
            other = next((w for w in ("adaptive", "flowlet") if spec.switch.balances_at(w) != ()), "static")
            message = f"{of_tier} is not rendered for {spec.name} yet"
            yield Finding(message, path, hint=f"use {other}", value=other, related=platform_of(name))
        elif model and asics is not None and not model.asic.id.startswith(asics):
            message = f"{of_tier}: {spec.name} documents it on {and_list(asics)}, {model.id} has {model.asic.id}"
            model_place = Related("the model", ("tiers", name, "model"))
            yield Finding(message, path, hint="use static", value="static", related=(*platform_of(name), model_place))
        elif word != "adaptive":
            yield from _at_other_speeds(view, name, spec, word, path)


def _at_other_speeds(view: IntentView, name: str, spec: PlatformSpec, word: str, path: IntentPath) -> Iterator[Finding]:
    """Yield the uplinks of a tier whose speed is not documented for a way to balance."""
    speeds = spec.switch.balances_at(word)
    for link_name, link in sorted(view.intent.links.items()):
        if link_name.startswith(f"{name}-") and speeds and link.speed not in speeds:
            yield Finding(
                f"load_balancing {word!r} of tier {name!r}: {spec.name} documents it at "
                f"{and_list(map(str, speeds))}G, {link_name} runs at {link.speed}G",
                path,
                hint="use static",
                value="static",
                related=(*platform_of(name), Related("the speed", ("links", link_name, "speed"))),
            )


@rule(
    "FG-RTE-906",
    "Weighted ECMP that the platform does not render",
    why="One path without a bandwidth makes a choice plain ECMP: weights need every tier, or change nothing.",
    fix="Use weights: auto or off, or another platform.",
    source=f"RFC 10005; {NOTES}",
)
def check_path_weights(view: IntentView) -> Iterator[Finding]:
    """Weights are asked only where every tier can."""
    if view.intent.routing.ecmp.weights != "on":
        return
    for name, spec in tier_platforms(view):
        if spec.switch.path_weights is PathWeights.NONE:
            yield Finding(
                f"weights is on; tier {name!r} runs {spec.name}, which is not rendered with weighted ECMP yet",
                ("routing", "ecmp", "weights"),
                hint="use auto",
                value="auto",
                related=platform_of(name),
            )


@rule(
    "FG-RTE-018",
    "Per-packet spraying to NICs that require order",
    why="A NIC that takes a packet out of order for a loss asks for all that follow again (go-back-N). Adaptive "
    "routing requires NICs that take part in it.",
    fix="Use static or flowlet, or NICs that place packets out of order: ConnectX-8 or BlueField-3 for adaptive.",
    source="The NIC's file in the catalog; NVIDIA Cumulus Linux user guide, Adaptive Routing",
)
def check_packet_order(view: IntentView) -> Iterator[Finding]:
    """Spraying needs NICs that place packets out of order, adaptive routing those of its maker."""
    told: set[tuple[IntentPath, str]] = set()
    for name in sorted(view.intent.tiers):
        word, path = ecmp_of(view, name).load_balancing, tier_key(view, name, "load_balancing")
        if word not in SPRAYED:
            continue
        for group_name, group in sorted(view.intent.hosts.items()):
            nic = view.catalog.nics.get(group.nic)
            family = view.nic(nic.family) if nic else None
            lacks = _lacks(word, nic, family)
            if nic is None or not lacks or (path, group_name) in told:
                continue
            told.add((path, group_name))
            yield Finding(
                f"load_balancing is {word}; {group.nic} of {group_name} {lacks}",
                path,
                hint="use static",
                value="static",
                related=(Related("the NIC", host_path(view, group_name, "nic")),),
            )


def _lacks(word: str, nic: NicModel | None, family: PlatformSpec | None) -> str:
    """Return what a NIC lacks for a way to spray; empty if nothing."""
    if nic is None:
        return ""
    if not nic.out_of_order:
        return "is not known to place packets out of order"
    alone = word == "adaptive" and family is not None and not family.nic.adaptive
    return "takes no part in the adaptive routing of the switches" if alone else ""


@rule(
    "FG-RTE-903",
    "Hash fields of this ASIC are not rendered yet",
    why="The intent is understood, but the platform sets the fields of other ASICs only.",
    fix="Use five_tuple alone, which the ASIC hashes on by default.",
    source=NOTES,
)
def check_hash_asics(view: IntentView) -> Iterator[Finding]:
    """Fields beyond the five-tuple only where the platform can set them on this ASIC."""
    for name, spec in tier_platforms(view):
        legal = spec.switch.hash_asics
        tier = view.intent.tiers[name]
        model = view.catalog.switches.get(tier.model)
        if legal is None or model is None or model.asic.id.startswith(legal):
            continue
        for word in hash_of(view, name):
            if word != "five_tuple" and spec.switch.hashes_on(word):
                yield Finding(
                    f"tier {name!r} asks for {word}; {spec.name} sets hash fields on {and_list(legal)} only, "
                    f"{tier.model} has {model.asic.id}",
                    tier_key(view, name, "hash"),
                    hint="use five_tuple",
                    value=["five_tuple"],
                    related=platform_of(name),
                )


@rule(
    "FG-RTE-904",
    "The hash seed of this platform is not rendered yet",
    severity=Severity.WARNING,
    why="The command that sets the seed of this ASIC is not documented: tiers hash alike and next hops stay idle.",
    fix="Set the seed by hand where you know the command, or use ingress_port where the platform hashes on it.",
    source=NOTES,
)
def check_hash_seed(view: PlanView) -> Iterator[Finding]:
    """Tiers that should hash differently and cannot be told to; parallel links downwards count on the highest, too."""
    for tier in view.plan.tiers[1:]:
        spec = view.switch(tier.platform)
        told = hash_of_tier(view, tier).by_rank
        if spec and tier.routing.hash_rank and not told and spec.switch.hash_seed_unrendered:
            yield Finding(
                f"tier {tier.name!r} should hash unlike its neighbors; no seed is rendered for {spec.name} on "
                f"{tier.model}, and by default every switch has the same",
                tier_key(view, tier.name, "decorrelate"),
                related=platform_of(tier.name),
            )


@rule(
    "FG-RTE-980",
    "Hash seed and hash fields not documented together",
    severity=Severity.INFO,
    why="The maker documents the command of the seed and that of the fields, and no text shows both in one "
    "configuration. Where a switch rejects one of them, tiers hash alike.",
    fix="Look at the hash of one switch of each tier before the fabric carries traffic.",
    source=NOTES,
)
def check_seed_unconfirmed(view: IntentView) -> Iterator[Finding]:
    """Say where the seed that is written is not proven on the box."""
    named: dict[str, tuple[str, str]] = {}
    for name, spec in tier_platforms(view):
        model = view.catalog.switches.get(view.intent.tiers[name].model)
        if model and spec.switch.hash_seed_unconfirmed and find_hash(spec, 0, 0, model.asic.id).seed:
            named.setdefault(spec.name, (name, spec.switch.hash_seed_unconfirmed))
    for platform, (name, doubt) in named.items():
        yield Finding(
            f"the seed of {platform}'s hash is unconfirmed: {doubt}",
            ("routing", "ecmp", "decorrelate"),
            related=platform_of(name),
        )
