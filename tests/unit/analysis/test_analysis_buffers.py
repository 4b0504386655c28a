"""The account of a buffer: it adds up, every part is a published figure, and what is not is said."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from analysis_fabrics import TWO_LOSSLESS, compiled, document, plan_of

from fabricgen.analysis.buffers import BufferUse, analyze_buffers, reserved_buffers
from fabricgen.analysis.port_groups import list_reserved
from fabricgen.diagnostics import Severity

MODELS = (
    "arista_7060x6_64pe", "arista_7060x6_64pe_b", "dell_z9664f", "dell_z9864f", "nokia_ixr7220_h5_64o",
    "nokia_ixr7220_h6_128", "nvidia_sn5600",
)  # fmt: skip
BOX_PORTS = 98
"""Ports of a Z9864F-O64 with 64 links at 400G: 32 cages of two, 32 of 800G without a link, two for service."""


def use(model: str, tier: str, folder: Path) -> BufferUse:
    return next(use for use in analyze_buffers(plan_of(document(model), folder)) if use.tier == tier)


def sizes(use: BufferUse) -> dict[tuple[str, str, str], tuple[int, int]]:
    return {(row.view, row.pool, row.part): (row.now_bytes, row.maximum_bytes) for row in use.rows}


def part(use: BufferUse, part: str) -> tuple[int, int]:
    return next(bytes_ for (_, _, name), bytes_ in sizes(use).items() if name == part)


@pytest.mark.parametrize("model", MODELS)
def test_the_memory_adds_up_to_the_buffer(model: str, tmp_path: Path) -> None:
    for found in analyze_buffers(plan_of(document(model), tmp_path)):
        memory = [row for row in found.rows if row.view == "memory"]
        assert found.buffer_bytes > 0
        assert sum(row.now_bytes for row in memory) + found.unexplained_now == found.buffer_bytes
        assert sum(row.maximum_bytes for row in memory) + found.unexplained_maximum == found.buffer_bytes
        assert 0 <= found.unexplained_maximum < found.buffer_bytes // 10
        assert all(row.derivation and row.source for row in found.rows)


def worked_out(derivation: str, maximum: bool) -> int:
    """The value of a derivation: what stands behind its last colon, words aside, computed."""
    text = re.sub(r"(\d+) \(maximum (\d+)\)", r"\2" if maximum else r"\1", derivation.split(": ")[-1])
    return int(eval(re.sub(r"[A-Za-z]+", lambda word: "*" if word[0] == "x" else "", text)))


@pytest.mark.parametrize("model", MODELS)
def test_every_derivation_gives_the_number_beside_it(model: str, tmp_path: Path) -> None:
    for found in analyze_buffers(plan_of(document(model), tmp_path)):
        for row in found.rows:
            numbers = (worked_out(row.derivation, maximum=False), worked_out(row.derivation, maximum=True))
            assert numbers == (row.now_bytes, row.maximum_bytes), row


@pytest.mark.parametrize(
    ("model", "cells", "budget"), [("dell_z9864f", 341_080, 319_960), ("dell_z9664f", 234_606, 223_662)]
)
def test_the_vendor_keeps_cells_its_agent_does_not_budget(model: str, cells: int, budget: int, tmp_path: Path) -> None:
    found = use(model, "spine", tmp_path)
    assert part(found, "vendor's reserve") == (2 * (cells - budget) * 254,) * 2
    assert (found.unexplained_now, found.unexplained_maximum) == (0, 0)


def test_what_no_figure_explains_is_told(tmp_path: Path) -> None:
    """The vendor skips the SDK's reservation; between its pool and its largest threshold nothing is published."""
    found = use("arista_7060x6_64pe", "spine", tmp_path)
    assert part(found, "vendor's reserve") == (173268640 - 167546528,) * 2
    assert (found.unexplained_now, found.unexplained_maximum) == (167546528 - 166115492,) * 2
    _, bag = compiled(document("arista_7060x6_64pe"), tmp_path)
    (told,) = [d for d in bag if d.code == "FG-BUF-002"]
    assert told.severity is Severity.INFO
    assert "1431036" in told.message
    assert told.path == ("tiers", "leaf", "model")
    assert told.count == 2


@pytest.mark.parametrize("model", ["dell_z9664f", "dell_z9864f"])
def test_nothing_is_told_where_everything_is_explained(model: str, tmp_path: Path) -> None:
    _, bag = compiled(document(model), tmp_path)
    assert not [d for d in bag if d.code.startswith("FG-BUF")]


def test_shared_is_what_headroom_and_reserved_leave_of_a_pool(tmp_path: Path) -> None:
    found = sizes(use("dell_z9864f", "spine", tmp_path))
    pool = "ingress_lossless_pool"
    assert found["memory", pool, "headroom pool"] == (33374584, 33374584)
    reserved = found["memory", pool, "reserved, lossless priority groups of leaf-spine"]
    assert reserved == (18796 * 32, 18796 * 64)
    queues = found["memory", pool, "reserved, queues of ports"]
    assert queues == (70 * 254 * BOX_PORTS,) * 2
    left = tuple(162539680 - 33374584 - group - queue for group, queue in zip(reserved, queues, strict=True))
    assert found["memory", pool, "shared"] == left
    assert found["egress", "egress_lossless_pool", "reserved, lossy queues"] == (1778 * 7 * 32, 1778 * 7 * 64)


