"""Switches that are another box than their tier's, judged as if all of the tier were like them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise, product

from fabricgen.checks.model import IntentView, PlanView
from fabricgen.checks.run import check_intent, check_plan
from fabricgen.diagnostics import Bag, Diagnostic, IntentPath, Related
from fabricgen.intent.fabric import FabricIntent
from fabricgen.plan.planner import PlatformFacts, build_plan
from fabricgen.plan.planner.exceptions.boxes import Kind, find_kinds


def check_boxes(view: PlanView, facts: Mapping[str, PlatformFacts], boards: Mapping[str, str], bag: Bag) -> None:
    """Report what every stage finds of each kind of switch, alone and with each of the tiers beside its own.

    What it finds of the tiers as the intent has them is reported there.
    """
    kinds = find_kinds(view.plan, view.intent, view.catalog.switches, view.platforms, Bag())
    regular, alone = view.intent.without_exceptions(), set[tuple[str, str]]()
    known = {_same(item) for item in (*bag, *_judge(view, regular, facts, boards))}
    for mixture in _mixtures(kinds, [tier.name for tier in view.plan.tiers]):
        own = {kind.tier: kind.intent.tiers[kind.tier] for kind in mixture}
        found = _judge(view, regular.model_copy(update={"tiers": {**regular.tiers, **own}}), facts, boards)
        known_here = known if len(mixture) == 1 else known | alone
        found = [item for item in found if _same(item) not in known_here and _is_about(item, own)]
        alone.update(map(_same, found))
        bag.extend([_at_exception(item, mixture) for item in found])


def _mixtures(kinds: list[Kind], tiers: list[str]) -> Iterator[tuple[Kind, ...]]:
    """Every kind alone, then with every kind of the tier above."""
    yield from ((kind,) for kind in kinds)
    for lower, upper in pairwise(tiers):
        yield from product(*([kind for kind in kinds if kind.tier == tier] for tier in (lower, upper)))


def _judge(
    view: PlanView, intent: FabricIntent, facts: Mapping[str, PlatformFacts], boards: Mapping[str, str]
) -> list[Diagnostic]:
    """Return what planning and the rules find in an intent."""
    bag = Bag()
    check_intent(IntentView(intent, view.catalog, view.platforms), bag)
    plan = build_plan(intent, view.catalog, facts, {}, bag, boards)
    if plan is not None:
        plan = plan._replace(workload=view.plan.workload, other_jobs=view.plan.other_jobs)
        check_plan(PlanView(intent, view.catalog, view.platforms, plan), bag)
    return list(bag)


def _is_about(item: Diagnostic, tiers: Collection[str]) -> bool:
    """Return whether one of some tiers takes part; a finding of another tier may count those that have it."""
    paths = [item.path, *(each.path for each in item.related)]
    return item.path[:1] != ("tiers",) or any(path[:1] == ("tiers",) and path[1] in tiers for path in paths)


def _same(item: Diagnostic) -> tuple[str, str]:
    return item.code, item.message


def _at_exception(item: Diagnostic, mixture: tuple[Kind, ...]) -> Diagnostic:
    """A diagnostic at the exceptions that make the switches unlike; a place they do not set takes part."""
    own: dict[IntentPath, IntentPath] = {
        ("tiers", kind.tier, leaf): path for kind in mixture for leaf, path in kind.places.items()
    }
    related = tuple(replace(each, path=own.get(each.path, each.path)) for each in item.related)
    places = [path for kind in mixture for path in kind.places.values()]
    path = own.get(item.path) or next((each.path for each in related if each.path in places), places[0])
    if item.path and item.path not in own:
        related = (Related("the fabric has it here", item.path), *related)
    count = sum(len(kind.devices) for kind in mixture) if len(mixture) == 1 else 1
    hint = item.hint
    for kind in mixture:
        hint = hint.replace(f"tiers.{kind.tier}.", "").replace(f"to tiers.{kind.tier}", "to set")
    return replace(item, path=path, on_key=False, count=count, hint=hint, related=related)
