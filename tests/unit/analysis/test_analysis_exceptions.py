"""Headroom, pools and marking bound of switches whose cables or MTU exceptions change, and the rules on them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from analysis_fabrics import Document, compiled, document, plan_of

from fabricgen.analysis.buffers import BufferUse, analyze_buffers, reserved_buffers
from fabricgen.analysis.deadlock.region import list_destinations
from fabricgen.analysis.port_groups import list_reserved
from fabricgen.device.lower import Lowering
from fabricgen.diagnostics import Diagnostic

LEAFS, SPINES = ("leaf-u002-r0", "leaf-u002-r4"), ("spine-01", "spine-02")


def second_hall(model: str, length_m: int, limit: float = 4.0) -> Document:
    """The leafs of the second unit have cables of another length to every spine."""
    said = document(model, headroom={"pool_oversubscription_max": limit})
    cables = [{"link": [leaf, spine], "cable": {"length_m": length_m}} for leaf in LEAFS for spine in SPINES]
    return {**said, "exceptions": [{**cable, "reason": "second hall"} for cable in cables]}


def found(said: Document, folder: Path, code: str) -> list[Diagnostic]:
    return [diagnostic for diagnostic in compiled(said, folder)[1] if diagnostic.code == code]


def of_leaf(said: Document, folder: Path, length_m: float) -> BufferUse:
    uses = [use for use in analyze_buffers(plan_of(said, folder)) if use.tier == "leaf"]
    return next(use for use in uses if any(group.length_m == length_m for group in use.ports))


def excepted(said: Document, *exceptions: dict[str, Any]) -> Document:
    return {**said, "exceptions": [{**one, "reason": "test"} for one in exceptions]}


@pytest.mark.parametrize(("limit", "told"), [(1.0, 1), (1.04, 1), (1.05, 0)])
def test_long_cables_do_not_get_round_the_limit_of_the_pool(limit: float, told: int, tmp_path: Path) -> None:
    """A full Z9864F spine, 48 x 446,024 bytes and 16 x 839,216 at 300 m, against 33,374,584; regular ones are 0.855."""
    ratio = (48 * 446_024 + 16 * 839_216) / 33_374_584
    assert ratio == pytest.approx(1.044, abs=0.001)
    assert len(found(second_hall("dell_z9864f", 300, limit), tmp_path, "FG-BUF-001")) == told


def test_the_finding_names_the_switches_and_the_cable(tmp_path: Path) -> None:
    (told,) = found(second_hall("dell_z9864f", 300, 1.0), tmp_path, "FG-BUF-001")
    assert told.message.startswith("spine-01 and 1 more: 64 lossless priority groups need ")
    assert told.path == ("lossless", "headroom", "pool_oversubscription_max")
    assert told.related[0].path == ("exceptions", "[leaf-u002-r0~spine-01 cable]", "cable", "length_m")


def test_headroom_of_both_lengths_is_summed(tmp_path: Path) -> None:
    use = of_leaf(second_hall("dell_z9864f", 300), tmp_path, 300)
    assert [(group.length_m, group.now) for group in use.ports] == [(3, 16), (300, 16)]
    assert (use.switches, use.headroom.now_bytes) == (2, 16 * (393_192 + 839_216))


ONE = {"link": [LEAFS[0], SPINES[0]], "n": 1}


@pytest.mark.parametrize("alone", [False, True])
def test_pools_that_a_switch_sizes_itself_shrink_by_the_headroom_of_its_own_cables(alone: bool, tmp_path: Path) -> None:
    """Of one long cable as of all: the other fifteen ports of the link group keep the headroom of their 30 m."""
    said = second_hall("nvidia_sn5600", 500)
    regular = document("nvidia_sn5600") if alone else said
    said = excepted(regular, {**ONE, "cable": {"length_m": 500}}) if alone else said
    near, far = of_leaf(regular, tmp_path, 30), of_leaf(said, tmp_path, 500)
    assert [(g.length_m, g.now) for g in far.ports] == [(3, 16), *([(30, 15), (500, 1)] if alone else [(500, 16)])]
    more = far.headroom.maximum_bytes - near.headroom.maximum_bytes
    assert near.pools[0].size_bytes - far.pools[0].size_bytes == more // 2 > 0
    shared = [next(row for row in use.rows if row.part == "shared") for use in (near, far)]
    assert [row.maximum_bytes for row in shared] == [near.pools[0].size_bytes, far.pools[0].size_bytes]
    parts = [row.part.rpartition(", ")[2] for row in far.rows if "leaf-spine" in row.part]
    assert not alone or parts == ["30 m", "500 m"]


def test_another_mtu_has_headroom_of_its_own_where_the_switch_computes_it(tmp_path: Path) -> None:
    plan = plan_of(excepted(document("nvidia_sn5600"), {**ONE, "set": {"mtu": 9216}}), tmp_path)
    (use,) = [u for u in analyze_buffers(plan) if u.tier == "leaf" and any(g.mtu_bytes == 9216 for g in u.ports)]
    assert all(group.profile is not None for group in use.ports)
    lowering = Lowering(plan)
    device = next(found for found in plan.switches() if plan.device_name(found) == LEAFS[0])
    (shape,) = [shape for shape in lowering.switch_class(device).ports if shape.used and shape.mtu_bytes == 9216]
    assert shape.headroom.name == "pg_lossless_400000_30m_mtu9216_profile"


def test_a_cable_that_is_not_there_yet_counts_at_the_maximum(tmp_path: Path) -> None:
    one = {**ONE, "cable": {"length_m": 300}, "state": "absent"}
    use = of_leaf(excepted(document("dell_z9864f"), one), tmp_path, 300)
    assert [(g.length_m, g.now, g.maximum) for g in use.ports] == [(3, 16, 16), (30, 15, 15), (300, 0, 1)]


def test_a_spine_at_which_more_cables_end_has_more_ports_than_the_plan_reserved(tmp_path: Path) -> None:
    moved = {**ONE, "to": SPINES[1]}
    plan = plan_of(excepted(document("dell_z9864f"), moved), tmp_path)
    uses = [use for use in analyze_buffers(plan) if use.tier == "spine"]
    assert sorted((use.ports_now, use.ports_maximum) for use in uses) == [(31, 64), (33, 65)]


def test_a_single_port_that_does_not_fit_the_pool_is_told_at_its_exception(tmp_path: Path) -> None:
    """One port with a row of 300 m against a pool that holds one of 40 m."""
    said = excepted(document("small_pool"), {**ONE, "cable": {"length_m": 300}})
    shipped = Path(__file__).parents[3] / "fabricgen/catalog/data/switches/dell_z9864f.yaml"
    text = shipped.read_text(encoding="utf-8").replace("id: dell_z9864f", "id: small_pool")
    (tmp_path / "catalog/switches").mkdir(parents=True)
    changed = text.replace("xoff_bytes: 33374584", "xoff_bytes: 600000")
    assert changed != text
    (tmp_path / "catalog/switches/small_pool.yaml").write_text(changed, encoding="utf-8")
    told = found(said, tmp_path, "FG-BUF-004")
    assert sorted({one.message.partition(":")[0] for one in told}) == [LEAFS[0], SPINES[0]]
    assert {one.path[-2:] for one in told} == {("cable", "length_m")}
    assert {one.path[0] for one in told} == {"exceptions"}


@pytest.mark.parametrize("model", ["nvidia_sn5600", "nvidia_sn5400", "nvidia_sn5640"])
def test_a_switch_that_sizes_its_pools_hands_out_as_much_whatever_its_cables(model: str, tmp_path: Path) -> None:
    """The rule on reserved buffers rests on it: it judges the regular switch for all of its tier."""
    plan = compiled(second_hall(model, 500), tmp_path)[0].plan
    uses = [(kind, use.accounted_maximum) for kind, use in reserved_buffers(plan, list_reserved(plan))]
    for tier in plan.tiers:
        of_tier = [(bool(kind.excepted), accounted) for kind, accounted in uses if kind.tier.name == tier.name]
        assert {excepted for excepted, _ in of_tier} == {True, False}
        assert len({accounted for _, accounted in of_tier}) == 1


def test_a_cable_of_another_length_makes_no_destination_of_its_own(tmp_path: Path) -> None:
    regular = list(list_destinations(plan_of(document("dell_z9864f"), tmp_path)))
    assert list(list_destinations(plan_of(second_hall("dell_z9864f", 300), tmp_path))) == regular
    gone = excepted(document("dell_z9864f"), {"link": ["leaf-u002-r0", "spine-01"], "n": 1, "state": "absent"})
    assert len(list(list_destinations(plan_of(gone, tmp_path)))) > len(regular)
