"""The table of docs/physics.md: what the formulas predict for each row of SONiC's hardware tests, in cells."""

from __future__ import annotations

import csv
from pathlib import Path

from fabricgen.physics.headroom import drop_bytes, groups_with_headroom, headroom_in_turn_bytes
from fabricgen.physics.memory import PortReserve, left_bytes, pause_bytes, shared_per_memory_bytes
from tools.docs.language import put_between

ROOT = Path(__file__).resolve().parents[2]
PAGE = "docs/physics.md"
ROWS = ROOT / "tests/unit/physics/silicon_th5.csv"
BEGIN = "<!-- written by make docs -->\n"
END = "<!-- end of the table -->"

CELL, MEMORIES, GROUPS, ALPHA = 254, 2, 2, 1.0
QUEUES_BYTES, QUEUE_BYTES = 17_780, 1_778
"""Facts of these boards: see ``tomahawk5.yaml``; the last is ``size`` of egress_lossy_profile."""

HEAD = ("Row", "PFC starts", "in turn", "drop", "headroom pool", "lossy drop", "PFC ends")


def put_silicon_table() -> str:
    """Return docs/physics.md with the table of today in its place."""
    return put_between((ROOT / PAGE).read_text(encoding="utf-8"), BEGIN, silicon_table(ROWS), END)


def silicon_table(path: Path) -> str:
    """Return a row of predictions per row of the tests, each with its distance from what the test expects."""
    with path.open(encoding="utf-8") as opened:
        rows = [_cells(row) for row in csv.DictReader(opened)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in [HEAD, ["---"] * len(HEAD), *rows])


def _cells(row: dict[str, str]) -> list[str]:
    """The predictions for one row."""
    own, xoff, pool = (int(row["pg_min"]) * CELL, int(row["xoff_bytes"]), int(row["headroom_pool_bytes"]) // MEMORIES)
    shared = _shared(row)
    pauses = pause_bytes(ALPHA, shared, own)
    expected = [int(cells) for cells in row["pfc_in_turn"].split()]
    found = [pause_bytes(ALPHA, left_bytes(ALPHA, shared, turn), own) / CELL for turn in range(len(expected))]
    worst = max((abs(ours - theirs) for ours, theirs in zip(found, expected, strict=True)), default=0)
    full = int(row["headroom_full"]) * CELL
    groups = groups_with_headroom(full, pool)
    last = headroom_in_turn_bytes(full, pool, groups) // CELL
    listed = (int(row["pool_groups"]), int(row["headroom_last"]))
    return [
        row["name"],
        _compare(pauses / CELL, int(row["pfc"])),
        f"{len(expected)} values, at most {worst:.1f}" if expected else "none",
        _compare(drop_bytes(pauses, headroom_in_turn_bytes(xoff, pool, 0)) / CELL, int(row["drop"])),
        f"{groups + 1} groups, the last {last}"
        + ("" if listed == (groups + 1, last) else f"; listed {listed[0]} groups"),
        _compare(pause_bytes(ALPHA, shared, QUEUE_BYTES) / CELL, int(row["lossy_drop"])),
        row["pfc_release"],
    ]


def _shared(row: dict[str, str]) -> int:
    """Return what the queues of one memory of the row's board share."""
    ports = [
        PortReserve(int(row["lossless_ports"]), GROUPS * int(row["pg_min"]) * CELL, QUEUES_BYTES),
        PortReserve(int(row["other_ports"]), 0, QUEUES_BYTES),
    ]
    return shared_per_memory_bytes(int(row["pool_bytes"]) - int(row["headroom_pool_bytes"]), MEMORIES, ports)


def _compare(found: float, expected: int) -> str:
    return f"{found:,.1f} ({found - expected:+.1f})"
