"""Waves of a rollout on real daemons: a drained spine loses no probe, one that just goes loses what was predicted."""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.laboratory import alone as alone
from tests.acceptance.laboratory import running
from tests.acceptance.run import INVENTORIES, run

PATIENCE_S = 1800
FLOOR = "rollout: {floor: 0.5}\n"
Rows = list[dict[str, Any]]


def plan(deployed: Path, folder: Path, *words: str, change: str = "", longer: bool = False) -> Path:
    """Plan the rollout of a change: lines of the intent, or longer cables to the spines, which need other headroom."""
    intended = Path(shutil.copytree(deployed, folder / "intended"))
    file = intended / "fabric.yaml"
    text = file.read_text() + change
    file.write_text(re.sub("length_m: 30", "length_m: 100", text) if longer else text)
    run("rollout", str(intended), str(deployed), "-o", str(folder / "bundle"), *words).exits(3)
    return folder / "bundle"


def rehearse(bundle: Path, *words: str) -> tuple[int, Rows, str]:
    """The exit code of a rehearsal, its waves and what follows them, and what it said."""
    name = f"rehearse{os.getpid()}"
    done = run("lab", "rehearse", str(bundle), "--name", name, "--format", "json", *words, patience_s=PATIENCE_S)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout), done.stderr


def assert_as_predicted(waves: Rows) -> None:
    """Every wave has the bandwidth and the next hops that were predicted, and loses no more than was."""
    for wave in waves:
        assert wave["result"] == "pass", wave["findings"]
        assert wave["bandwidth"] == wave["bandwidth_measured"]
        assert wave["next_hops_left"] == wave["next_hops_left_measured"]
        assert wave["lost"] <= wave["lost_most"]
        assert wave["moved_s"] <= wave["moves_s"] + wave["allowance_s"]
        assert wave["probes"] > 0


@pytest.mark.nightly
def test_spine_that_goes_out_undrained_loses_what_is_predicted(tmp_path: Path) -> None:
    deployed = Path(shutil.copytree(INVENTORIES / "quickstart", tmp_path / "deployed"))
    bundle = plan(deployed, tmp_path, "--tier", "spine", change=FLOOR, longer=True)
    code, rows, said = rehearse(bundle, "--without-drain")
    assert code == 0, f"{rows}\n{said}"
    waves = rows[:2]
    assert_as_predicted(waves)
    assert sum(wave["lost"] for wave in waves) > 0
    assert all(wave["lost_most"] > 0 == len(wave["drained"]) for wave in waves)
    code, rows, _ = rehearse(bundle)
    assert (code, [(wave["lost_most"], wave["lost"]) for wave in rows[:2]]) == (0, [(0, 0), (0, 0)])
    assert [row["check"] for row in rows[2:]] == ["sessions", "ecmp width", "reachability"]


@pytest.mark.nightly
def test_lab_that_runs_becomes_the_intended_fabric(tmp_path: Path) -> None:
    deployed = Path(shutil.copytree(INVENTORIES / "quickstart", tmp_path / "deployed"))
    drained = "rollout: {floor: 0}\nexceptions: [{device: spine-01, state: drained, reason: optics}]\n"
    bundle = plan(deployed, tmp_path, change=drained)
    with running(deployed, "live") as lab:
        run("lab", "rehearse", str(bundle), "--name", lab.name, patience_s=PATIENCE_S).exits(0)
        assert "bgp graceful-shutdown" in lab.on("spine-01", "vtysh", "-c", "show running-config")
        lab.judge().exits(1)
        replace(lab, inventory=tmp_path / "intended").judge().exits(0)
        again = run("lab", "rehearse", str(bundle), "--name", lab.name, patience_s=PATIENCE_S)
        assert (again.returncode, "FG-LAB-044" in again.stderr) == (1, True)


@pytest.mark.nightly
def test_change_of_every_switch_is_rehearsed_on_a_cut_of_rail_1k(tmp_path: Path) -> None:
    deployed = Path(shutil.copytree(INVENTORIES / "rail-1k", tmp_path / "deployed"))
    bundle = plan(deployed, tmp_path, change="routing: {bfd: 'off'}\n")
    code, rows, said = rehearse(bundle, "--cut", "units=3,hosts_per_unit=1")
    assert code == 0, f"{[row['findings'] for row in rows]}\n{said}"
    waves = [row for row in rows if "wave" in row]
    assert_as_predicted(waves)
    assert ["canary" in wave["scope"] for wave in waves] == [True, *4 * [False]]
    assert min(wave["bandwidth_measured"] for wave in waves) == 0.75
    assert sum(wave["lost"] for wave in waves) == 0
