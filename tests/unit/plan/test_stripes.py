"""Stripes over stripes: which rails meet in the core, and that their switches take each other's routes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fabricgen.api import compile_inventory
from fabricgen.diagnostics import Bag, Severity
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.tables.tables import list_devices, list_links

BOX = {"model": "dell_z9864f", "platform": "sonic"}
LINK = {"speed": "400G", "cable": {"media": "smf", "length_m": 30}}


def planned(folder: Path, stripe: str, expect: dict[str, Any] | None = None) -> FabricPlan:
    """Two pods with two rail groups of two spines each, and four core switches, striped in one way."""
    data: dict[str, Any] = {
        "fabric": "stripes",
        "operations": {"tacacs": {"servers": ["192.168.0.12"], "key": {"secret": "env:TACACS_KEY"}}},
        "hosts": {"server": "dgx_h100_8", "nic": "connectx7_400g", "per_unit": 1},
        "units": 1,
        "pods": 2,
        "attachment": {"rails_per_leaf": 4},
        "tiers": {
            "leaf": BOX,
            "spine": {**BOX, "per": "pod", "count": 4, "name": "spine-p{pod}-g{group}-{index}"},
            "core": {**BOX, "per": "fabric", "count": 4, "name": "core-g{group}-{index}"},
        },
        "links": {
            "host-leaf": LINK,
            "leaf-spine": {**LINK, "pattern": {"stripe": "rail"}},
            "spine-core": {**LINK, "pattern": {"stripe": stripe}},
        },
        "expect": expect or {},
    }
    (folder / "fabric.yaml").write_text(json.dumps(data), encoding="utf-8")
    bag = Bag()
    made = compile_inventory(folder, (), bag)
    assert [d.code for d in bag if d.severity is Severity.ERROR] == []
    assert made is not None
    assert made.plan is not None
    return made.plan


@pytest.mark.parametrize(
    ("stripe", "spines_of"),
    [
        ("index", {"core-g0": {"g0-1", "g1-3"}, "core-g1": {"g0-2", "g1-4"}}),
        ("rail", {"core-g0": {"g0-1", "g0-2"}, "core-g1": {"g1-3", "g1-4"}}),
    ],
)
def test_a_stripe_over_rails_by_index_joins_them_and_one_by_rail_does_not(
    stripe: str, spines_of: dict[str, set[str]], tmp_path: Path
) -> None:
    plan = planned(tmp_path, stripe)
    met: dict[str, set[str]] = {}
    for link in list_links(plan):
        if link["link"] == "spine-core":
            met.setdefault(str(link["b"])[: len("core-g0")], set()).add(str(link["a"])[len("spine-p1-") :])
    assert met == spines_of


def test_spines_that_meet_in_the_core_have_numbers_of_their_own(tmp_path: Path) -> None:
    plan = planned(tmp_path, "index")
    asn = {str(row["name"]): row["asn"] for row in list_devices(plan) if row["tier"] == "spine"}
    below: dict[str, list[str]] = {}
    for link in list_links(plan):
        if link["link"] == "spine-core":
            below.setdefault(str(link["b"]), []).append(str(link["a"]))
    assert len(below) == 4
    for spines in below.values():
        assert len({asn[name] for name in spines}) == len(spines) == 4


@pytest.mark.parametrize(("stripe", "failures"), [("index", 3), ("rail", 1)])
def test_switches_striped_by_index_stand_in_for_each_other(stripe: str, failures: int, tmp_path: Path) -> None:
    planned(tmp_path, stripe, {"failures": {"core": failures}})
    with pytest.raises(AssertionError, match="FG-EXP-004"):
        planned(tmp_path, stripe, {"failures": {"core": failures + 1}})
