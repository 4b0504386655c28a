"""Rules on passive copper at 100G a lane: which devices negotiate, and combinations without evidence."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.beyond import NOTES
from fabricgen.checks.model import Finding, PlanView, rule
from fabricgen.checks.rules.excepted_switches import group_of, place_of_cable
from fabricgen.checks.rules.platforms import platform_of
from fabricgen.diagnostics import IntentPath, Severity, set_to
from fabricgen.diagnostics.words import and_list, counted
from fabricgen.plan.model.topology import LinkGroup
from fabricgen.platforms.manifest.capabilities import Copper


def _groups(view: PlanView) -> list[LinkGroup]:
    """Every group of links, those of each group of hosts among them."""
    named = {link.name: link for link in view.plan.links}
    named |= {group.link.name: group.link for group in view.plan.hosts}
    return [named[name] for name in sorted(named)]


@rule(
    "FG-TOP-980",
    "Copper at 100G per lane, not proven to link up",
    severity=Severity.WARNING,
    why=(
        "Both ends are configured alike, but no public source confirms that this switch, this cable and this NIC "
        "firmware train with each other. Where they do not, the link stays down and no counter shows why."
    ),
    fix="Bring one such link up, look at its speed, FEC and error rate, and waive this with what was seen.",
    source=NOTES,
)
def check_copper(view: PlanView) -> Iterator[Finding]:
    """Copper whose bring-up is neither documented for its ends nor calibrated for its length."""
    for link in _groups(view):
        yield from _unconfirmed(view, link, link.media, link.length_m, ("links", link.name, "cable", "media"))
    reported: set[tuple[str, str, float]] = set()
    for identity, change in view.plan.exceptions.links.items():
        link = group_of(view.plan, identity)
        media, length_m = change.media or link.media, change.length_m or link.length_m
        cable = (link.name, media, length_m)
        is_own = (media, length_m) != (link.media, link.length_m) and link.autoneg(media, length_m)
        if is_own and cable not in reported:
            reported.add(cable)
            yield from _unconfirmed(view, link, media, length_m, place_of_cable(view, identity))


def _unconfirmed(view: PlanView, link: LinkGroup, media: str, length_m: float, path: IntentPath) -> Iterator[Finding]:
    """The finding on cables of one medium and length in a group of links."""
    tiers = [view.plan.tiers[number] for number in (link.lower, link.upper) if number >= 0]
    way = link.autoneg(media, length_m)
    unsure = [
        tier.name
        for tier in tiers
        if (spec := view.switch(tier.platform)) and spec.switch.copper_negotiation is not Copper.DOCUMENTED
    ]
    if not way or not unsure or (way == "off" and length_m in link.calibrated_m):
        return
    what = "negotiates" if way == "on" else "is forced, as its switches cannot negotiate,"
    yield Finding(
        f"{length_m:g} m of {media} at {link.speed_gbps}G over {counted(link.lanes, 'lane')} {what} at both ends; "
        f"no source confirms that it comes up on {and_list(unsure)}",
        path,
        hint="use media: mmf or aoc, or waive this once such a link is seen up",
        fixes=set_to(path, "aoc", hinted=True),
        related=platform_of(unsure[0]),
    )
