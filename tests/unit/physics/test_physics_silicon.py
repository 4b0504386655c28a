"""Thresholds of PFC and drops on Tomahawk 5: every row of SONiC's hardware tests against the formulas."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
import yaml
from shipped_switches import catalog, pool, switch

from fabricgen.catalog.records import BufferPool
from fabricgen.physics.ecn_thresholds import ecn_bound_bytes
from fabricgen.physics.headroom import drop_bytes, groups_with_headroom, headroom_in_turn_bytes
from fabricgen.physics.memory import PortReserve, left_bytes, pause_bytes, shared_per_memory_bytes
from tests.reference_files import find_reference

MEASURED = Path(__file__).parent / "silicon_th5.csv"
"""Cells of 254 bytes, but for columns that end in ``_bytes``.

Source:
    sonic-net/sonic-mgmt b4ba9de3 (2026-08-22), tests/qos/files/qos_params.th5.yaml; pools and headroom from
    sonic-net/sonic-buildimage 086b03bd, device/arista, by HwSKU.
"""
EARLIER = MEASURED.with_name("silicon_th5_earlier.csv")
"""Rows that the tests had before the vendor changed the pools; none of them took part in finding the formulas.

Source:
    The same file at ``tests_commit``; pools from sonic-net/sonic-buildimage at ``pool_commit``.
"""
ROWS, OLD_ROWS = (list(csv.DictReader(path.read_text(encoding="utf-8").splitlines())) for path in (MEASURED, EARLIER))
CELL = 254
MEMORIES = 2
GROUPS = 2
"""Lossless priority groups of a port in these tests."""
QUEUE_CELLS = 7
"""Bytes that a lossy queue has for itself: 1,778 bytes of egress_lossy_profile."""

FEWER_POOL_GROUPS = {"lt2-p32o64 800000_5m": 24}
"""Rows whose test fills fewer groups than the headroom pool has room for, and how many that is: 23 x 2,853 + 701.

Source:
    sonic-net/sonic-mgmt 19ffa9b1: one of the twelve ports is disabled, and its substitute is at the other memory.
