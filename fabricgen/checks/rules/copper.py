"""Rules on passive copper at 100G a lane: who negotiates, and what nobody has seen come up."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, Needs, PlanView, rule
from fabricgen.checks.rules.platforms import NOTES, platform_of
from fabricgen.diagnostics import Severity
from fabricgen.plan.model.topology import LinkGroup
from fabricgen.platforms.capabilities import Copper


def _groups(view: PlanView) -> list[LinkGroup]:
    """Every group of links, those of each group of hosts among them."""
    named = {link.name: link for link in view.plan.links}
    named |= {group.link.name: group.link for group in view.plan.hosts}
    return [named[name] for name in sorted(named)]


@rule(
    "FG-TOP-980",
    "Copper at 100G a lane that nobody has seen up",
    needs=Needs.PLAN,
    severity=Severity.WARNING,
    why="Both ends are told the same, but whether this box, this cable and this NIC firmware train with each other is "
    "in no public text; where they do not, the link stays down and no counter says why.",
    fix="Bring one such link up, look at its speed, FEC and error rate, and waive this with what was seen.",
    source=NOTES,
)
def check_copper(view: PlanView) -> Iterator[Finding]:
    """Copper whose bring-up is neither documented for its ends nor calibrated for its length."""
    for link in _groups(view):
        tiers = [view.plan.tiers[number] for number in (link.lower, link.upper) if number >= 0]
        way = link.autoneg(link.media, link.length_m)
        unsure = [
            tier.name
            for tier in tiers
            if (spec := view.switch(tier.platform)) and spec.switch.copper_negotiation is not Copper.DOCUMENTED
        ]
        if not way or not unsure or (way == "off" and link.length_m in link.calibrated_m):
            continue
        what = "negotiates" if way == "on" else "is forced, as its switches cannot negotiate,"
        yield Finding(
            f"{link.length_m:g} m of {link.media} at {link.speed_gbps}G over {link.lanes} lanes {what} at both ends; "
            f"that {' and '.join(unsure)} bring{'s' if len(unsure) == 1 else ''} it up is unconfirmed",
            ("links", link.name, "cable", "media"),
            hint="use mmf or aoc, or waive this once such a link is seen up",
            related=platform_of(unsure[0]),
        )
