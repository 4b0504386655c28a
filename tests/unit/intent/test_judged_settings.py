"""A rule finds the same in a leaf of the whole fabric and in that leaf as an exception sets it for one device."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fabricgen.api import Compiled, compile_inventory
from fabricgen.checks.model import IntentView, PlanView
from fabricgen.checks.run import check_intent, check_plan
from fabricgen.diagnostics import Bag, IntentPath, Nearest
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.settings import SettingFault, device_leafs, link_leafs, read_value, with_value

INVENTORIES = Path(__file__).parents[3] / "inventories"
NUMBERS, TEXTS = (0, 1, 300, 9000, 70000), ("UTC", "drop", "none", "static", "192.168.0.30")
VALUES: list[Any] = [*NUMBERS, *TEXTS, ["10.0.0.1"], ["five_tuple"]]


def _found(compiled: Compiled, intent: FabricIntent, *, plan: bool) -> Bag:
    """All diagnostics of another intent, and of it over the plan as it is."""
    bag, catalog, platforms = Bag(), compiled.catalog, compiled.platforms
    check_intent(IntentView(intent, catalog, platforms), bag)
    if plan:
        check_plan(PlanView(intent, catalog, platforms, compiled.plan), bag)
    return bag


def _in_leaf(compiled: Compiled, intent: FabricIntent, leaf: IntentPath) -> set[tuple[str, str]]:
    found = _found(compiled, intent, plan=False)
    return {(each.code, each.message) for each in found if each.path[: len(leaf)] == leaf}


def test_a_rule_on_a_leaf_judges_what_exceptions_set() -> None:
    judged = 0
    for name, subject in (
        ("irregular", {"device": "spine-01", "link": ["leaf-u001-r0", "spine-01"]}),
        ("meta-llama3-24k", {"device": "ctsw001.p01", "link": ["rtsw001.p01", "ctsw001.p01"]}),
    ):
        compiled = compile_inventory(INVENTORIES / name, (), Bag())
        regular = compiled.intent.without_exceptions()
        leafs = [("device", tuple(leaf.split("."))) for leaf in sorted(device_leafs(FabricIntent))]
        leafs += [("link", ("links", "leaf-spine", leaf)) for leaf in sorted(link_leafs())]
        for kind, leaf in leafs:
            before = _in_leaf(compiled, regular, leaf)
            for value in VALUES:
                read = read_value(regular, leaf, value, Nearest())
                if isinstance(read, SettingFault):
                    continue
                own = ".".join(leaf[2:] if kind == "link" else leaf)
                said = {kind: subject[kind], "set": {own: value}, "reason": "a trial"}
                intent = FabricIntent.model_validate({**compiled.document.data, "exceptions": [said]})  # type: ignore[dict-item]
                told = _found(compiled, intent, plan=True)
                found = {(each.code, each.message) for each in told if each.path[2:3] == ("set",)}
                expected = _in_leaf(compiled, with_value(regular, leaf, read), leaf) - before
                assert expected <= found, (name, leaf, value)
                judged += len(expected)
    assert judged > 5
