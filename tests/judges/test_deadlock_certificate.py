"""Certificates of ``analyze deadlock`` hold before a judge that stands alone, and forged ones do not."""

from __future__ import annotations

import ast
import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import run_here
from tests.judges import deadlock_certificate
from tests.judges.deadlock_certificate import Rows, faults
from tests.meta.declarations import REPOSITORY

INVENTORIES = sorted(path.parent.name for path in (REPOSITORY / "inventories").glob("*/fabric.yaml"))
NIGHTLY, LARGE = ("hpn7-cluster",), ("astral", "hpn7-pod", "megascale", "meta-llama3-24k", "rail-8k")
"""Inventories whose cables take most to judge: one that ``make test-all`` takes, and those of which a run takes one.

The verdict on each is held against brute force on its miniature too, in ``tests/property/test_deadlock.py``."""
LINES_MAX = 100
OVERLAYS = {"astral": ("--overlay", "sample")}
"""Sizes that make two million cables few enough for a judge to walk one by one."""
Said = dict[str, Any]


@cache
def _verdict(name: str) -> Said:
    """Return what ``analyze deadlock`` prints of an inventory."""
    said: Said = _printed("analyze", name, "deadlock")
    return said


def _said(name: str) -> tuple[Said, Rows, Rows]:
    """Return what the commands print of an inventory: verdict, links and devices."""
    return _verdict(name), _printed("show", name, "links"), _printed("show", name, "devices")


def _printed(verb: str, name: str, what: str) -> Any:
    words = (verb, str(REPOSITORY / "inventories" / name), what, *OVERLAYS.get(name, ()))
    return json.loads(run_here(*words, "--format", "json").stdout)


@pytest.mark.sampled(1, of="name", always=("quickstart", "dual-tor"))
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.nightly] * (name in NIGHTLY)) for name in INVENTORIES]
)
def test_the_certificate_of_an_inventory_holds_on_every_cable(name: str) -> None:
    assert faults(*_said(name)) == []


def test_only_the_pair_of_leafs_that_meet_above_has_a_cycle() -> None:
    assert [name for name in INVENTORIES if _verdict(name)["cycles"]] == ["dual-tor"]


def _forged(said: Said, section: str, at: int, **changes: Any) -> Said:
    forged = copy.deepcopy(said)
    forged[section][at] |= changes
    return forged


def test_a_forged_certificate_is_rejected() -> None:
    said, *cables = _said("quickstart")
    for at, row in enumerate(said["turns"]):
        less = {**said, "turns": [other for other in said["turns"] if other is not row]}
        assert faults(less, *cables), f"without {row}"
        assert faults(_forged(said, "turns", at, to=row["from"]), *cables), f"back from {row}"
    for at, row in enumerate(said["order"]):
        assert faults(_forged(said, "order", at, place=len(said["order"]) - 1 - row["place"]), *cables), row
    assert faults(_forged(said, "verdict", 0, verdict="a cycle can close"), *cables)


def test_a_hidden_cycle_and_an_invented_one_are_rejected() -> None:
    said, *cables = _said("dual-tor")
    assert faults({**said, "cycles": []}, *cables)
    hidden = _forged({**said, "cycles": []}, "verdict", 0, verdict="free of cycles")
    assert faults(hidden, *cables)
    assert faults({**hidden, "turns": [row for row in said["turns"] if row["turn"] != "bounce"]}, *cables)
    for cycle in ("spine-01 > spine-02 > spine-01", "spine-01 > leaf-u001-r0-1 > spine-02", "spine-01 > spine-01"):
        assert faults(_forged(said, "cycles", 0, cycle=cycle), *cables), cycle


def test_the_judge_is_short_and_stands_alone() -> None:
    text = Path(deadlock_certificate.__file__).read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LINES_MAX
    modules = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {alias.name for node in modules if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in modules if isinstance(node, ast.ImportFrom)}
    assert not [name for name in names if name.startswith(("fabricgen", "tests"))]
