"""Rules that hold the result against the user's expectations, now and after failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple, TypeVar

from fabricgen.analysis.capacity import count_gpus, tier_oversubscription, uplinks_of
from fabricgen.analysis.cells import Symmetry
from fabricgen.analysis.failures import Effect, PlanFailures
from fabricgen.checks.model import Finding, PlanView, find_unknown, further, rule
from fabricgen.diagnostics import Related, Severity, format_path
from fabricgen.diagnostics.words import counted
from fabricgen.physics.capacity import reduced
from fabricgen.plan.model.cabling import FabricLink, uplinks
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import Coordinates, DeviceId, FabricLinkId
from fabricgen.plan.model.topology import Tier, UnitKind
from fabricgen.plan.planner.factors import takes_part

DOCS = "docs/intent.md, expect"
V = TypeVar("V")


@rule(
    "FG-EXP-001",
    "The plan is not what is expected of it",
    why="The fabric is not the one that was ordered: it has other GPUs or paths, carries or survives less, "
    "or pays for ports that are idle.",
    fix="Correct counts, speeds or links of the tier, or the expectation.",
    source="docs/intent.md, expect; RFC 2992 section 2 (equal-cost paths get equal shares); RFC 7938 section 3.2 "
    "(oversubscription); docs/failures.md",
)
def check_numbers(view: PlanView) -> Iterator[Finding]:
    """Next hops upwards, and devices that a tier may lose, are as expected."""
    for tier, name, expected in _expected(view, view.intent.expect.paths):
        actual = uplinks_of(view.plan.links[tier.number + 1], _kind(view, name)) if tier.up else 0
        if actual != expected:
            path = ("expect", "paths", name)
            planned = f"set {format_path(path)} to {actual} if the plan is right"
            message = f"expected {expected} equal-cost paths upwards from {_words(name)}, computed {actual}"
            hint = planned if actual else f"remove it: {name!r} is the top tier"
            related = takes_part(view.intent, view.factors().ports_up(tier.number))
            yield Finding(message, path, hint=hint, related=related)
    for tier, name, expected in _expected(view, view.intent.expect.failures):
        survived = survived_failures(view.plan, tier)
        if survived < expected:
            path = ("expect", "failures", name)
            message = f"expected tier {name!r} to survive {counted(expected, 'failure')}, computed {survived}"
            hint = f"set {format_path(path)} to {survived} if the plan is right"
            related = takes_part(view.intent, view.factors().siblings(tier.number))
            yield Finding(message, path, hint=hint, related=related)


@further("FG-EXP-001")
def check_gpus(view: PlanView) -> Iterator[Finding]:
    """GPUs, spares apart, are as expected."""
    expected, actual = view.intent.expect.gpus, count_gpus(view.plan)
    if expected is not None and expected != actual:
        gone = {item.host for item, _ in view.intent.placed_exceptions if item.host and item.state == "absent"}
        message = f"expected {expected} GPUs, computed {actual}{' without the absent hosts' if gone else ''}"
        path = ("expect", "gpus")
        related = (*_places(view, gone), *takes_part(view.intent, view.factors().gpus()))
        yield Finding(message, path, hint=f"set expect.gpus to {actual} if the plan is right", related=related)


def _expected(view: PlanView, values: Mapping[str, V]) -> Iterator[tuple[Tier, str, V]]:
    """Yield tiers by name with what is expected of each; one that does not exist is reported as such."""
    tiers = {tier.name: tier for tier in view.plan.tiers}
    # The plan ends at a tier where it had to stop, which is not what is meant.
    is_whole = len(view.intent.links) <= len(tiers) + len(view.intent.hosts) - 1 and len(view.intent.tiers) == len(
        tiers
    )
    for name in sorted(values):
        tier = tiers.get(name.partition(".")[0])
        if tier and (tier.up or is_whole) and name in _known(view):
            yield tier, name, values[name]


def _known(view: PlanView) -> list[str]:
    """Names of tiers, and ``leaf.kind`` for the leafs of each kind of units."""
    return [
        *view.intent.tiers,
        *(f"{view.plan.tiers[0].name}.{kind.name}" for kind in view.plan.kinds if not kind.is_absent),
    ]


def _kind(view: PlanView, name: str) -> UnitKind | None:
    return next((kind for kind in view.plan.kinds if kind.name == name.partition(".")[2]), None)


def _words(name: str) -> str:
    tier, _, kind = name.partition(".")
    return f"tier {tier!r}" + f" in units of kind {kind!r}" * bool(kind)


@further("FG-EXP-001")
def check_oversubscription(view: PlanView) -> Iterator[Finding]:
    """Each tier's ratio as expected, exact or at its written precision."""
    for tier, name, expected in _expected(view, view.intent.expect.oversubscription):
        ratio = tier_oversubscription(view.plan, tier, _kind(view, name))
        path = ("expect", "oversubscription", name)
        if ratio is None:
            text = f"{name!r} is the top tier and has no oversubscription"
            yield Finding(text, path, on_key=True, hint="remove it")
        elif not expected.matches(*ratio):
            down, up = ratio
            wanted = _written(expected.numerator, expected.denominator)
            message = f"expected oversubscription {wanted} at {_words(name)}, computed {down}:{up} ({down / up:.4g})"
            hint = f'set {format_path(path)} to "{down}:{up}" if the plan is right'
            yield Finding(message, path, hint=hint, related=_both_sides(view, tier))


