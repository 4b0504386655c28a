"""Traffic between segments of one job on DCN+ and on HPN 7.0: docs/training-traffic.md against the analysis."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

import pytest

from fabricgen.analysis.demand import analyze_demand
from fabricgen.analysis.placement import free_hosts
from fabricgen.intent.workload import WorkloadIntent
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.planner.workload import build_workload
from tests.acceptance.run import compile_clean

ROOT = Path(__file__).parents[3]
SEGMENTS = {
    "dcn": "hosts: {per_unit: 16, backup_per_unit: null}\nunits: {count: 19}\nattachment: {rails_per_leaf: 8}\n"
    "expect: {gpus: 2432}\n",
    "hpn": "hosts: {backup_per_unit: null}\nunits: {count: 3}\nexpect: {gpus: 3072}\n",
}
"""Sizes of the two fabrics of the pod of HPN 7.0: hosts of a segment, segments, and the leafs of a host."""
SIZES = {"dcn": [16] * 18, "hpn": [128] * 2}
"""Hosts of the job in each full segment."""


def plan_of(changes: str, folder: Path) -> FabricPlan:
    shutil.copytree(ROOT / "inventories" / "hpn7-pod", folder)
    (folder / "overlays" / "segments.yaml").write_text(changes)
    return compile_clean(folder, "segments").plan


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> dict[str, FabricPlan]:
    return {name: plan_of(text, tmp_path_factory.mktemp(name) / "fabric") for name, text in SEGMENTS.items()}


def share(plan: FabricPlan, order: Sequence[str], data: int, draw: random.Random | None = None) -> float:
    """Return which part of the bytes between hosts turns above the leafs, with hosts in order or drawn."""
    gpt3 = {"parameters_billion": 175, "layers": 96, "hidden": 12288}
    step = {"sequences": 48 * data, "sequence_tokens": 2048, "seconds": 10}
    degrees = {"tensor": 8, "pipeline": 8, "data": data, "order": list(order)}
    said = {"name": "j", "model": gpt3, "parallelism": degrees, "step": step}
    job = build_workload(WorkloadIntent.model_validate(said))
    hosts = [*free_hosts(plan, job.hosts)][: job.ranks // 8]
    if draw:
        draw.shuffle(hosts)
    found = analyze_demand(plan, job._replace(placed=tuple(hosts)))
    turning = [sum(volumes) for volumes in zip(*(each.turning_bytes for each in found.traffic), strict=True)]
    return sum(turning[1:]) / sum(turning)


def expected(name: str, hosts: int) -> float:
    """Return the probability that two different hosts of the job are in different segments."""
    sizes = [*SIZES[name], hosts - sum(SIZES[name])]
    return 1 - sum(size * (size - 1) for size in sizes) / (hosts * (hosts - 1))


def published() -> dict[str, list[float]]:
    """Rows of the table in the documentation, in percent."""
    text = (ROOT / "docs" / "training-traffic.md").read_text(encoding="utf-8")
    section = text.partition("## A published reduction")[2].partition("\n## ")[0].replace("−", "-")
    rows = re.findall(r"^\| (hosts .+?) \| ([\d.]+) % \| ([\d.]+) % \| (-\d+) % \|$", section, re.MULTILINE)
    return {name: [float(each) for each in figures] for name, *figures in rows}


def row(dcn: float, hpn: float) -> list[float]:
    return [round(100 * dcn, 1), round(100 * hpn, 1), round(100 * (hpn / dcn - 1))]


def test_hosts_in_order(plans: dict[str, FabricPlan]) -> None:
    for words in ("tensor, pipeline, data", "tensor, data, pipeline"):
        shares = [share(plans[name], words.split(", "), 37) for name in ("dcn", "hpn")]
        assert published()[f"hosts in order, `order: [{words}]`"] == row(*shares)


def test_hosts_in_any_order_give_the_published_reduction(plans: dict[str, FabricPlan]) -> None:
    for hosts in (296, 289):
        figures = [expected(name, hosts) for name in ("dcn", "hpn")]
        assert published()[f"hosts drawn in any order, {hosts} hosts"] == row(*figures)
    draw = random.Random(2024)
    for name, plan in plans.items():
        drawn = mean(share(plan, ("tensor", "pipeline", "data"), 37, draw) for _ in range(8))
        assert drawn == pytest.approx(expected(name, 296), abs=0.02)