def test_a_pool_the_switch_sizes_is_what_its_own_formula_leaves(tmp_path: Path) -> None:
    """A port of 400G at 30 m: 133,120 of headroom, two groups of 19,456, 10,240 for mirroring, 9,216 for egress.

    Two ingress pools share what that and 256 KB for management leave of the memory (buffer_pool_mellanox.lua).
    """
    found = use("nvidia_sn5600", "spine", tmp_path)
    port = 133120 + 2 * 19456 + 10240 + 9216
    now, full = ((158229504 - 262144 - ports * port) // 2 for ports in (32, 64))
    for pool in ("ingress_lossless_pool", "ingress_lossy_pool"):
        assert sizes(found)["memory", pool, "shared"] == (now, full)
    assert sizes(found)["egress", "egress_lossless_pool", "shared"] == (158229504, 158229504)
    assert (found.unexplained_now, found.unexplained_maximum) == (0, 0)


def test_headroom_of_its_own_is_not_oversubscribed(tmp_path: Path) -> None:
    headroom = use("nvidia_sn5600", "spine", tmp_path).headroom
    assert (headroom.pool, headroom.ratio_now, headroom.ratio_maximum) == ("", None, None)
    assert headroom.now_bytes == 113664 * 32


@pytest.mark.parametrize(
    ("model", "speed", "classes", "ratio"),
    [
        ("dell_z9864f", "800G", None, 1.602),
        ("dell_z9864f", "800G", TWO_LOSSLESS, 3.204),
        ("dell_z9664f", "400G", TWO_LOSSLESS, 1.073),
        ("arista_7060x6_64pe", "400G", None, 2.663),
        ("arista_7060x6_64pe", "400G", TWO_LOSSLESS, 5.326),
        ("nokia_ixr7220_h6_128", "800G", TWO_LOSSLESS, 3.686),
    ],
)
def test_oversubscription_is_that_of_the_published_tables(
    model: str, speed: str, classes: dict[str, object] | None, ratio: float, tmp_path: Path
) -> None:
    """Full switches with 40 m cables: ports x priorities x xoff / pool, worked out from the vendors' files by hand."""
    said = document(model, speed=speed, **({"classes": classes} if classes else {}))
    ports = {"dell_z9864f": 64, "dell_z9664f": 64, "nokia_ixr7220_h6_128": 128, "arista_7060x6_64pe": 128}[model]
    said["units"] = {"count": 2, "max": ports // 16}
    said["links"]["leaf-spine"]["cable"]["length_m"] = 40
    said["lossless"]["headroom"] = {"pool_oversubscription_max": 6}
    plan = plan_of(said, tmp_path)
    full = reserved_buffers(plan, list_reserved(plan))[1][1]
    assert full.ports_maximum == ports
    assert full.headroom.ratio_maximum == pytest.approx(ratio, abs=0.001)
    spine = analyze_buffers(plan)[-1]
    assert spine.headroom.ratio_maximum == full.headroom.ratio_maximum
    assert spine.headroom.ratio_now == pytest.approx(ratio * 32 / ports, abs=0.001)


@pytest.mark.parametrize(
    ("classes", "priorities", "bound", "alone"),
    [(None, 1, 515_526, 33_012_507), (TWO_LOSSLESS, 2, 337_419, 127_602 * 254)],
)
def test_bound_on_marking_is_that_of_two_memories(
    classes: dict[str, object] | None, priorities: int, bound: int, alone: int, tmp_path: Path
) -> None:
    """The O128S2 with 128 lossless ports and two others: half of pool less headroom, less what 64 + 1 ports reserve."""
    said = document("arista_7060x6_64pe", **({"classes": classes} if classes else {}))
    said["units"] = {"count": 2, "max": 8}
    said["lossless"]["headroom"] = {"pool_oversubscription_max": 6}
    found = plan_of(said, tmp_path).tiers[1].bound
    shared = (166115492 - 29423360) // 2 - 64 * (priorities * 18796 + 17780) - 17780
    assert (found.ports, found.memories, found.pool_bytes) == (128, 2, shared)
    assert found.bound_bytes == pytest.approx(bound, abs=1)
    assert found.alone_bytes == pytest.approx(alone, abs=254)
    assert eval(found.arithmetic.replace(" x ", " * ")) == pytest.approx(bound, abs=1)


def test_a_switch_with_fewer_links_is_an_account_of_its_own(tmp_path: Path) -> None:
    said = document("dell_z9864f")
    said["exceptions"] = [{"host": "gpu-u001-h01", "state": "absent", "reason": "not delivered"}]
    plan = plan_of(said, tmp_path)
    leafs = [found for found in analyze_buffers(plan) if found.tier == "leaf"]
    assert [(found.switches, found.ports_now, found.ports_maximum) for found in leafs] == [(2, 32, 32), (2, 28, 32)]
    assert sum(found.switches for found in analyze_buffers(plan)) == sum(1 for _ in plan.switches())


def test_without_a_class_under_pfc_nothing_is_reserved_for_one(tmp_path: Path) -> None:
    found = analyze_buffers(plan_of(document("dell_z9864f", mode="ecn_only", reason="a test"), tmp_path))[-1]
    assert found.headroom.maximum_bytes == 0
    assert not [row for row in found.rows if "lossless" in row.part and row.maximum_bytes]
    assert part(found, "reserved, lossy queues") == (1778 * 8 * 32, 1778 * 8 * 64)