def _both_sides(view: PlanView, tier: Tier) -> tuple[Related, ...]:
    """Return what a tier's ratio is made of: the ports below, then those above."""
    factors = view.factors()
    number = tier.number
    return takes_part(view.intent, (*factors.ports_down(number), *factors.ports_up(number), *factors.speeds(number)))


def _written(numerator: int, denominator: int) -> str:
    return f"{numerator / denominator:g}" if denominator in (1, 10, 100, 1000) else f"{numerator}:{denominator}"


def survived_failures(plan: FabricPlan, tier: Tier) -> int:
    """Return how many devices of a tier may fail before a rail is cut off: all but one that it goes through."""
    members = min(group.leafs_per_group for group in plan.hosts)
    if not tier.number:
        return tier.counts.plane * members - 1
    return tier.counts.plane * tier.counts.index * _groups_of_a_rail(plan, tier, members) - 1


def _groups_of_a_rail(plan: FabricPlan, tier: Tier, members: int) -> int:
    """Stripe groups of a tier that the same rail goes through: what is striped by index stands in for each other."""
    lower, pattern = plan.tiers[tier.number - 1], plan.links[tier.number].pattern
    if pattern == "stripe_index":
        return tier.counts.group if lower.number else members
    return _groups_of_a_rail(plan, lower, members) if pattern == "stripe_rail" and lower.number else 1


@further("FG-QOS-033")
def check_expected_tiers(view: PlanView) -> Iterator[Finding]:
    """Expectations name tiers of the fabric."""
    names = _known(view)
    expect = view.intent.expect
    message = f"there is no tier {{name!r}}; tiers are {', '.join(names)}"
    for key, values in (
        (("oversubscription",), expect.oversubscription),
        (("paths",), expect.paths),
        (("failures",), expect.failures),
        (("bandwidth", "after_one"), expect.bandwidth.after_one),
    ):
        yield from find_unknown(values, names, ("expect", *key), message)


@rule(
    "FG-TOP-044",
    "Oversubscription that expect does not state",
    severity=Severity.INFO,
    why="A missing link per pair or a slower uplink changes the ratio and nothing else; an expectation makes it "
    "an error.",
    fix="State it: expect.oversubscription.",
    source="RFC 7938 section 3.2; docs/intent.md, expect",
)
def check_ratio_stated(view: PlanView) -> Iterator[Finding]:
    """A tier that offers less upwards than it takes from below has its ratio stated."""
    plan, stated = view.plan, view.intent.expect.oversubscription
    leaf = plan.tiers[0].name
    kinds = [(plan.tiers[0], kind, f"{leaf}.{kind.name}") for kind in plan.kinds if kind.uplinks]
    for tier, kind, name in [*((tier, None, tier.name) for tier in plan.tiers), *kinds]:
        ratio = tier_oversubscription(plan, tier, kind)
        if ratio is None or ratio[0] <= ratio[1] or name in stated:
            continue
        link = view.plan.links[tier.number + 1]
        yield Finding(
            f"{_words(name)} is oversubscribed {ratio[0]}:{ratio[1]}, which expect.oversubscription does not state",
            ("units", "kinds", kind.name, "uplinks") if kind else ("links", link.name),
            on_key=True,
            hint=f'if this is intended, write expect: {{oversubscription: {{{name}: "{ratio[0]}:{ratio[1]}"}}}}',
            related=(Related("what comes from below", ("links", view.plan.links[tier.number].name)),),
        )


