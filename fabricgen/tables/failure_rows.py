"""Rows of failures: what fails, its effect, the flows it hits, the time until they move, and hosts lost as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from fabricgen.analysis.fabric_load import LinkClass
from fabricgen.analysis.failure_classes import element_name, port_name
from fabricgen.analysis.failures import (
    Effect,
    LinkChange,
    PlanFailures,
    list_lost_hosts,
    measure_reachability,
)
from fabricgen.analysis.recovery import FlowMove, Recovery, list_moves, time_moved, timers_of
from fabricgen.analysis.timing import TimerPair
from fabricgen.plan.model.cabling import HostLink
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.tables.sections import Row, Value
from fabricgen.tables.timers import pair_row, rounded


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


def moved_row(plan: FabricPlan, effect: Effect, recoveries: Sequence[Recovery]) -> Row:
    """Return how long traffic takes to move, the slower one of two failures; empty where nothing moves all of it."""
    found = [time_moved(plan, each.scope, recoveries) for each in effect.classes]
    moved = [each for each in found if each is not None]
    stays = bool(effect.cut or effect.reduced)
    silent = max(moved, key=lambda each: _or_never(each.silent_ms), default=None)
    dark = max(moved, key=lambda each: _or_never(each.dark_ms), default=None)
    return {
        "moved_ms": rounded(dark.dark_ms) if dark and not stays else None,
        "silent_moved_ms": rounded(silent.silent_ms) if silent and not stays else None,
        "silent_noticed_by": silent.noticed_by if silent else None,
    }


def _or_never(milliseconds: float | None) -> float:
    return float("inf") if milliseconds is None else milliseconds


def timer_rows(plan: FabricPlan, number: int, effect: Effect, pairs: Sequence[TimerPair]) -> Iterator[Row]:
    """Yield the pairs of timers that a class of failures involves, the shortest first, each with its margin."""
    involved = {pair for each in effect.classes for pair in timers_of(plan, each.scope, pairs)}
    for pair in pairs:
        if pair in involved:
            yield {"class": number, **pair_row(pair)}


def reachability_rows(
    failures: PlanFailures, number: int, effect: Effect, recoveries: Sequence[Recovery]
) -> Iterator[Row]:
    """Yield a row for each part of the flows that a class of failures hits, and when it recovers."""
    plan = failures.symmetry.plan
    reach = measure_reachability(failures, effect)
    for move in list_moves(plan, effect, reach, recoveries):
        yield {
            "class": number,
            "fails": " + ".join(each.scope for each in effect.classes),
            "example": " + ".join(element_name(plan, each.element) for each in effect.classes),
            "pairs": reach.pairs,
            "pairs_with_a_path": reach.with_a_path,
            "flows_hit_pct": None if reach.hit is None else percent(reach.hit),
            **_move_row(move),
        }


def _move_row(move: FlowMove) -> Row:
    return {
        "flows": move.flows,
        "flows_pct": percent(move.part),
        "moved_by": move.moved_by,
        "moved_ms": rounded(move.dark_ms),
        "silent_moved_by": move.silent_by,
        "silent_moved_ms": rounded(move.silent_ms),
        "exact": str(move.part),
    }


def percent(part: Fraction) -> float:
    """Return a part in percent, with three digits that count."""
    return float(f"{float(part * 100):.3g}")


def lost_host_rows(failures: PlanFailures) -> Iterator[Row]:
    """Yield every class of hosts, and what is left for the others when one of them fails."""
    plan = failures.symmetry.plan
    for each in list_lost_hosts(failures):
        effect = each.effect
        more = (change.links.links for change in effect.changes if change.now > change.planned)
        yield {
            "hosts": plan.hosts[each.host.group].name,
            "example": plan.host_name(each.host),
            "count": each.size,
            "ports_lost": each.ports,
            "leafs": each.leafs,
            "pairs_of_the_host": each.own_pairs,
            "other_pairs_cut": each.others_cut,
            "links_with_more_load": sum(more),
            "highest_load": share(effect.after),
            "planned_highest_load": share(effect.before),
        }
