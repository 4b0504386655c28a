"""Kinds of units: what the same rows of exceptions leave, what may be said of it beside them, and growth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fabricgen.tables.capacity import show_capacity
from fabricgen.tables.tables import list_addresses, list_devices, list_links
from tests.unit.plan.own_fabrics import BOX, GPU, LINK, TOP, compile_own

KINDS: dict[str, Any] = {
    "few": {"units": "2", "hosts": 2},
    "slim": {"units": 3, "uplinks": 2},
    "lone": {"units": 4, "uplinks": 1},
    "empty": {"units": 5, "state": "absent"},
}
ROWS = [
    {"host": "gpu-u002-h03", "state": "absent"},
    {"link": ["leaf-u003-*", "spine-*"], "n": 2, "state": "absent"},
    {"link": ["leaf-u004-*", "spine-01"], "n": 2, "state": "absent"},
    {"link": ["leaf-u004-*", "spine-02"], "state": "absent"},
    {"host": "gpu-u005-*", "state": "absent"}, {"device": "leaf-u005-*", "state": "absent"},
]  # fmt: skip
OTHERS = [{"device": "leaf-u003-r0", "state": "drained"}, {"host": "gpu-u002-*", "state": "drained"}]


def made(folder: Path, kinds: dict[str, Any], rows: list[dict[str, Any]], **changes: Any) -> tuple[Any, list[str]]:
    shape: dict[str, Any] = {
        "hosts": {"gpu": {**GPU, "per_unit": {"count": 3, "max": 4}}},
        "units": {"count": 6, "max": 8, "kinds": kinds},
        "tiers": {"leaf": BOX, "spine": {**TOP, "count": {"count": 2, "max": 4}}},
        "links": {"host-leaf": LINK, "leaf-spine": {**LINK, "per_pair": 2}},
        "exceptions": [{**row, "reason": "test"} for row in rows],
    } | changes  # fmt: skip
    found, errors = compile_own(folder, **shape)
    return found.plan, errors


@pytest.mark.parametrize("others", [[], OTHERS], ids=["alone", "with exceptions"])
def test_a_kind_lacks_what_exceptions_take_away(others: list[dict[str, Any]], tmp_path: Path) -> None:
    plan, errors = made(tmp_path, KINDS, others)
    # A pattern matches what is there: of gpu-u002-* a host is absent by an exception, which contradicts a drain.
    spelled = [{**row, "host": "gpu-u002-h0[1-2]"} if row.get("host") == "gpu-u002-*" else row for row in others]
    same, wrong = made(tmp_path, {}, [*ROWS, *spelled])
    assert (errors, wrong) == ([], [])
    for table in (list_devices, list_links, list_addresses):
        assert [*table(plan)] == [*table(same)]
    one, two = (each.exceptions for each in (plan, same))
    assert (one.touched, one.recabled, one.links.keys()) == (two.touched, two.recabled, two.links.keys())
    assert {name: found.state for name, found in one.hosts.items()} == {
        name: found.state for name, found in two.hosts.items()
    }


def test_each_kind_has_its_own_figures(tmp_path: Path) -> None:
    plan, _ = made(tmp_path, KINDS, [])
    rows = {row["kind"]: row for row in show_capacity(plan).sections["kinds"]}
    ratios = {kind: (row["gpus"], row["uplinks"], row["oversubscription"]) for kind, row in rows.items()}
    assert ratios == {"few": (16, 4, "2:1"), "slim": (24, 2, "6:1"), "lone": (24, 1, "12:1"), "empty": (0, None, None)}
    wished = {"oversubscription": {"leaf": "3:1", "leaf.few": "2:1", "leaf.slim": 5}, "paths": {"leaf.lone": 2}}
    _, errors = made(tmp_path, KINDS, [], expect=wished)
    assert errors == [
        "FG-EXP-001 expected 2 equal-cost paths upwards from tier 'leaf' in units of kind 'lone', computed 1",
        "FG-EXP-001 expected oversubscription 5 at tier 'leaf' in units of kind 'slim', computed 6:1 (6)",
    ]


def test_what_a_kind_lacks_has_no_exception(tmp_path: Path) -> None:
    rows = [
        {"host": "gpu-u005-h01", "state": "drained"}, {"host": "gpu-u002-h[02-03]", "state": "drained"},
        {"link": ["leaf-u003-r0", "spine-01"], "n": 2, "state": "drained"},
    ]  # fmt: skip
    assert sorted(made(tmp_path, KINDS, rows)[1]) == [
        "FG-EXC-001 gpu-u002-h[02-03] matches gpu-u002-h02, but nothing has 03",
        "FG-EXC-001 gpu-u005-h01 is not there by its unit's kind, 'empty'",
        "FG-EXC-003 n is 2; there is 1 link between leaf-u003-r0 and spine-01",
    ]


def test_filling_places_and_adding_units_renumbers_nothing(tmp_path: Path) -> None:
    grown = json.loads(json.dumps(KINDS).replace('"hosts": 2', '"hosts": 3').replace('"uplinks": 2', '"uplinks": 4'))
    del grown["empty"]
    units = {"units": {"count": 7, "max": 8, "kinds": grown}}
    plans = made(tmp_path, KINDS, [])[0], made(tmp_path, {}, [], **units)[0]
    for table in (list_devices, list_links, list_addresses):
        old, new = ({json.dumps(row) for row in table(plan)} for plan in plans)
        assert old < new