@rule(
    "FG-TOP-045",
    "Expectation that absent switches break",
    severity=Severity.WARNING,
    why="Expectations are held against the plan. While switches are not there the fabric has less than that, and a job "
    "or a failure that was planned for does not fit.",
    fix="Bring the switches back, or waive this until they are.",
    source="RFC 7938 section 3.2; docs/intent.md, expect",
)
def check_with_absent(view: PlanView) -> Iterator[Finding]:
    """Ratio and failures are as expected with those switches that are there, too."""
    plan, expect = view.plan, view.intent.expect
    for tier in plan.tiers[1:]:
        gone = _absent(plan, tier)
        ratio = tier_oversubscription(plan, plan.tiers[tier.number - 1])
        if not gone or ratio is None:
            continue
        lower, link, lost = plan.tiers[tier.number - 1].name, plan.links[tier.number], _worst(plan, tier)
        width = link.width * link.per_pair
        situation = f"with {len(gone)} of {tier.size} switches of tier {tier.name!r} absent"
        related = tuple(_places(view, gone))
        wanted, left = expect.oversubscription.get(lower), width - lost.links
        if wanted is not None and left > 0:
            down, up = reduced(ratio[0] * width, ratio[1] * left)
            if down * wanted.denominator > wanted.numerator * up and wanted.matches(*ratio):
                message = f"{situation}, tier {lower!r} is oversubscribed up to {down}:{up}"
                hint = "bring the switches back, or waive this until they are"
                yield Finding(message, ("expect", "oversubscription", lower), hint=hint, related=related)
        failures, survived = expect.failures.get(tier.name, 0), survived_failures(plan, tier)
        if survived - lost.switches < failures <= survived:
            message = f"{situation}, it survives {max(survived - lost.switches, 0)} further failures"
            path = ("expect", "failures", tier.name)
            yield Finding(message, path, hint="bring the switches back, or waive this until they are", related=related)


def _absent(plan: FabricPlan, tier: Tier) -> set[str]:
    """Names of a tier's switches that are not there."""
    known = plan.exceptions.switches
    return {plan.device_name(each) for each in known if each.tier == tier.number and plan.exceptions.is_absent(each)}


class Lost(NamedTuple):
    """Upper switches that one lower switch no longer meets, and links that lead to none."""

    switches: int
    links: int


def _worst(plan: FabricPlan, tier: Tier) -> Lost:
    """The most that a lower switch misses because upper ones are absent, cables that were moved included."""
    gone = Counter(
        each.where._replace(index=0)
        for each in plan.exceptions.switches
        if each.tier == tier.number and plan.exceptions.is_absent(each)
    )
    regular = max(gone.values(), default=0)
    found = [Lost(regular, regular * plan.links[tier.number].per_pair), *_moved(plan, tier)]
    return Lost(max(lost.switches for lost in found), max(lost.links for lost in found))


def _moved(plan: FabricPlan, tier: Tier) -> Iterator[Lost]:
    """Yield the links that each lower switch with a moved cable misses."""
    known, lower = plan.exceptions.links, plan.tiers[tier.number - 1]
    moved = {
        link.lower for link, found in known.items() if isinstance(link, FabricLinkId) and found.end and not found.state
    }
    for device in moved:
        if device.tier != lower.number or plan.exceptions.is_absent(device):
            continue
        ends = [(planned.upper, _end(plan, planned)) for planned in uplinks(plan, lower, device.where)]
        there = [end for _, end in ends if not plan.exceptions.is_absent(DeviceId(tier.number, end))]
        yield Lost(len({planned for planned, _ in ends}) - len(set(there)), len(ends) - len(there))


def _end(plan: FabricPlan, link: FabricLink) -> Coordinates:
    """The upper end that a link really has."""
    found = plan.exceptions.links.get(link.id)
    return found.end if found and found.end else link.upper


def _places(view: PlanView, gone: set[str]) -> Iterator[Related]:
    """Return the places where exceptions make devices absent, and where they move cables to them."""
    for item, path in view.intent.placed_exceptions:
        if (name := item.device or item.host) in gone and item.state == "absent":
            yield Related(f"{name} is absent", (*path, "state"))
        elif item.to in gone:
            yield Related(f"a cable is moved to {item.to}", (*path, "to"))


DIGITS = 10_000
"""A proposed value has four digits, rounded down."""


@further("FG-EXP-001")
def check_bandwidth(view: PlanView) -> Iterator[Finding]:
    """The plan without its exceptions keeps the expected bandwidth, whichever switch of the tier is lost."""
    wanted = list(_expected(view, view.intent.expect.bandwidth.after_one))
    if not wanted:
        return
    failures = PlanFailures(Symmetry(view.plan._replace(exceptions=view.plan.planned)))
    for tier, name, expected in wanted:
        worst = min(map(failures.effect, failures.single([name])), key=lambda effect: effect.bandwidth)
        if worst.bandwidth >= Fraction(str(expected)):
            continue
        path = ("expect", "bandwidth", "after_one", name)
        left = int(worst.bandwidth * DIGITS) / DIGITS
        yield Finding(
            f"expected {expected:g} of the all-to-all bandwidth after the loss of one switch of tier {name!r}, "
            f"computed {left:g}{_reason(worst)}",
            path,
            hint=f"set {format_path(path)} to {left:g} if the plan is right"
            if left
            else "remove it, or attach the hosts to two leafs",
            related=takes_part(view.intent, view.factors().siblings(tier.number)),
        )


def _reason(worst: Effect) -> str:
    """Return how the figure comes about."""
    if worst.cut:
        return f": it cuts off {round(sum(worst.cut.values()))} pairs of NICs"
    return (
        f": the busiest link carries {float(worst.before):.4g} of its rate in the plan, {float(worst.after):.4g} then"
    )
