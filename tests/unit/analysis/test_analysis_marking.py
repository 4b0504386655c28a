"""Marking thresholds: computed from the pools at the reserved maximum, or as stated per tier and speed."""

from __future__ import annotations

from pathlib import Path

import pytest
from analysis_fabrics import TWO_LOSSLESS, compiled, document, plan_of

from fabricgen.device.lower import Lowering
from fabricgen.diagnostics import Severity
from fabricgen.plan.model.fabric import FabricPlan

EXPLICIT = {"kmin_bytes": 100000, "kmax_bytes": 400000, "pmax_pct": 20}


def marks(plan: FabricPlan) -> dict[tuple[str, int], tuple[int, int, int]]:
    return {(t.name, e.speed_gbps): (e.kmin_bytes, e.kmax_bytes, e.pmax_pct) for t in plan.tiers for e in t.ecn}


def bounds(plan: FabricPlan) -> dict[str, int]:
    return {tier.name: tier.bound.bound_bytes for tier in plan.tiers if tier.bound}


def rules(plan: FabricPlan) -> dict[tuple[str, int], str]:
    return {(tier.name, ecn.speed_gbps): ecn.rule for tier in plan.tiers for ecn in tier.ecn}


def test_a_makers_figure_for_port_profile_and_system_decides(tmp_path: Path) -> None:
    """Arista's for the O128S2 under SONiC; the same box under EOS has none, and a round trip of 8 us brings 400 KB."""
    said = document("arista_7060x6_64pe")
    found = plan_of(said, tmp_path)
    assert marks(found) == {("leaf", 400): (131072, 262144, 5), ("spine", 400): (131072, 262144, 5)}
    assert set(rules(found).values()) == {"maker's profile"}
    for tier in said["tiers"].values():
        tier["platform"] = "eos"
    found = plan_of(said, tmp_path)
    assert marks(found)["spine", 400] == (1574 * 254, 2 * 1574 * 254, 5)
    assert set(rules(found).values()) == {"rate x RTT"}


@pytest.mark.parametrize(("speed", "kmin"), [("400G", 399_796), ("800G", 799_846)])
def test_a_template_for_any_board_is_no_makers_figure(speed: str, kmin: int, tmp_path: Path) -> None:
    found = plan_of(document("dell_z9864f", speed=speed), tmp_path)
    at = "leaf", int(speed[:-1])
    assert marks(found)[at][0] == kmin
    assert rules(found)[at] == "rate x RTT"


def test_the_round_trip_of_the_intent_counts(tmp_path: Path) -> None:
    found = plan_of(document("dell_z9864f", rtt_us=4), tmp_path)
    assert marks(found)["spine", 400] == (787 * 254, 2 * 787 * 254, 5)


def test_nvidias_figure_under_cumulus_with_kmax_at_four_times(tmp_path: Path) -> None:
    """A spine of 20,352 / 203,712 bytes, as the bound alone had it, marked five packets."""
    said = document("nvidia_sn5600")
    for tier in said["tiers"].values():
        tier["platform"] = "cumulus_nvue"
    assert set(marks(plan_of(said, tmp_path)).values()) == {(150_000, 600_000, 100)}


def test_the_bound_decides_where_it_is_lower(tmp_path: Path) -> None:
    found = plan_of(document("dell_z9864f", rtt_us=100), tmp_path)
    bound = found.tiers[1].bound
    (kmin, kmax, _) = marks(found)["spine", 400]
    assert rules(found)["spine", 400] == "PFC bound"
    assert kmin < bound.bound_bytes <= kmin + 254
    assert kmax == 2 * kmin < bound.alone_bytes


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
    one = bounds(plan_of(document("dell_z9664f"), tmp_path))
    more = bounds(plan_of(document("dell_z9664f", classes=TWO_LOSSLESS), tmp_path))
    for key, bound in more.items():
        assert bound == pytest.approx(one[key] * 2 / 3, rel=0.02)


def test_a_tier_goes_before_a_speed_and_the_rest_is_computed(tmp_path: Path) -> None:
    computed = marks(plan_of(document("dell_z9864f", speed="800G"), tmp_path))
    said = document("dell_z9864f", speed="800G", ecn={"400G": EXPLICIT, "spine": "sonic_default"})
    assert marks(plan_of(said, tmp_path)) == {
        ("leaf", 400): (100000, 400000, 20),
        ("leaf", 800): computed["leaf", 800],
        ("spine", 800): (1048576, 2097152, 5),
    }


def steps(plan: FabricPlan) -> dict[str, int]:
    values = dict(Lowering(plan).lower_host(next(plan.all_hosts())).cls.collectives.dcqcn)
    return {name: values[name] for name in ("rpg_ai_rate", "rpg_hai_rate", "rpg_time_reset")}


def test_dcqcns_steps_follow_the_rate_of_the_port(tmp_path: Path) -> None:
    """5 and 50 Mb/s for each 25 Gb/s; the timer between two steps stays, and so does what the intent names."""
    said = document("dell_z9864f")
    assert steps(plan_of(said, tmp_path)) == {"rpg_ai_rate": 80, "rpg_hai_rate": 800, "rpg_time_reset": 300}
    said["lossless"]["dcqcn"] = {"rpg_ai_rate": 5}
    assert steps(plan_of(said, tmp_path)) == {"rpg_ai_rate": 5, "rpg_hai_rate": 800, "rpg_time_reset": 300}
    said["lossless"]["dcqcn"] = {}
    said["hosts"] |= {"nic": "connectx7_2x200g"}
    said["attachment"] = {"rails_per_leaf": 4}
    said["planes"] = {"count": 2}
    said["links"]["host-leaf"]["speed"] = "200G"
    assert steps(plan_of(said, tmp_path)) == {"rpg_ai_rate": 40, "rpg_hai_rate": 400, "rpg_time_reset": 300}


@pytest.mark.parametrize(("model", "told"), [("nvidia_sn5600", True), ("dell_z9864f", False)])
def test_headroom_for_one_response_time_is_told_as_unconfirmed(model: str, told: bool, tmp_path: Path) -> None:
    _, bag = compiled(document(model, speed="800G"), tmp_path)
    found = [d for d in bag if d.code == "FG-BUF-090"]
    assert bool(found) == told
    assert all("unconfirmed" in d.message and d.path == ("links", "leaf-spine", "speed") for d in found)
    assert {d.severity for d in found} <= {Severity.WARNING}


@pytest.mark.parametrize(
    ("ecn", "code", "path"),
    [
        ({"kmin_byte": 1, "kmax_bytes": 2, "pmax_pct": 3}, "FG-INT-001", "kmin_byte"),
        ({"kmin_bytes": 1, "kmax_bytes": 2, "pmax_pct": 0}, "FG-INT-003", "pmax_pct"),
        ({"400G": {"kmin_bytes": 1, "kmax_bytes": 2}}, "FG-INT-002", "pmax_pct"),
    ],
)
def test_a_slip_is_told_of_the_form_meant(ecn: dict[str, object], code: str, path: str, tmp_path: Path) -> None:
    _, bag = compiled(document("dell_z9864f", ecn=ecn), tmp_path)
    assert [(d.code, d.path[-1]) for d in bag if d.code.startswith("FG-INT")] == [(code, path)]
