"""``analyze capacity``: what a job asks, as other programs read it, and a tier that is short, told at its line."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from tests.acceptance.run import copy_inventory, run

SHAPE = {
    "tiers": "tier switches link uplinks up_gbps all_up_gbps oversubscription",
    "job": "workload ranks gpus tensor pipeline data expert order window_s use_max_pct model",
    "traffic": "message collective over ranks groups payload_bytes times rank_sends_bytes nvlink_bytes leaf_bytes "
    "spine_bytes derivation source",
    "rails": "rail link place needed_gbps mean_gbps offered_gbps use_pct max_pct shortest_step_s enough max_by",
    "links": "link place needed_gbps mean_gbps offered_gbps use_pct max_pct shortest_step_s enough max_by",
    "left_out": "left_out because",
}
"""Sections and columns that other programs may rely on."""
TRAINING = ("analyze", "inventories/rail-1k", "capacity", "--overlay", "training", "--format")


def test_the_job_of_the_inventory_is_worked_out() -> None:
    done = run(*TRAINING, "json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert {section: " ".join(rows[0]) for section, rows in data.items() if section != "fabric"} == SHAPE
    by_name = {row["message"]: row for row in data["traffic"]}
    # 70.6 billion parameters of two bytes in 8 x 4 shards, over rings of 32; one of 8 hosts in a ring ends a unit.
    gradients = by_name["gradients"]
    assert gradients["rank_sends_bytes"] == round(2 * 31 / 32 * 70.6e9 * 2 / 32)
    assert gradients["spine_bytes"] * 7 == pytest.approx(gradients["leaf_bytes"])
    assert by_name["activations of layers"]["leaf_bytes"] == 0
    assert [row["offered_gbps"] for row in data["links"]] == [400, 32 * 400]
    assert {row["enough"] for row in (*data["links"], *data["rails"])} == {"yes"}
    assert data["job"][0]["window_s"] == 9


def test_every_figure_is_in_every_form() -> None:
    rows = list(csv.DictReader(io.StringIO(run(*TRAINING, "csv").stdout)))
    data = json.loads(run(*TRAINING, "json").stdout)
    assert len(rows) == sum(len(row) for section, found in data.items() if section != "fabric" for row in found)
    assert "leaf-spine" in run(*TRAINING, "table").stdout


def test_a_fabric_without_a_job_shows_its_tiers() -> None:
    data = json.loads(run("analyze", "inventories/quickstart", "capacity", "--format", "json").stdout)
    assert list(data) == ["fabric", "tiers", "left_out"]
    assert "names no workload" in data["left_out"][0]["because"]
    assert data["tiers"][0]["up_gbps"] == 6400


def test_an_oversubscribed_tier_is_never_enough_by_averages_alone(tmp_path: Path) -> None:
    expected = "oversubscription: {leaf: 1.0}, paths: {leaf: 32}, failures: {spine: 15}"
    changes = {"count: 16}": "count: 1}", expected: 'oversubscription: {leaf: "16:1"}'}
    folder = copy_inventory("rail-1k", tmp_path / "fabric", changes)
    done = run("analyze", str(folder), "capacity", "--overlay", "training", "--format", "json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["tiers"][0]["oversubscription"] == "16:1"
    rows = {row["link"]: row for row in data["links"]}
    assert rows["host-leaf"]["enough"] == "yes"
    assert rows["leaf-spine"]["enough"] == "on average only, over 9 s"
    assert rows["leaf-spine"]["use_pct"] < 80


def test_a_tier_that_is_short_is_told_at_its_line_and_with_the_step_it_allows(tmp_path: Path) -> None:
    folder = copy_inventory("rail-1k", tmp_path / "fabric", {})
    job = folder / "workloads/llama3-70b.yaml"
    job.write_text(job.read_text().replace("seconds: 9", "seconds: 0.1"))
    words = (str(folder), "--overlay", "training")
    done = run("validate", *words)
    assert done.returncode == 1
    texts = (folder / "fabric.yaml").read_text().splitlines()
    line = next(number for number, text in enumerate(texts, 1) if "host-leaf:" in text)
    assert re.search(rf"FG-EXP-007\] \S*fabric\.yaml:{line}:", done.stderr + done.stdout)
    assert "the workload" in done.stderr + done.stdout
    allowed = re.search(r"set step.seconds of the workload to ([0-9.]+)", done.stderr + done.stdout)
    assert allowed
    job.write_text(job.read_text().replace("seconds: 0.1", f"seconds: {float(allowed[1]) * 1.01:.6f}"))
    assert run("validate", *words).returncode == 0
