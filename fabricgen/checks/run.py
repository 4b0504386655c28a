"""Running the rules: each as soon as what it needs exists."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from importlib import import_module
from pkgutil import iter_modules

from fabricgen.checks import rules
from fabricgen.checks.model import RULES, UNKNOWN, IntentView, PlanView
from fabricgen.diagnostics import Bag, Diagnostic, Fix, IntentPath, set_to
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.settings import apply_setting
from fabricgen.plan.planner.exceptions.names import link_group


def load_rules() -> None:
    """Import every module of rules."""
    for module in iter_modules(rules.__path__):
        import_module(f"{rules.__name__}.{module.name}")


def check_intent(view: IntentView, bag: Bag) -> None:
    """Run the rules that need the intent and the catalog only."""
    _run(view, bag)


def _check_settings(view: PlanView, bag: Bag) -> None:
    """Run the rules on the intent with every leaf that an exception sets."""
    known = {(found.code, found.path) for found in bag}
    judged: dict[tuple[IntentPath, str], list[Diagnostic]] = {}
    for setting in view.settings:
        leaf = setting.leaf
        if setting.item.link:
            group = link_group(view.plan, view.names, setting.item.link)
            leaf = ("links", group.name, *leaf) if group else ()
        if not leaf:
            continue
        key = (leaf, repr(setting.value))
        if key not in judged:
            judged[key] = [
                item for item in _check_setting(view, leaf, setting.value) if (item.code, item.path) not in known
            ]
        bag.extend(
            [replace(item, path=setting.path, fixes=_moved(item.fixes, leaf, setting.path)) for item in judged[key]]
        )


def _check_setting(view: PlanView, leaf: IntentPath, value: object) -> list[Diagnostic]:
    """Run the rules on the intent as one device has it, and return what they find in the leaf."""
    changed, found = apply_setting(view.intent, leaf, value), Bag()
    if isinstance(changed, FabricIntent):
        # A rule on exceptions finds nothing in the leaf; they would be judged anew for every value.
        changed = changed.model_copy(update={"exceptions": []})
        _run(IntentView(changed, view.catalog, view.platforms), found)
    return [diagnostic for diagnostic in found if diagnostic.path[: len(leaf)] == leaf]


def _moved(fixes: Iterable[Fix], leaf: IntentPath, path: IntentPath) -> tuple[Fix, ...]:
    """Fixes of a leaf as those of the setting that gives a device its own; what changes other keys is left out."""
    return tuple(
        replace(fix, changes=(replace(change, path=path),))
        for fix in fixes
        for change in fix.changes
        if len(fix.changes) == 1 and change.path == leaf
    )


def check_plan(view: PlanView, bag: Bag) -> None:
    """Run the rules on the plan, and those on the intent with what exceptions set."""
    _run(view, bag)
    _check_settings(view, bag)


def _run(view: IntentView | PlanView, bag: Bag) -> None:
    """Run the rules that take such a view."""
    for registered in RULES:
        if type(view).__name__ in registered.view:
            for finding in registered.check(view):
                bag.add(
                    registered.code,
                    finding.message,
                    finding.path,
                    hint=finding.hint,
                    related=finding.related,
                    on_key=finding.on_key,
                    fixes=finding.fixes if finding.value is UNKNOWN else set_to(finding.path, finding.value),
                    record=finding.record,
                )
