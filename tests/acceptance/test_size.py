"""``size`` and ``init`` as a planner meets them: figures, files, and sentences for what cannot be."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import REPOSITORY, run, succeed

H100 = ("--gpus", "512", "--server", "dgx_h100_8")
Z9664F = ("--switch", "dell_z9664f", "--platform", "sonic")


@cache
def _sized(*words: str) -> dict[str, list[dict[str, Any]]]:
    """Return what ``size`` prints as JSON; each command runs once."""
    return json.loads(succeed("size", *words, "--format", "json"))


def test_the_best_fabric_is_the_one_without_remarks() -> None:
    data = _sized(*H100)
    assert [(row["tier"], row["model"], row["switches"]) for row in data["tiers"]] == [
        ("leaf", "dell_z9664f", 16),
        ("spine", "dell_z9664f", 8),
    ]
    known = {"FG-PLT-153", "FG-PLT-977"}
    assert {row["code"] for row in data["remarks"]} == known, "a fault of the software and what every platform lacks"
    assert data["size"][0]["switches"] == 24
    behind = [(len({*row["remarks"]} - known) > 0, row["switch"]) for row in data["alternatives"]]
    # Fewer switches, but each with remarks.
    assert behind
    assert all(remarked for remarked, switch in behind if switch != "dell_z9664f")
    assert all(row["why"] and row["switch"] for row in data["refused"])


def test_the_intent_is_all_that_is_printed_where_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "fabric.yaml").write_text(succeed("size", *H100, *Z9664F, "--intent"))
    done = run("validate", tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.strip().endswith("1 warning\nfabric: valid, 512 GPUs, 64 hosts, 24 switches")


def test_a_new_inventory_is_named_after_its_folder_and_warns_of_known_faults_alone(tmp_path: Path) -> None:
    done = run("init", "Hall_2 East", *H100, cwd=tmp_path).exits(0)
    folder = tmp_path / "Hall_2 East"
    assert "512 GPUs: 64 servers, 16 leafs, 8 spines of dell_z9664f" in done.stderr
    lines = (folder / "fabric.yaml").read_text().splitlines()
    assert lines[0] == "# yaml-language-server: $schema=intent.schema.json"
    assert "fabric: hall-2-east" in lines
    # Every block is explained.
    keys = [number for number, line in enumerate(lines) if line and line[0].isalpha()]
    assert all(lines[number - 1].startswith("#") for number in keys), lines
    others = {path.name for path in folder.iterdir()} - {"fabric.yaml"}
    assert {"intent.schema.json", "workload.schema.json"} <= others
    assert all(name.endswith(".schema.json") for name in others)
    assert [path.name for path in tmp_path.iterdir()] == ["Hall_2 East"]
    rendered = run("render", folder, "-o", tmp_path / "out", "--only", "spine-01").exits(0)
    assert re.findall(r"\[(FG-\S+)\]", rendered.stderr) == ["FG-PLT-153"]


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
    run("validate", tmp_path / "lab-3").exits(0)


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["size"], 2, "which server are they in?"),
        (["size", "--server", "dgx_h100_8"], 2, "how many GPUs? For example --gpus 512, or a deadline"),
        (["size", "--gpus", "512"], 2, "which server are they in? For example --server dgx_h100_8"),
        (["size", "--gpus", "0", "--server", "dgx_h100_8"], 2, "'0' is not a whole number from 1 to 1000000"),
        (["size", "--gpus", "-8", "--server", "dgx_h100_8"], 2, "'-8' is not a whole number"),
        (["size", "--gpus", "9999999", "--server", "dgx_h100_8"], 2, "'9999999' is not a whole number"),
        (["size", "--gpus", "512", "--server", "DGX-H100"], 2, "no server 'DGX-H100'; did you mean dgx_h100_8 or"),
        (["size", "--gpus", "512", "--server", "storage_2x200"], 2, "storage_2x200 has no GPUs"),
        (["size", *H100, "--switch", "z9864f"], 2, "no switch 'z9864f'; did you mean dell_z9864f?"),
        (["size", *H100, "--platform", "sonik"], 2, "no platform 'sonik'; did you mean sonic?"),
        (["size", *H100, "--nic", "cx7"], 2, "no NIC 'cx7'"),
        (["size", *H100, "--ratio", "0:1"], 2, "'0:1' is not a ratio; write downlink to uplink bandwidth"),
        (["size", *H100, "--cable", "mmf:30"], 2, "'mmf:30' is not a cable; write LINK=MEDIUM:METRES"),
        (["size", *H100, "--speed", "fast"], 2, "'fast' is not a speed; write Gb/s, such as 400G."),
        (["size", *H100, "--planes", "3"], 2, "the catalog has no NIC with 3 ports"),
        (["size", *H100, "--planes", "-1"], 2, "'-1' is not a whole number"),
        (["size", *H100, "--attachment", "tor"], 2, "'tor' is unknown; use rail"),
        (["size", *H100, "--per-unit", "-1"], 2, "'-1' is not a whole number"),
        (["size", *H100, "--switch", "juniper_qfx5240_64od_qd"], 1, "No platform of this catalog runs on juniper_qfx"),
        (["size", *H100, "--switch", "nvidia_sn3700"], 1, "nvidia_sn3700 does not run 400G"),
        (["size", *H100, "--switch", "dell_z9664f", "--platform", "eos"], 1, "does not run 'eos'"),
        pytest.param(
            ["size", "--gpus", "131072", "--server", "dgx_h100_8", "--switch", "dell_z9664f"],
            1,
            "hold 65536 GPUs",
            marks=pytest.mark.nightly,
        ),
        (["init"], 2, "which folder? For example: fabricgen init my-fabric --gpus 512."),
        (["init", "x", "--server", "dgx_h100_8"], 2, "how many GPUs?"),
        (["init", "x", "--blueprint", "quickstart", "--gpus", "8"], 2, "a blueprint has its own size"),
    ],
)
def test_what_cannot_be_is_a_sentence_that_helps(words: list[str], code: int, told: str, tmp_path: Path) -> None:
    done = run(*words, cwd=tmp_path).exits(code)
    assert told in " ".join(done.stderr.split())
    assert not done.stdout
    assert not list(tmp_path.iterdir())
    if code == 1:
        assert "Fits: --switch " in done.stderr


def test_more_than_is_asked_for_is_told() -> None:
    out = succeed("size", "--gpus", "520", "--server", "dgx_h100_8", "--switch", "dell_z9664f", "--platform", "sonic")
    assert "520 GPUs are asked for; 3 equal units of 22 hold 528." in out


def test_a_server_without_public_pci_addresses_is_written_with_what_is_left_to_do(tmp_path: Path) -> None:
    done = run("init", tmp_path / "new", "--gpus", "512", "--server", "hgx_h100_8", *Z9664F).exits(0)
    assert "Left to do: no public PCI map of hgx_h100_8 is known" in done.stderr
    checked = run("validate", tmp_path / "new", "--format", "json")
    found = [item for item in json.loads(checked.stdout)["diagnostics"] if item["severity"] == "error"]
    assert [item["code"] for item in found] == ["FG-HST-004"]


def test_nothing_is_left_where_the_folder_is_in_use(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    assert "FG-SRC-042" in run("init", tmp_path, *H100).exits(1).stderr
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_days_for_gpus_and_gpus_for_days(tmp_path: Path) -> None:
    run_of = ("--server", "dgx_h100_8", "--tokens", "15T", "--mfu", "0.4", *Z9664F, "--format", "json")
    given = json.loads(succeed("size", "--gpus", "2048", "--parameters", "70.6B", *run_of))
    assert given["training"][0]["days"] == 90.8
    assert given["size"][0]["switches"] == 96
    job = "inventories/rail-1k/workloads/llama3-70b.yaml"
    deadline = json.loads(succeed("size", "--days", "90.8", "--workload", job, *run_of))
    assert deadline["training"][0]["gpus"] == pytest.approx(2048, abs=2)


SILENT_S = 120
"""A command that prints nothing for so long waits for an answer that it does not get."""


def _talk(words: list[str], folder: Path, answers: list[str], columns: int) -> tuple[int, str]:
    """Run a command on a terminal of some width, with SIGINT as by default, and answer it; its code and its screen."""
    program = [sys.executable, "-m", "fabricgen", *words]
    env = {**os.environ, "PYTHONPATH": str(REPOSITORY), "COLUMNS": str(columns), "TERM": "dumb"}
    child, terminal = pty.fork()
    if not child:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.chdir(folder)
        os.execve(sys.executable, program, env)
    screen, last, silent_s = b"", b"", 0
    while silent_s < SILENT_S:
        if not select.select([terminal], [], [], 1)[0]:
            silent_s += 1
            if last == b"\x03":  # one that comes just before the program waits is noted, and does not wake it
                os.write(terminal, last)
            continue
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        screen, silent_s = screen + data, 0
        if answers and screen.endswith(b"]: "):
            last = answers.pop(0).encode()
            os.write(terminal, last)
            screen += b"\n"
        if not data:
            break
    else:
        os.kill(child, signal.SIGKILL)
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), screen.decode().replace("\r", "")


def test_questions_on_a_terminal_make_an_inventory(tmp_path: Path) -> None:
    """Defaults by an empty line, a number or a name; a bad answer is asked for again."""
    answers = ["lots\n", "256\n", "99\n", "1\n", "x\n", "1:1\n", "dell_z9664f with sonic\n"]
    code, screen = _talk(["init", "hall-7"], tmp_path, answers, 100)
    assert code == 0, screen
    assert "'lots' is not a whole number from 1 to" in screen
    assert "'99' is not in the list; answer with a number from 1 to" in screen
    assert "'x' is not a ratio; write downlink to uplink bandwidth" in screen
    assert "256 GPUs: 32 servers, 8 leafs, 4 spines of dell_z9664f" in screen
    text = (tmp_path / "hall-7/fabric.yaml").read_text()
    assert "fabric: hall-7" in text
    assert "gpus: 256" in text


def test_control_c_at_a_question_leaves_nothing(tmp_path: Path) -> None:
    code, screen = _talk(["init", "hall-7"], tmp_path, ["256\n", "\x03"], 80)
    assert code == 130
    assert "Traceback" not in screen
    assert list(tmp_path.iterdir()) == []