"""
NOT_IN_CATALOG = {
    "t0-f2-d40u8 200000_5m": "the pool of sonic-buildimage 0d471992, replaced in 2026-01",
    "t0-f2-d40u8 800000_40m": "the pool of sonic-buildimage 0d471992, replaced in 2026-01",
    "t0-isolated-d96u32s2 400000_5m": "no record of the 7060X6-16PE-384C-B",
    "t0-isolated-d96u32s2 400000_40m": "no record of the 7060X6-16PE-384C-B",
}

DROP_CELLS = 2
"""A cell of the PFC point, and the packet that drops."""

NAMES = [row["name"] for row in ROWS]
every_row = pytest.mark.parametrize(
    "row", [*ROWS, *OLD_ROWS], ids=[*NAMES, *(f"{row['name']} of {row['tests_commit']}" for row in OLD_ROWS)]
)
todays_row = pytest.mark.parametrize("row", ROWS, ids=NAMES)


def figure(row: dict[str, str], name: str) -> int:
    return int(row[name])


def shared(row: dict[str, str]) -> int:
    """Return what the queues of one memory share, as the product computes it."""
    queues = switch("arista_7060x6_64pe").asic.queues_reserved_bytes or 0
    group = figure(row, "pg_min") * CELL
    reserved = {"lossless_ports": GROUPS * group, "other_ports": 0}
    ports = [PortReserve(figure(row, name), size, queues) for name, size in reserved.items()]
    return shared_per_memory_bytes(figure(row, "pool_bytes") - figure(row, "headroom_pool_bytes"), MEMORIES, ports)


def test_the_catalog_says_what_the_rows_need() -> None:
    asic = switch("arista_7060x6_64pe").asic
    assert (asic.itm, asic.cell_bytes, asic.queues_reserved_bytes) == (MEMORIES, CELL, 70 * CELL)
    assert len(ROWS) == 12
    assert sum(len(row["pfc_in_turn"].split()) for row in ROWS) == 159
    assert sum(len(row["pfc_in_turn"].split()) for row in OLD_ROWS) == 74
    pools = {(row["name"], row["pool_bytes"]) for row in ROWS}
    assert not pools & {(row["name"], row["pool_bytes"]) for row in OLD_ROWS}


@every_row
def test_pfc_starts_where_silicon_starts_it(row: dict[str, str]) -> None:
    found = pause_bytes(1.0, shared(row), figure(row, "pg_min") * CELL) / CELL
    assert found == pytest.approx(figure(row, "pfc"), abs=1)
    whole = (figure(row, "pool_bytes") - figure(row, "headroom_pool_bytes")) / 2 / CELL
    assert whole > 1.9 * figure(row, "pfc"), "the pool as one memory is twice too lenient"


@every_row
def test_each_group_in_turn_starts_where_silicon_starts_it(row: dict[str, str]) -> None:
    measured = [int(cells) for cells in row["pfc_in_turn"].split()]
    own = figure(row, "pg_min") * CELL
    found = [pause_bytes(1.0, left_bytes(1.0, shared(row), turn), own) for turn in range(len(measured))]
    assert [size / CELL for size in found] == pytest.approx(measured, abs=1)


@every_row
def test_packets_drop_once_the_headroom_is_full(row: dict[str, str]) -> None:
    pauses = pause_bytes(1.0, shared(row), figure(row, "pg_min") * CELL)
    headroom = headroom_in_turn_bytes(figure(row, "xoff_bytes"), figure(row, "headroom_pool_bytes") // MEMORIES, 0)
    assert drop_bytes(pauses, headroom) / CELL == pytest.approx(figure(row, "drop"), abs=DROP_CELLS)
    assert figure(row, "drop") - figure(row, "pfc") - headroom / CELL in (0, 1)


@every_row
def test_the_headroom_pool_is_in_both_memories(row: dict[str, str]) -> None:
    fewer = FEWER_POOL_GROUPS if row in ROWS else {}
    groups = fewer.get(row["name"], figure(row, "pool_groups"))
    cells = (groups - 1) * figure(row, "headroom_full") + figure(row, "headroom_last")
    assert cells == figure(row, "headroom_pool_bytes") / MEMORIES / CELL
    assert (groups != figure(row, "pool_groups")) == (row["name"] in fewer)
    full, pool = figure(row, "headroom_full") * CELL, figure(row, "headroom_pool_bytes") // MEMORIES
    assert groups_with_headroom(full, pool) == groups - 1
    assert headroom_in_turn_bytes(full, pool, groups - 1) == figure(row, "headroom_last") * CELL
    assert headroom_in_turn_bytes(full, pool, groups) == 0


@every_row
def test_a_lossy_queue_drops_where_silicon_drops(row: dict[str, str]) -> None:
    found = pause_bytes(1.0, shared(row), QUEUE_CELLS * CELL) / CELL
    assert found == pytest.approx(figure(row, "lossy_drop"), abs=1)


@todays_row
def test_the_catalog_has_pool_and_headroom_of_the_row(row: dict[str, str]) -> None:
    """The exceptions are the rows of older pools and of a board the catalog lacks."""
    speed, _, length = row["name"].split()[1].removesuffix("m").partition("_")
    found = [
        (model.id, listed.xoff_bytes, listed.xon_offset_bytes)
        for model in map(switch, catalog().switches)
        for tables in model.buffers
        if row["hwsku"] in tables.topologies_by_sku and _is_pool_of(row, tables.pools)
        for headroom in model.headroom
        if row["hwsku"] in headroom.skus
        for listed in headroom.rows
        if (listed.speed_gbps, listed.row_m) == (int(speed) // 1000, int(length))
    ]
    assert (not found) == (row["name"] in NOT_IN_CATALOG)
    for _, xoff_bytes, xon_offset_bytes in found:
        assert xoff_bytes == figure(row, "xoff_bytes")
        assert xon_offset_bytes == figure(row, "pfc_release") * CELL


def _is_pool_of(row: dict[str, str], pools: tuple[BufferPool, ...]) -> bool:
    wanted = (figure(row, "pool_bytes"), figure(row, "headroom_pool_bytes"))
    return wanted in [(each.size_bytes, each.xoff_bytes) for each in pools]


@pytest.mark.parametrize(("ports", "expected", "late"), [(128, 209_000, 0.12), (256, 227_170, 0.02)])
def test_tomahawk_6_has_one_memory_and_reserves_what_is_not_published(ports: int, expected: int, late: float) -> None:
    """PFC of 800G and 400G ports at 500 m: sonic-net/sonic-mgmt b4ba9de3, tests/qos/files/qos_params.th6.yaml."""
    nokia = pool("nokia_ixr7220_h6_128", "Nokia-IXR7220-H6-P128", "t1")
    asic = switch("nokia_ixr7220_h6_128").asic
    cell, own = asic.cell_bytes or 0, 8400
    without = nokia.size_bytes - (nokia.xoff_bytes or 0)
    one, two = (shared_per_memory_bytes(without, n, [PortReserve(ports, GROUPS * own, 0)]) for n in (1, 2))
    assert asic.itm == 1
    assert expected < pause_bytes(1.0, one, own) / cell < expected * (1 + late)
    assert pause_bytes(1.0, two, own) / cell < expected * 0.6


def test_a_pool_that_is_listed_net_is_not_reduced_again() -> None:
    """The 256 x 200G board lists its pool gross for leafs and net for spines: the queues share the same."""
    gross = pool("arista_7060x6_64pe", "Arista-7060X6-64PE-256x200G", "t0")
    net = pool("arista_7060x6_64pe", "Arista-7060X6-64PE-256x200G", "t1")
    ports = [PortReserve(256, 2 * 18_796, 17_780)]
    shared_gross = shared_per_memory_bytes(gross.size_bytes - gross.xoff_bytes, 2, ports)
    assert shared_gross == shared_per_memory_bytes(net.size_bytes, 2, []) == 121_964_196 // 2


def test_the_worked_example_without_a_row() -> None:
    """O128S2 with 128 lossless and 2 other ports: 255,057 cells in each memory, PFC at 127,602 cells, bound 337 KB."""
    ports = [PortReserve(128, 2 * 18_796, 17_780), PortReserve(2, 0, 17_780)]
    found = shared_per_memory_bytes(166_115_492 - 29_423_360, 2, ports)
    assert found // CELL == 255_057
    assert pause_bytes(1.0, found, 18_796) == pytest.approx(127_602 * CELL, abs=CELL)
    assert ecn_bound_bytes(1.0, found, 64, 2) == pytest.approx(337_420, abs=5)


def test_the_rows_are_those_of_the_reference() -> None:
    rows = yaml.safe_load(find_reference("data/silicon_th5.yaml").read_text(encoding="utf-8"))["rows"]
    assert len(rows) == len(ROWS)
    for ours, theirs in zip(ROWS, rows, strict=True):
        for name in ours.keys() - {"name", "hwsku", "pfc_in_turn"}:
            assert figure(ours, name) == theirs[name], (ours["name"], name)
        assert [int(cells) for cells in ours["pfc_in_turn"].split()] == theirs.get("pfc_in_turn", [])
