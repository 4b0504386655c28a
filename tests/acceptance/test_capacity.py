"""``analyze capacity``: what a job asks, as other programs read it, and a tier that is short, told at its line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.acceptance.run import copy_inventory, run

SHAPE = {
    "tiers": "tier switches link uplinks up_gbps all_up_gbps oversubscription",
    "job": "workload ranks gpus tensor context pipeline data expert order window_s use_max_pct model",
    "traffic": "job message collective over ranks groups payload_bytes times rank_sends_bytes nvlink_bytes leaf_bytes "
    "spine_bytes derivation source",
    "rails": "rail link place needed_gbps mean_gbps offered_gbps use_pct max_pct shortest_step_s enough max_by",
    "links": "link place needed_gbps mean_gbps offered_gbps use_pct max_pct shortest_step_s enough max_by",
    "times": "level time_s overlap_s exposed_s bottleneck because",
    "placements": "job placement hosts units nvlink_bytes leaf_bytes spine_bytes busiest_link use_pct shortest_step_s",
    "volumes": "job message step_bytes epoch_bytes run_bytes step epoch run between_domains_bytes as_tree_bytes",
    "published": "job term formula syncs of published_bytes published share_pct injected_bytes injected remark source",
    "published_figures": "job figure value unit formula",
    "left_out": "left_out because",
}
"""Sections and columns that other programs may rely on."""
SHAPE_OF_A_STEP = {name: columns for name, columns in SHAPE.items() if name != "published_figures"}
"""The same of a job without a run."""
TRAINING = ("analyze", "inventories/rail-1k", "capacity", "--overlay", "training", "--format")


PUBLISHED = ("analyze", "inventories/rail-1k", "capacity", "--overlay", "article", "--format")
ARTICLE_EB = {
    "tp_backward": 55.829375, "dp_backward": 5.981719, "pp_backward": 0.017891, "tp_forward": 22.9009,
    "pp_forward": 0.017891, "backward": 61.828985, "forward": 22.918791, "total": 84.747776, "scale_out_only": 6.017501,
}  # fmt: skip
"""The example of Asterfusion's article on training traffic (2024-07-24), recomputed with exact fractions."""


def test_the_published_example_is_printed_under_its_names() -> None:
    data = json.loads(run(*PUBLISHED, "json").stdout)
    rows = {row["term"]: row for row in data["published"]}
    assert {name: rows[name]["published_bytes"] / 1e18 for name in ARTICLE_EB} == pytest.approx(ARTICLE_EB, rel=1e-4)
    assert rows["total"]["published"] == "84.7478 EB"
    assert rows["dp_backward"]["injected_bytes"] * 16 / 2 == pytest.approx(rows["dp_backward"]["published_bytes"])
    figures = {row["figure"]: row["value"] for row in data["published_figures"]}
    assert figures["days_51_2_Tbit"] == pytest.approx(153.262, rel=1e-5)
    assert figures["switches_100_epochs_100_days"] == 154
    gradients = next(row for row in data["volumes"] if row["message"] == "gradients")
    assert gradients["epoch_bytes"] == pytest.approx(gradients["step_bytes"] * 364.6e6 / 2048)
    assert gradients["run_bytes"] == pytest.approx(100 * gradients["epoch_bytes"])


def test_the_job_of_the_inventory_is_worked_out() -> None:
    data = json.loads(run(*TRAINING, "json").exits(0).stdout)
    assert {name: " ".join(rows[0]) for name, rows in data.items() if name != "fabric" and rows} == SHAPE_OF_A_STEP
    by_name = {row["message"]: row for row in data["traffic"]}
    # 70.6 billion parameters of two bytes in 8 x 4 shards, over rings of 32; one of 8 hosts in a ring ends a unit.
    gradients = by_name["gradients"]
    assert gradients["rank_sends_bytes"] == round(2 * 31 / 32 * 70.6e9 * 2 / 32)
    assert gradients["spine_bytes"] * 7 == pytest.approx(gradients["leaf_bytes"])
    assert by_name["activations of layers"]["leaf_bytes"] == 0
    assert [row["offered_gbps"] for row in data["links"]] == [400, 32 * 400]
    assert {row["enough"] for row in (*data["links"], *data["rails"])} == {"yes"}
    assert data["job"][0]["window_s"] == 9


def test_a_fabric_without_a_job_shows_its_tiers() -> None:
    data = json.loads(run("analyze", "inventories/quickstart", "capacity", "--format", "json").stdout)
    assert list(data) == ["fabric", "tiers", "left_out"]
    assert "names no workload" in data["left_out"][0]["because"]
    assert data["tiers"][0]["up_gbps"] == 6400


def test_an_oversubscribed_tier_is_never_enough_by_averages_alone(tmp_path: Path) -> None:
    expected = "oversubscription: {leaf: 1.0}, paths: {leaf: 32}, failures: {spine: 15}"
    changes = {"count: 16}": "count: 1}", expected: 'oversubscription: {leaf: "16:1"}'}
    folder = copy_inventory("rail-1k", tmp_path / "fabric", changes)
    done = run("analyze", str(folder), "capacity", "--overlay", "training", "--format", "json").exits(0)
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
    done = run("validate", *words).exits(1)
    texts = (folder / "fabric.yaml").read_text().splitlines()
    line = next(number for number, text in enumerate(texts, 1) if "host-leaf:" in text)
    assert re.search(rf"FG-EXP-007\] \S*fabric\.yaml:{line}:", done.stderr + done.stdout)
    assert "the workload" in done.stderr + done.stdout
    allowed = re.search(r"set step.seconds of the workload to ([0-9.]+)", done.stderr + done.stdout)
    assert allowed
    job.write_text(job.read_text().replace("seconds: 0.1", f"seconds: {float(allowed[1]) * 1.01:.6f}"))
    run("validate", *words).exits(0)
