"""A render that is interrupted, meets another one, or a disk that does not let it: told in words, the tree is whole."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.render.tree.access import open_tree
from tests.acceptance.run import INVENTORIES, config_of, copy_inventory, read_tree, render, run
from tests.acceptance.test_growth import GROWTH
from tests.command_line import start
from tests.waiting import PATIENCE_S, wait

QUICKSTART = INVENTORIES / "quickstart"
APART: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "start_new_session": True}
"""Of a command whose whole process group a signal is meant for."""


@pytest.mark.sampled(1, of="jobs")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_control_c_leaves_nothing_behind(jobs: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = start("render", INVENTORIES / "rail-1k", "-o", out, "--jobs", jobs, **APART)
    wait(lambda: any(tmp_path.glob(".out.*build*/hosts")), 0.005)
    os.killpg(process.pid, signal.SIGINT)
    stdout, stderr = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, stderr
    assert "Traceback" not in stderr
    assert "Error" not in stderr
    assert stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_control_c_keeps_the_old_tree(tmp_path: Path) -> None:
    out = tmp_path / "out"
    render(QUICKSTART, out)
    before = read_tree(out)
    large = copy_inventory("rail-1k", tmp_path / "large", {"fabric: rail-1k": "fabric: quickstart"})
    process = start("render", large, "-o", out, "--renumber", **APART)
    wait(lambda: any(out.glob("manifest/.*/*")), 0.005)
    os.killpg(process.pid, signal.SIGINT)
    _, stderr = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, stderr
    assert {path: data for path, data in read_tree(out).items() if not path.endswith("/.lock")} == {
        path: data for path, data in before.items() if not path.endswith("/.lock")
    }


def test_a_second_writer_is_told_and_stops(tmp_path: Path) -> None:
    out = tmp_path / "out"
    render(QUICKSTART, out)
    before = read_tree(out)
    grown = copy_inventory("quickstart", tmp_path / "grown", GROWTH["quickstart"])
    transaction = open_tree(out, Bag())
    with transaction:
        for words in ((), ("--force",), ("--check",)):
            done = run("render", str(grown), "-o", str(out), *words).exits(1)
            assert "error[FG-OUT-003]" in done.stderr
            assert "hint: " in done.stderr
    assert config_of(read_tree(out)) == config_of(before)
    render(grown, out)


def test_an_inventory_is_read_and_nothing_else(tmp_path: Path) -> None:
    inventory = copy_inventory("rail-1k", tmp_path / "fabric")
    for path in (*inventory.rglob("*"), inventory):
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = {path: path.stat().st_mtime_ns for path in (inventory, *inventory.rglob("*"))}
    render(inventory, tmp_path / "out")
    run("validate", str(inventory)).exits(0)
    assert {path: path.stat().st_mtime_ns for path in (inventory, *inventory.rglob("*"))} == before
