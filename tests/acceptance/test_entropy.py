"""``analyze entropy``: shape, figures, and options that have no meaning."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.run import copy_inventory, run

RAIL = ("analyze", "inventories/rail-1k", "entropy")
SHAPE = {
    "job": "job ranks rails connections paths",
    "queue_pairs": "qps from source",
    "hashing": "tier platform asic balancing fields algorithm seed hashes_like",
    "choices": "tier choice next_hops used polarised_by",
    "load": "flows link way qps mode places flows_each over_links busiest times_mean p99 times_mean_p99 anywhere "
    "line_rate_pct overload_pct figure arithmetic",
    "modes": "flows link way links one_port qps_1 qps_2 qps_4 qps_8 qps_16 udf flowlet per_packet",
    "modes_p99": "flows link way links one_port qps_1 qps_2 qps_4 qps_8 qps_16 udf flowlet per_packet",
}
"""Sections and columns that other programs may rely on."""


def analyzed(*words: str) -> dict[str, Any]:
    return json.loads(run(*words, "--format", "json").exits(0).stdout)


def row_of(data: dict[str, Any], section: str, **values: object) -> dict[str, Any]:
    found = [row for row in data[section] if all(row[key] == value for key, value in values.items())]
    assert len(found) == 1
    return dict(found[0])


def test_without_a_job_it_is_a_ring_with_nccls_default_and_with_what_hosts_get() -> None:
    data = analyzed(*RAIL)
    assert {section: " ".join(rows[0]) for section, rows in data.items() if section != "fabric"} == SHAPE
    assert data["job"][0]["job"] == "one ring all-reduce over 1024 GPUs"
    assert [(row["qps"], row["from"]) for row in data["queue_pairs"]] == [
        (1, "NCCL's default"), (4, "collectives.qps_per_connection"),
    ]  # fmt: skip
    worst = row_of(data, "load", flows="ring scattered", link="leaf-spine", way="up", qps=1)
    # 32 NICs below a leaf with 32 uplinks: the vector (32, 32).
    assert (worst["flows_each"], worst["over_links"], worst["times_mean"]) == (32, 32, 3.5329)
    assert worst["line_rate_pct"] == pytest.approx(100 / 3.5329, abs=0.1)
    modes = row_of(data, "modes", flows="ring scattered", link="leaf-spine", way="up")
    assert [modes[f"qps_{pairs}"] for pairs in (1, 2, 4, 16)] == [3.533, 2.707, 2.163, 1.551]
    assert (modes["one_port"], modes["udf"], modes["per_packet"]) == (modes["qps_1"], modes["qps_4"], 1.0)


def test_a_table_is_terse_and_csv_has_everything() -> None:
    table = run(*RAIL).stdout
    assert "MODES P99" in table
    assert "arithmetic" not in table
    rows = list(csv.DictReader(io.StringIO(run(*RAIL, "--format", "csv").stdout)))
    assert any(row["field"] == "arithmetic" and "n = 32 flows over m = 32 links" in row["value"] for row in rows)


def test_few_queue_pairs_are_a_warning_with_the_expected_maximum() -> None:
    done = run(*RAIL, "--qps", "2").exits(0)
    assert "warning[FG-HST-053] inventories/rail-1k/fabric.yaml" in done.stderr
    assert "2 queue pairs per connection (--qps)" in done.stderr
    assert "carries 2.71 times the mean" in done.stderr
    assert "FG-HST-053" not in run(*RAIL, "--qps", "4").stderr


def test_a_waived_warning_is_the_waiver_alone(tmp_path: Path) -> None:
    folder = copy_inventory("rail-1k", tmp_path / "inventory", {})
    entry = "{code: FG-HST-053, owner: netops, expires: 2099-12-31, reason: measured"
    asked = ("analyze", str(folder), "entropy", "--qps", "2")
    plain = run(*asked)
    for path, waived in (("", True), (", path: collectives.*", True), (", path: routing.*", False)):
        (folder / "waivers.yaml").write_text(f"- {entry}{path}}}\n", encoding="utf-8")
        done = run(*asked)
        assert done.stdout == plain.stdout
        assert ("FG-HST-053 waived by netops until 2099-12-31: measured" in done.stderr) is waived
        assert ("warning[FG-HST-053]" in done.stderr) is not waived


def test_the_workload_of_the_intent_is_analyzed() -> None:
    data = analyzed(*RAIL, "--overlay", "training")
    assert data["job"][0]["job"] == "workload llama3-70b"
    assert {row["flows"] for row in data["load"]} == {
        "activations of layers", "activations between stages", "gradients",
    }  # fmt: skip
    assert row_of(data, "load", flows="gradients", link="leaf-spine", way="up")["flows_each"] == 16
    ring = analyzed(*RAIL, "--overlay", "training", "--ranks", "64", "--rails", "0-1")
    assert (ring["job"][0]["ranks"], ring["job"][0]["rails"]) == (64, "0-1")


def test_platforms_say_what_they_hash_with_and_what_is_unknown(tmp_path: Path) -> None:
    hashing = {row["tier"]: row for row in analyzed(*RAIL)["hashing"]}
    assert (hashing["leaf"]["algorithm"], hashing["leaf"]["seed"]) == ("CRC", "0 by device type")
    said = analyzed("analyze", "inventories/quickstart", "entropy", "--overlay", "eos")
    eos = {row["tier"]: row for row in said["hashing"]}
    assert {row["algorithm"] for row in eos.values()} == {"unknown"}
    assert (eos["leaf"]["seed"], eos["spine"]["seed"]) == ("1", "2")


def test_tiers_that_hash_alike_leave_links_idle(tmp_path: Path) -> None:
    """Two spines with several links from each leaf, on a platform whose switches all have one seed then."""
    changes = {"expect:": "routing: {ecmp: {decorrelate: 'off'}}\nexpect:"}
    folder = copy_inventory("quickstart", tmp_path / "fabric", changes)
    alike, apart = (
        analyzed("analyze", str(inventory), "entropy", "--overlay", "eos")
        for inventory in (folder, "inventories/quickstart")
    )
    lost = row_of(alike, "choices", tier="spine")
    assert (lost["used"], lost["polarised_by"]) == (1, "leaf")
    assert lost["next_hops"] > 1
    at = {"flows": "ring scattered", "link": "leaf-spine", "way": "down", "qps": 1}
    less, more = row_of(alike, "load", **at), row_of(apart, "load", **at)
    assert less["over_links"] * lost["next_hops"] == more["over_links"]
    assert less["busiest"] > more["busiest"]
    assert "idle by polarisation" in less["arithmetic"]
    assert [row["hashes_like"] for row in alike["hashing"]] == [["spine"], ["leaf"]]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--ranks", "1025"), "1025 is too many: 1024 GPUs can take part"),
        (("--ranks", "1"), "'1' is less than 2"),
        (("--rails", "7,8"), "rail 8 does not exist; rails are 0 to 7"),
        (("--rails", "3-1"), "names no rail"),
        (("--rails", "a"), "is no list of rails"),
        (("--qps", "129"), "'129' is more than 128"),
    ],
)
def test_options_that_this_fabric_has_no_answer_to(words: tuple[str, ...], message: str) -> None:
    done = run(*RAIL, *words).exits(2)
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_options_of_entropy_belong_to_entropy() -> None:
    done = run("analyze", "inventories/rail-1k", "capacity", "--qps", "2").exits(2)
    assert "belongs to entropy" in done.stderr
