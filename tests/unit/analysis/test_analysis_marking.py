"""Marking thresholds: computed from the pools at the reserved maximum, or as stated per tier and speed."""

from __future__ import annotations

from pathlib import Path

import pytest
from analysis_fabrics import compiled, document, plan_of

from fabricgen.plan.model.fabric import FabricPlan

EXPLICIT = {"kmin_bytes": 100000, "kmax_bytes": 400000, "pmax_pct": 20}


def marks(plan: FabricPlan) -> dict[tuple[str, int], tuple[int, int, int]]:
    return {
        (tier.name, ecn.speed_gbps): (ecn.kmin_bytes, ecn.kmax_bytes, ecn.pmax_pct)
        for tier in plan.tiers
        for ecn in tier.ecn
    }


def test_thresholds_are_whole_cells_below_the_bound_of_a_full_switch(tmp_path: Path) -> None:
    """The O128S2 of the 7060X6 with 128 ports: 136,692,132 / (128 x 2) = 533,953 bytes, 2,102 cells of 254."""
    said = document("arista_7060x6_64pe")
    said["units"] = {"count": 2, "max": 8}
    found = marks(plan_of(said, tmp_path))
    assert found["spine", 400] == (1051 * 254, 2102 * 254, 5)


def test_growth_below_the_maximum_moves_no_threshold(tmp_path: Path) -> None:
    said = document("dell_z9864f")
    said["units"] = {"count": 2, "max": 8}
    before = marks(plan_of(said, tmp_path))
    said["units"]["count"] = 7
    assert marks(plan_of(said, tmp_path)) == before


@pytest.mark.parametrize("length_m", [4, 35, 300])
def test_no_threshold_follows_a_cable(length_m: int, tmp_path: Path) -> None:
    said = document("nvidia_sn5600")
    before = marks(plan_of(said, tmp_path))
    said["links"]["leaf-spine"]["cable"]["length_m"] = length_m
    assert marks(plan_of(said, tmp_path)) == before


def test_a_second_lossless_priority_lowers_the_bound(tmp_path: Path) -> None:
    two = {
        "roce": {"dscp": 26, "priority": 3, "lossless": True, "weight_pct": 50},
        "bulk": {"dscp": 28, "priority": 4, "lossless": True, "weight_pct": 45},
        "cnp": {"dscp": 46, "priority": 6, "strict": True},
        "control": {"dscp": [48, 56], "priority": 7, "strict": True},
        "default": {"priority": 0, "weight_pct": 5},
    }
    one = marks(plan_of(document("dell_z9664f"), tmp_path))
    more = marks(plan_of(document("dell_z9664f", classes=two), tmp_path))
    for key, (_, kmax, _) in more.items():
        assert kmax == pytest.approx(one[key][1] * 2 / 3, rel=0.001)


def test_a_tier_goes_before_a_speed_and_the_rest_is_computed(tmp_path: Path) -> None:
    computed = marks(plan_of(document("dell_z9864f", speed="800G"), tmp_path))
    said = document("dell_z9864f", speed="800G", ecn={"400G": EXPLICIT, "spine": "sonic_default"})
    assert marks(plan_of(said, tmp_path)) == {
        ("leaf", 400): (100000, 400000, 20),
        ("leaf", 800): computed["leaf", 800],
        ("spine", 800): (1048576, 2097152, 5),
    }


@pytest.mark.parametrize(
    ("ecn", "code", "path"),
    [
        ({"kmin_byte": 1, "kmax_bytes": 2, "pmax_pct": 3}, "FG-INT-001", "kmin_byte"),
        ({"kmin_bytes": 1, "kmax_bytes": 2, "pmax_pct": 0}, "FG-INT-005", "pmax_pct"),
        ({"400G": {"kmin_bytes": 1, "kmax_bytes": 2}}, "FG-INT-002", "pmax_pct"),
    ],
)
def test_a_slip_is_told_of_the_form_that_was_meant(
    ecn: dict[str, object], code: str, path: str, tmp_path: Path
) -> None:
    _, bag = compiled(document("dell_z9864f", ecn=ecn), tmp_path)
    assert [(d.code, d.path[-1]) for d in bag if d.code.startswith("FG-INT")] == [(code, path)]
