"""Running the rules: each as soon as what it needs exists."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from fabricgen.checks import rules
from fabricgen.checks.model import RULES, IntentView, PlanView, Rule
from fabricgen.diagnostics import Bag, Diagnostic, IntentPath, Nearest
from fabricgen.intent.settings import SettingFault, read_value, with_value
from fabricgen.plan.planner.exceptions.links import link_group


@cache
def load_rules() -> None:
    """Import every module of rules; once, for their folder is listed each time."""
    for module in iter_modules(rules.__path__):
        import_module(f"{rules.__name__}.{module.name}")


def check_intent(view: IntentView, bag: Bag) -> None:
    """Run the rules that need the intent and the catalog only."""
    _run(_rules_of(view), view, bag)


def _check_settings(view: PlanView, bag: Bag) -> None:
    """Run the rules on the intent with every leaf that an exception sets."""
    if not view.intent.settings:
        return
    known = {(found.code, found.path) for found in bag}
    nearest = Nearest()
    judge = _LeafJudge(IntentView(view.intent.without_exceptions(), view.catalog, view.platforms))
    for setting in view.intent.settings:
        leaf, value = setting.leaf, setting.value
        if setting.item.link:
            group = link_group(view.plan, view.names, setting.item.link)
            leaf = ("links", group.name if group else "", *leaf)
            value = read_value(view.intent, leaf, value, nearest)
        for item in () if isinstance(value, SettingFault) else judge.find(leaf, value):
            if known.isdisjoint({(item.code, item.path), (item.code, setting.path)}):
                bag.extend([replace(item, path=setting.path)])


class _LeafJudge:
    """Runs the rules on the intent with other values of its leafs, each value once."""

    def __init__(self, view: IntentView) -> None:
        self._view = view
        self._found: dict[tuple[IntentPath, str], list[Diagnostic]] = {}

    def find(self, leaf: IntentPath, value: object) -> list[Diagnostic]:
        """Return what the rules find in a leaf that has another value."""
        key = (leaf, repr(value))
        if key not in self._found:
            view, found = self._view._replace(intent=with_value(self._view.intent, leaf, value)), Bag()
            _run(_rules_of(view), view, found)
            self._found[key] = [diagnostic for diagnostic in found if diagnostic.path[: len(leaf)] == leaf]
        return self._found[key]


def check_plan(view: PlanView, bag: Bag) -> None:
    """Run the rules on the plan, and those on the intent with what exceptions set."""
    _run(_rules_of(view), view, bag)
    _check_settings(view, bag)


def _rules_of(view: IntentView | PlanView) -> list[Rule]:
    """The rules that take such a view."""
    return [registered for registered in RULES if type(view).__name__ in registered.view]


def _run(rules: Iterable[Rule], view: IntentView | PlanView, bag: Bag) -> None:
    for registered in rules:
        for finding in registered.check(view):
            bag.add(
                registered.code,
                finding.message,
                finding.path,
                hint=finding.hint,
                related=finding.related,
                on_key=finding.on_key,
                record=finding.record,
            )
