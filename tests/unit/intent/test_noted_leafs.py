"""The rules that are run for a leaf of one device are all that find something in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fabricgen.api import compile_inventory
from fabricgen.checks.model import RULES, IntentView, Rule
from fabricgen.checks.run import find_readers, load_rules
from fabricgen.diagnostics import Bag, IntentPath
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.settings import apply_setting, device_leafs, link_leafs

INVENTORIES = Path(__file__).parents[3] / "inventories"
VALUES: list[Any] = [
    0,
    1,
    300,
    9000,
    70000,
    "UTC",
    "drop",
    "none",
    "static",
    "192.168.0.30",
    ["10.0.0.1"],
    ["five_tuple"],
]


def _find(rules: list[Rule], view: IntentView, leaf: IntentPath) -> list[str]:
    found = [(rule.code.id, finding) for rule in rules for finding in rule.check(view)]
    return [repr(each) for each in found if each[1].path[: len(leaf)] == leaf]


def test_rules_that_do_not_read_a_leaf_find_nothing_in_it() -> None:
    load_rules()
    every = [rule for rule in RULES if "IntentView" in rule.view]
    told = 0
    for name in ("irregular", "meta-llama3-24k"):
        compiled = compile_inventory(INVENTORIES / name, (), Bag())
        assert compiled is not None
        assert compiled.intent is not None
        view = IntentView(compiled.intent, compiled.catalog, compiled.platforms)  # type: ignore[arg-type]
        leafs = [tuple(leaf.split(".")) for leaf in sorted(device_leafs())]
        leafs += [("links", group, *leaf.split(".")) for group in compiled.intent.links for leaf in link_leafs()]
        for leaf in leafs:
            changed = [apply_setting(compiled.intent, leaf, value) for value in VALUES]
            legal = [view._replace(intent=intent) for intent in changed if isinstance(intent, FabricIntent)]
            readers = find_readers(view, leaf) if legal else []
            assert len(readers) < len(every) / 2, leaf
            for each in legal:
                expected = _find(every, each, leaf)
                told += len(expected)
                assert _find(readers, each, leaf) == expected, leaf
    assert told > 5
