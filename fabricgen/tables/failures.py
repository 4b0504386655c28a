"""The effect of every failure on a fabric, as tables: one row for each class of failures, the worst first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from fabricgen.analysis.cells import Symmetry
from fabricgen.analysis.failures import Effect, PlanFailures, list_pairs
from fabricgen.analysis.hashing import down_width
from fabricgen.analysis.recovery import list_recoveries
from fabricgen.analysis.timing import order_timers
from fabricgen.checks.rules.expectations import survived_failures
from fabricgen.intent.fabric import Expect
from fabricgen.physics.path_weights import WeightedRest, factor_with_weights, factor_without_weights, weigh_rest
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.topology import Tier
from fabricgen.tables.failure_rows import (
    effect_row,
    link_rows,
    lost_host_rows,
    moved_row,
    reachability_rows,
    severity,
    share,
    timer_rows,
)
from fabricgen.tables.qos import list_weights
from fabricgen.tables.sections import Row, Sections
from fabricgen.tables.timers import recovery_rows

Progress = Callable[[int, int], None]
"""Takes how many classes of failures are worked out, and out of how many."""
METHOD = (
    ("traffic", "every NIC sends at line rate to all others of its rail, in proportion to their rates"),
    ("load", "Gb/s of that traffic on a link, in its busier direction, over the rate of the link"),
    ("bandwidth left", "highest load of any link in the plan over the highest one now, 1 at most; 0 if pairs are cut"),
    (
        "weights",
        "of a next hop to the switch that lost links, and of one to another; load is with them, or without any",
    ),
    ("pairs", "of NICs of one rail, each direction by itself; reduced ones lose a part until senders move it"),
    (
        "moved",
        "until the last switch sends elsewhere: signal lost, or silent; what programming an ASIC takes not included",
    ),
    (
        "flows",
        "of the traffic above, each by the port that its sender's bond chose; lost ones wait until their sender moves",
    ),
    ("next hops", "equal ones of a switch, where the smallest part of the planned ones is left"),
    ("left out", "spares, absent and drained hosts; what programming an ASIC takes"),
)
"""Meaning of the figures."""


class Question(NamedTuple):
    """The choice of what is shown.

    Attributes:
        pairs: Scopes of which every two elements fail together; empty for single failures.
        links: Every class of links after every class of failures, too.
    """

    pairs: tuple[str, ...] = ()
    links: bool = False
    graceful: bool = False


def show_failures(
    plan: FabricPlan, expect: Expect, question: Question, progress: Progress = lambda done, total: None
) -> Sections:
    """Every class of failures, and what it does."""
    failures = PlanFailures(Symmetry(plan))
    effects = sorted(_effects(failures, question, progress), key=severity)
    recoveries = list_recoveries(plan, graceful=question.graceful)
    sections: dict[str, list[Row]] = {
        "failures": [
            {**effect_row(plan, number, effect), **moved_row(plan, effect, recoveries)}
            for number, effect in enumerate(effects, 1)
        ],
        "reachability": [
            row
            for number, effect in enumerate(effects, 1)
            for row in reachability_rows(failures, number, effect, recoveries)
        ],
        "lost_hosts": list(lost_host_rows(failures)),
        "recovery": recovery_rows(plan, graceful=question.graceful),
        "parallel_links": list(_parallel_rows(plan)),
        "path_weights": list_weights(plan),
        "expectations": list(_expectation_rows(plan, expect, effects)),
        "method": [{"term": term, "means": means} for term, means in METHOD],
    }
    if question.links:
        pairs = order_timers(plan, graceful=question.graceful)
        sections["timers"] = [
            row for number, effect in enumerate(effects, 1) for row in timer_rows(plan, number, effect, pairs)
        ]
        sections["links"] = [row for number, effect in enumerate(effects, 1) for row in link_rows(plan, number, effect)]
    return Sections(plan.name, sections)


def _effects(failures: PlanFailures, question: Question, progress: Progress) -> Iterator[Effect]:
    """Work out one class after the other."""
    if not question.pairs:
        classes = failures.single()
        for number, each in enumerate(classes):
            progress(number, len(classes))
            yield failures.effect(each)
        return
    pairs = list(list_pairs(failures.symmetry, question.pairs))
    for number, pair in enumerate(pairs):
        progress(number, len(pairs))
        yield failures.effect(pair.first, pair.second, size=pair.size)


def _parallel_rows(plan: FabricPlan) -> Iterator[Row]:
    """Yield what the rest of parallel links has to carry when some are lost."""
    for tier in plan.tiers[1:]:
        links, width = plan.links[tier.number], down_width(plan, tier)
        total = links.width * links.per_pair
        for lost in range(1, links.per_pair):
            without, weighted = factor_without_weights(width, lost), factor_with_weights(total, lost)
            rest = _weighted(plan, tier, lost)
            load = rest.load if rest else without
            yield {
                "link": links.name,
                "parallel": links.per_pair,
                "lost": lost,
                "load_without_weights": share(without),
                "load_with_weights": share(weighted),
                "load": share(load),
                "exact": str(load),
                "weights": f"{rest.fewer}:{rest.full}" if rest else None,
                "arithmetic": f"{width} / ({width} - {lost}); {total} / ({total} - {lost})",
            }


def _weighted(plan: FabricPlan, tier: Tier, lost: int) -> WeightedRest | None:
    """Return what the tier below a switch does that lost some of its links to a destination; None without weights."""
    if not plan.weights.on:
        return None
    links = plan.links[tier.number]
    return weigh_rest(down_width(plan, tier), lost, links.width, links.per_pair, plan.weights.rules[tier.number - 1])


def _expectation_rows(plan: FabricPlan, expect: Expect, effects: Sequence[Effect]) -> Iterator[Row]:
    """Yield what the intent expects of failures, beside what the fabric has with its exceptions."""
    tiers = {tier.name: tier for tier in plan.tiers}
    for name, wanted in sorted(expect.failures.items()):
        if name in tiers:
            found = survived_failures(plan, tiers[name])
            yield _expected(f"failures.{name}", wanted, found, found >= wanted)
    for name, least in sorted(expect.bandwidth.after_one.items()):
        of_tier = [e.bandwidth for e in effects if len(e.classes) == 1 and e.classes[0].scope == name]
        if of_tier:
            yield _expected(f"bandwidth.after_one.{name}", least, share(min(of_tier)), min(of_tier) >= least)


def _expected(key: str, wanted: float, found: float, holds: bool) -> Row:
    return {"expect": key, "expected": wanted, "computed": found, "holds": holds}
