"""The effect of every failure on a fabric, as tables: one row for each class of failures, the worst first."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from fabricgen.analysis.fabric_load import LinkLoad
from fabricgen.analysis.failures import Effect, Failures
from fabricgen.analysis.symmetry import Element, Symmetry
from fabricgen.api.show.sections import Row, Sections
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, FabricLinkId, HostId, HostLinkId
from fabricgen.plan.model.links import HostLink, link_of

METHOD = (
    ("traffic", "every NIC sends at line rate to all others of its rail, in proportion to their rates"),
    ("load", "Gb/s of that traffic on a link, in its busier direction, over the rate of the link"),
    ("bandwidth left", "highest load of any link in the plan over the highest one now, 1 at most; 0 if pairs are cut"),
    ("pairs", "of NICs of one rail, each direction by itself"),
)
"""What the figures mean."""


def show_failures(plan: FabricPlan) -> Sections:
    """Every class of single failures, and what it does.

    Args:
        plan: The plan.
    """
    failures = Failures(Symmetry(plan))
    effects = [failures.effect(each) for each in failures.single()]
    effects.sort(key=_severity)
    sections: dict[str, list[Row]] = {
        "failures": [_effect_row(plan, effect) for effect in effects],
        "method": [{"term": term, "means": means} for term, means in METHOD],
    }
    return Sections(plan.name, sections)


def element_name(plan: FabricPlan, element: Element) -> str:
    """Return what fails in words: a switch, the ends of a link, or a port of a NIC."""
    if isinstance(element, DeviceId):
        return plan.device_name(element)
    if isinstance(element, HostId):
        return plan.host_name(element)
    link = link_of(plan, element)
    upper = plan.device_name(link.upper_end)
    change = plan.exceptions.links.get(element)
    if change is not None and change.end is not None:
        upper = plan.device_name(DeviceId(link.upper_end.tier, change.end))
    if isinstance(element, FabricLinkId):
        parallel = element.position % plan.links[link.upper_end.tier].per_pair + 1
        return f"{plan.device_name(element.lower)} - {upper} n {parallel}"
    return f"{_port_name(plan, element)} - {upper}"


def _port_name(plan: FabricPlan, port: HostLinkId) -> str:
    """Return a host with the rail, and the port where its NIC has several."""
    several = plan.hosts[port.host.group].nic_ports > 1
    return f"{plan.host_name(port.host)} rail {port.rail}" + (f" port {port.port}" if several else "")


def _severity(effect: Effect) -> tuple[Fraction, Fraction, Fraction, str]:
    lost = sum(effect.cut.values(), Fraction(0))
    reduced = sum(effect.reduced.values(), Fraction(0))
    return -lost, effect.bandwidth, -reduced, str(effect.classes)


def _effect_row(plan: FabricPlan, effect: Effect) -> Row:
    """One class of failures."""
    worst = effect.worst
    return {
        "fails": " + ".join(each.scope for each in effect.classes),
        "example": " + ".join(element_name(plan, each.element) for each in effect.classes),
        "count": effect.size,
        "pairs_cut": _count(effect.cut),
        "pairs_reduced": _count(effect.reduced),
        "next_hops_left": _widths(plan, effect),
        "worst_link": link_name(plan, worst.links) if worst else None,
        "load": _figure(worst.now) if worst else None,
        "planned_load": _figure(worst.planned) if worst else None,
        "bandwidth_left": _figure(effect.bandwidth),
    }


def link_name(plan: FabricPlan, links: LinkLoad) -> str:
    """Return the ends of a link that stands for others."""
    if isinstance(links.example, HostLink):
        return f"{_port_name(plan, links.example.id)} - {plan.device_name(links.example.upper_end)}"
    lower, upper = links.example
    return f"{plan.device_name(lower)} - {plan.device_name(upper)}"


def _widths(plan: FabricPlan, effect: Effect) -> str:
    """Equal next hops that fell, by tier and direction."""
    return ", ".join(
        f"{plan.tiers[tier].name} {'up' if upwards else 'down'} {left} of {planned}"
        for (tier, upwards), (planned, left) in sorted(effect.widths.items())
        if left < planned
    )


def _count(by_rail: Mapping[int, Fraction]) -> int:
    return round(sum(by_rail.values(), Fraction(0)))


def _figure(value: Fraction) -> float:
    return round(float(value), 4)
