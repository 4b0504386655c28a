"""Rows of failures: names of what fails, figures with their arithmetic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from fabricgen.analysis.fabric_load import LinkClass
from fabricgen.analysis.failure_classes import element_name, port_name
from fabricgen.analysis.failures import Effect, LinkChange
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.links import HostLink
from fabricgen.tables.sections import Row, Value


def severity(effect: Effect) -> tuple[Fraction, Fraction, Fraction, str]:
    """Sort effects: pairs that are cut, then bandwidth left, then pairs that are reduced."""
    lost, reduced = (sum(pairs.values(), Fraction(0)) for pairs in (effect.cut, effect.reduced))
    return -lost, effect.bandwidth, -reduced, str(effect.classes)


def effect_row(plan: FabricPlan, number: int, effect: Effect) -> Row:
    """One class of failures."""
    worst = effect.worst
    return {
        "class": number,
        "fails": " + ".join(each.scope for each in effect.classes),
        "example": " + ".join(element_name(plan, each.element) for each in effect.classes),
        "count": effect.size,
        "pairs_cut": count(effect.cut),
        "pairs_reduced": count(effect.reduced),
        "rails_cut": sorted(effect.cut),
        "smallest_part_arriving": share(effect.arriving) if effect.reduced else None,
        "next_hops_left": _widths(plan, effect),
        "worst_link": link_name(plan, worst.links) if worst else None,
        "load": share(worst.now) if worst else None,
        "planned_load": share(worst.planned) if worst else None,
        "bandwidth_left": share(effect.bandwidth),
        "arithmetic": _arithmetic(effect),
    }


def link_rows(plan: FabricPlan, number: int, effect: Effect) -> Iterator[Row]:
    """Yield every class of links after a class of failures."""
    for change in effect.changes:
        yield {
            "class": number,
            "link": link_name(plan, change.links),
            "count": change.links.links,
            "speed_gbps": change.links.speed_gbps,
            "planned_load": share(change.planned),
            "load": share(change.now),
            "times": share(change.now / change.planned) if change.planned else None,
        }


def _arithmetic(effect: Effect) -> str:
    """Return the worst link's load and the bandwidth with their numbers."""
    parts = [_load_text(effect.worst)] if effect.worst else []
    if effect.cut:
        parts.append("bandwidth 0: pairs are cut")
    elif effect.after:
        parts.append(f"bandwidth {float(effect.before):.4f} / {float(effect.after):.4f}")
    return "; ".join(parts)


def _load_text(change: LinkChange) -> str:
    links = change.links
    gbps = max(links.up, links.down) / links.links
    return f"load {float(gbps):.1f} / {links.speed_gbps} Gb/s"


def link_name(plan: FabricPlan, links: LinkClass) -> str:
    """Return the ends of a link that stands for others."""
    if isinstance(links.example, HostLink):
        return f"{port_name(plan, links.example.id)} - {plan.device_name(links.example.upper_end)}"
    lower, upper = links.example
    return f"{plan.device_name(lower)} - {plan.device_name(upper)}"


def _widths(plan: FabricPlan, effect: Effect) -> Value:
    """Equal next hops that are fewer, by tier and direction."""
    return ", ".join(
        f"{plan.tiers[tier].name} {'up' if upwards else 'down'} {left} of {planned}"
        for (tier, upwards), (planned, left) in sorted(effect.widths.items())
        if left < planned
    )


def count(by_rail: Mapping[int, Fraction]) -> int:
    """Return the pairs of all rails."""
    return round(sum(by_rail.values(), Fraction(0)))


def share(value: Fraction) -> float:
    """Return a figure for the eye and for programs."""
    return round(float(value), 4)
