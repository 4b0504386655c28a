"""PFC starts and ingress drops: fabrics of measured boards, and one shared space behind every figure."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from analysis_fabrics import TWO_LOSSLESS, Document, document, plan_of

from fabricgen.analysis.buffers import BufferUse, reserved_buffers
from fabricgen.analysis.port_groups import list_reserved
from fabricgen.analysis.shared_space import PausePoint, SharedSpace, find_shared_space, list_pause_points
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.tables.buffers import list_pause

CELL = 254
MEASURED = Path(__file__).parents[1] / "physics" / "silicon_th5.csv"
ROWS = {row["name"]: row for row in csv.DictReader(MEASURED.read_text(encoding="utf-8").splitlines())}
BOARDS = {
    "t1-isolated-d128 400000_40m": ("arista_7060x6_64pe_b", "400G", 40, 16),
    "ft2-64 800000_5m": ("arista_7060x6_64pe_b", "800G", 5, 8),
    "t0-standalone 200000_5m": ("arista_7060x6_64pe", "200G", 5, 32),
}
"""Row to spines of its board whose ports are all in use: model, speed, length and links of each of eight leafs."""
TABLED = ("arista_7060x6_64pe", "arista_7060x6_64pe_b", "dell_z9664f", "dell_z9864f")
"""Models with two memories, whose pools and headroom are tables."""
BY_LENGTH = ("arista_7060x6_64pe_b",)
"""Models whose groups have more for themselves with some cables; marking counts the most, whatever the cable."""


def board(model: str, speed: str, length_m: int, per_pair: int) -> Document:
    """A fabric whose spines are full at the reserved maximum."""
    said = document("dell_z9864f", speed=speed, spines=1, classes=TWO_LOSSLESS)
    said["lossless"]["headroom"] = {"pool_oversubscription_max": 20}
    said["tiers"]["spine"]["model"] = model
    said["links"]["leaf-spine"] |= {"per_pair": per_pair, "cable": {"media": "smf", "length_m": length_m}}
    return said


def spaces(plan: FabricPlan) -> dict[str, SharedSpace]:
    found = {kind.key: find_shared_space(kind, plan.contract) for kind in list_reserved(plan)}
    return {key: space for key, space in found.items() if space}


def points(plan: FabricPlan, key: str) -> dict[str, PausePoint]:
    """Points of the only profile of a class, by state."""
    kind = next(kind for kind in list_reserved(plan) if kind.key == key)
    return {point.state: point for point in list_pause_points(kind, spaces(plan)[key])}


@pytest.mark.parametrize("name", BOARDS)
def test_spines_of_a_measured_board_pause_and_drop_where_silicon_does(name: str, tmp_path: Path) -> None:
    row, plan = ROWS[name], plan_of(board(*BOARDS[name]), tmp_path)
    assert plan.tiers[1].sku == row["hwsku"]
    found = points(plan, "spine")
    alone, cells = found["alone"], [int(value) for value in row["pfc_in_turn"].split()]
    assert alone.starts_bytes / CELL == pytest.approx(int(row["pfc"]), abs=1)
    assert alone.drops_bytes / CELL == pytest.approx(int(row["drop"]), abs=2)
    assert alone.ends_bytes == alone.starts_bytes - int(row["pfc_release"]) * CELL
    turns = {int(state.split()[1]): point for state, point in found.items() if state.startswith("number")}
    assert {2, 4, 8}.issubset(turns)
    for turn in (turn for turn in turns if turn <= len(cells)):
        assert turns[turn].starts_bytes / CELL == pytest.approx(cells[turn - 1], abs=1)
    assert turns[int(row["pool_groups"])].headroom_bytes == int(row["headroom_last"]) * CELL


@pytest.mark.parametrize("model", TABLED)
@pytest.mark.parametrize("classes", [None, TWO_LOSSLESS], ids=["one", "two"])
def test_marking_account_and_points_follow_one_space(model: str, classes: Document | None, tmp_path: Path) -> None:
    wide = {"headroom": {"pool_oversubscription_max": 20}}
    plan = plan_of(document(model, **wide, **({"classes": classes} if classes else {})), tmp_path)
    found = spaces(plan)
    for kind, use in reserved_buffers(plan, list_reserved(plan)):
        space, bound = found[kind.key], kind.tier.bound
        alone = points(plan, kind.key)["alone"].starts_bytes
        assert (space.memories, space.shared_bytes >= bound.pool_bytes, alone >= bound.alone_bytes) == (2, True, True)
        if model not in BY_LENGTH:
            assert (space.shared_bytes, alone) == (bound.pool_bytes, bound.alone_bytes)
        # A port more in one memory than in the other counts for both.
        assert 0 <= shared(use) - space.memories * space.shared_bytes <= space.memories * 2 * 20_000


def shared(use: BufferUse) -> int:
    """The shared part of the lossless ingress pool, of the account."""
    return next(row.maximum_bytes for row in use.rows if (row.view, row.part) == ("memory", "shared"))


@pytest.mark.parametrize("model", [*TABLED, "nokia_ixr7220_h6_128", "nvidia_sn5600"])
def test_arithmetic_gives_the_figure_beside_it(model: str, tmp_path: Path) -> None:
    sections = list_pause(plan_of(document(model), tmp_path))
    assert {row["class"] for row in sections["memories"]} == {row["class"] for row in sections["pfc"]}
    for row in sections["memories"]:
        assert worked_out(row["derivation"]) == row["shared_per_memory_bytes"]
    for row in sections["pfc"]:
        assert worked_out(row["derivation"]) == row["pfc_starts_bytes"]
        assert row["ingress_drops_bytes"] == row["pfc_starts_bytes"] + row["headroom_bytes"]


def worked_out(derivation: object) -> int:
    return int(eval(str(derivation).split(";")[0].replace(" x ", " * ").replace("^", "**")))


def test_an_unpublished_number_of_memories_is_reported(tmp_path: Path) -> None:
    plan = plan_of(document("dell_z9864f"), tmp_path)
    unpublished = tuple(t._replace(buffers=replace(t.buffers, asic=t.buffers.asic._replace(itm=0))) for t in plan.tiers)
    for made, memories in ((plan, 2), (plan._replace(tiers=unpublished), 1)):
        for row in list_pause(made)["memories"]:
            assert row["memories"] == memories
            assert ("is not published" in str(row["derivation"])) is (memories == 1)


def test_more_congested_groups_pause_earlier(tmp_path: Path) -> None:
    found = list(points(plan_of(document("dell_z9864f"), tmp_path), "spine").values())
    in_turn = [point.starts_bytes for point in found if not point.state.startswith("all")]
    assert in_turn == sorted(in_turn, reverse=True)
    assert found[-1].starts_bytes < found[0].starts_bytes
    assert found[-1].headroom_bytes <= found[0].headroom_bytes


def test_nothing_pauses_where_nothing_is_lossless(tmp_path: Path) -> None:
    plan = plan_of(document("dell_z9864f", mode="ecn_only", reason="losses are repaired"), tmp_path)
    assert list_pause(plan) == {"memories": [], "pfc": []}
