"""Cost of every check of an inventory against its render."""

from __future__ import annotations

from pathlib import Path

from fabricgen.checks.model import IntentView, PlanView
from fabricgen.checks.run import check_intent, check_plan
from fabricgen.diagnostics import Bag
from tests.perf.measure import compiled, cpu_of

LIMITS = {"all checks / render": 0.30}


def measure_checks(inventory: Path, render_s: float) -> dict[str, float]:
    """All rules of an inventory, over a plan that is ready."""
    made = compiled(inventory)
    intent, catalog, platforms, plan = made.intent, made.catalog, made.platforms, made.plan

    def check() -> None:
        bag = Bag()
        check_intent(IntentView(intent, catalog, platforms), bag)
        check_plan(PlanView(intent, catalog, platforms, plan), bag)

    cost = cpu_of(check)
    return {"all checks, CPU s": cost, "all checks / render": cost / render_s}
