"""``size`` and ``init`` as a planner meets them: figures, files, and sentences for what cannot be."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.command_line import run, succeed

H100 = ("--gpus", "512", "--server", "dgx_h100_8")
Z9664F = ("--switch", "dell_z9664f", "--platform", "sonic")


def test_the_best_fabric_is_the_one_without_remarks() -> None:
    data = json.loads(succeed("size", *H100, "--format", "json"))
    assert [(row["tier"], row["model"], row["switches"]) for row in data["tiers"]] == [
        ("leaf", "dell_z9664f", 16),
        ("spine", "dell_z9664f", 8),
    ]
    assert data["remarks"] == []
    assert data["size"][0]["switches"] == 24
    behind = [(len(row["remarks"]) > 0, row["switch"]) for row in data["alternatives"]]
    # Fewer switches, but each with remarks.
    assert behind
    assert all(remarked for remarked, switch in behind if switch != "dell_z9664f")
    assert all(row["why"] and row["switch"] for row in data["refused"])


def test_every_format_has_the_same_figures() -> None:
    words = ("size", *H100, "--switch", "arista_7060x6_64pe", "--platform", "sonic", "--format")
    data = json.loads(succeed(*words, "json"))
    cells = {
        (row["section"], row["item"], row["field"]): row["value"]
        for row in csv.DictReader(io.StringIO(succeed(*words, "csv")))
    }
    table = succeed(*words, "table")
    for number, row in enumerate(data["tiers"], 1):
        assert cells["tiers", str(number), "switches"] == str(row["switches"])
        assert cells["tiers", str(number), "down"] == row["down"]
        line = next(line for line in table.splitlines() if line.split()[:2] == [row["tier"], row["model"]])
        assert line.split()[2:5] == [row["platform"], str(row["switches"]), row["down"]]


def test_the_intent_is_all_that_is_printed_where_it_is_asked_for(tmp_path: Path) -> None:
    text = succeed("size", *H100, *Z9664F, "--intent")
    (tmp_path / "fabric.yaml").write_text(text)
    done = run("validate", tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.strip() == "fabric: valid, 512 GPUs, 64 hosts, 24 switches"


def test_a_new_inventory_is_named_after_its_folder_and_renders_without_a_word(tmp_path: Path) -> None:
    done = run("init", "Hall_2 East", *H100, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "Hall_2 East"
    assert "512 GPUs: 64 servers, 16 leafs, 8 spines of dell_z9664f" in done.stderr
    lines = (folder / "fabric.yaml").read_text().splitlines()
    assert lines[0] == "# yaml-language-server: $schema=intent.schema.json"
    assert "fabric: hall-2-east" in lines
    # Every block is explained.
    keys = [number for number, line in enumerate(lines) if line and line[0].isalpha()]
    assert all(lines[number - 1].startswith("#") for number in keys), lines
    assert sorted(path.name for path in folder.iterdir()) == [
        "fabric.yaml",
        "intent.schema.json",
        "workload.schema.json",
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["Hall_2 East"]
    rendered = run("render", folder, "-o", tmp_path / "out", "--only", "spine-01")
    assert rendered.returncode == 0
    assert "info" not in rendered.stderr
    assert "warning" not in rendered.stderr


def test_size_writes_the_same_inventory_as_init(tmp_path: Path) -> None:
    succeed("size", *H100, *Z9664F, "-o", tmp_path / "one" / "ai")
    succeed("init", tmp_path / "two" / "ai", *H100, *Z9664F)
    files = [sorted((path.name, path.read_bytes()) for path in (tmp_path / n / "ai").iterdir()) for n in ("one", "two")]
    assert files[0] == files[1]


def test_blueprints_are_listed_with_what_they_are() -> None:
    lines = succeed("init", "--list").splitlines()
    for path in Path("inventories").glob("*/fabric.yaml"):
        assert any(line.split()[:1] == [path.parent.name] and len(line.split()) > 5 for line in lines), path


def test_a_blueprint_takes_the_name_of_its_folder(tmp_path: Path) -> None:
    succeed("init", tmp_path / "lab-3", "--blueprint", "rail-1k")
    assert "fabric: lab-3\n" in (tmp_path / "lab-3" / "fabric.yaml").read_text()
    assert run("validate", tmp_path / "lab-3").returncode == 0


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["size"], 2, "how many GPUs? For example --gpus 512."),
        (["size", "--gpus", "512"], 2, "which server are they in? For example --server dgx_h100_8"),
        (["size", "--gpus", "0", "--server", "dgx_h100_8"], 2, "0 is not a number of GPUs; give one from 1"),
        (["size", "--gpus", "-8", "--server", "dgx_h100_8"], 2, "-8 is not a number of GPUs"),
        (["size", "--gpus", "9999999", "--server", "dgx_h100_8"], 2, "9999999 is not a number of GPUs"),
        (["size", "--gpus", "512", "--server", "DGX-H100"], 2, "no server 'DGX-H100'; did you mean dgx_h100_8?"),
        (["size", "--gpus", "512", "--server", "storage_2x200"], 2, "storage_2x200 has no GPUs"),
        (["size", *H100, "--switch", "z9864f"], 2, "no switch 'z9864f'; did you mean dell_z9864f?"),
        (["size", *H100, "--platform", "sonik"], 2, "no platform 'sonik'; did you mean sonic?"),
        (["size", *H100, "--nic", "cx7"], 2, "no NIC 'cx7'"),
        (["size", *H100, "--ratio", "0:1"], 2, "'0:1' is not a ratio; write downlink to uplink bandwidth"),
        (["size", *H100, "--cable", "mmf:30"], 2, "'mmf:30' is not a cable; write LINK=MEDIUM:METRES"),
        (["size", *H100, "--speed", "fast"], 2, "'fast' is not a speed; write Gb/s, such as 400G."),
        (["size", *H100, "--planes", "3"], 2, "the catalog has no NIC with 3 ports"),
        (["size", *H100, "--planes", "-1"], 2, "-1 is negative"),
        (["size", *H100, "--attachment", "tor"], 2, "'tor' is unknown; use rail"),
        (["size", *H100, "--per-unit", "-1"], 2, "-1 is negative"),
        (["size", *H100, "--switch", "nvidia_sn3700"], 1, "nvidia_sn3700 does not run 400G"),
        (["size", *H100, "--switch", "dell_z9664f", "--platform", "eos"], 1, "does not run 'eos'"),
        (["size", "--gpus", "131072", "--server", "dgx_h100_8", "--switch", "dell_z9664f"], 1, "hold 65536 GPUs"),
        (["init"], 2, "which folder? For example: fabricgen init my-fabric --gpus 512."),
        (["init", "x", "--server", "dgx_h100_8"], 2, "how many GPUs?"),
        (["init", "x", "--blueprint", "quickstart", "--gpus", "8"], 2, "a blueprint has its own size"),
    ],
)
def test_what_cannot_be_is_a_sentence_that_helps(words: list[str], code: int, told: str, tmp_path: Path) -> None:
    done = run(*words, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert told in " ".join(done.stderr.split())
    assert not done.stdout
    assert not list(tmp_path.iterdir())
    if code == 1:
        assert "Fits: --switch " in done.stderr


def test_more_than_is_asked_for_is_told() -> None:
    out = succeed("size", "--gpus", "520", "--server", "dgx_h100_8", "--switch", "dell_z9664f", "--platform", "sonic")
    assert "520 GPUs are asked for; 3 equal units of 22 hold 528." in out
    exact = succeed("size", *H100)
    assert "are asked for" not in exact


def test_a_server_without_public_pci_addresses_is_sized_and_told() -> None:
    words = ("--gpus", "512", "--server", "hgx_h100_8", "--format", "json")
    data = json.loads(succeed("size", *words))
    assert data["size"][0]["servers"] == 64
    assert {row["code"] for row in data["remarks"]} >= {"FG-HST-004"}


def test_nothing_is_left_where_the_folder_is_in_use(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    done = run("init", tmp_path, *H100)
    assert done.returncode == 1
    assert "FG-SRC-042" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
