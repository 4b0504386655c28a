"""Rules on what a fabric comes to: ratios that are not stated, and expectations that do not hold for now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.analysis.capacity import tier_oversubscription
from fabricgen.checks.model import Finding, PlanView, rule
from fabricgen.checks.rules.expectations import survived_failures
from fabricgen.diagnostics import Related, Severity, set_to
from fabricgen.physics.capacity import reduced
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, FabricLinkId
from fabricgen.plan.model.links import FabricLink, uplinks
from fabricgen.plan.model.numbering import Coordinates
from fabricgen.plan.model.topology import Tier


@rule(
    "FG-TOP-044",
    "Oversubscription that expect does not state",
    severity=Severity.INFO,
    why=(
        "A missing link per pair or a slower uplink changes the ratio and nothing else; an expectation makes it "
        "an error."
    ),
    fix="State it: expect.oversubscription.",
    source="RFC 7938 section 3.2; docs/intent.md, expect",
)
def check_ratio_stated(view: PlanView) -> Iterator[Finding]:
    """A tier that offers less upwards than it takes from below has its ratio stated."""
    for tier in view.plan.tiers:
        ratio = tier_oversubscription(view.plan, tier)
        if ratio is None or ratio[0] <= ratio[1] or tier.name in view.intent.expect.oversubscription:
            continue
        link = view.plan.links[tier.number + 1]
        yield Finding(
            f"tier {tier.name!r} is oversubscribed {ratio[0]}:{ratio[1]}, which expect.oversubscription does not state",
            ("links", link.name),
            on_key=True,
            hint=f'if this is intended, write expect: {{oversubscription: {{{tier.name}: "{ratio[0]}:{ratio[1]}"}}}}',
            fixes=set_to(("expect", "oversubscription", tier.name), f"{ratio[0]}:{ratio[1]}"),
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
                yield Finding(
                    f"{situation}, tier {lower!r} is oversubscribed up to {down}:{up}",
                    ("expect", "oversubscription", lower),
                    hint="bring the switches back, or waive this until they are",
                    related=related,
                )
        failures, survived = expect.failures.get(tier.name, 0), survived_failures(plan, tier)
        if survived - lost.switches < failures <= survived:
            yield Finding(
                f"{situation}, it survives {max(survived - lost.switches, 0)} further failures",
                ("expect", "failures", tier.name),
                hint="bring the switches back, or waive this until they are",
                related=related,
            )


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
    """Return the places where exceptions make switches absent, and where they move cables to them."""
    for item, path in view.intent.placed_exceptions:
        if item.device in gone and item.state == "absent":
            yield Related(f"{item.device} is absent", (*path, "state"))
        elif item.to in gone:
            yield Related(f"a cable is moved to {item.to}", (*path, "to"))
