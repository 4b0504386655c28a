"""A machine's missing parts are reported in one message, before anything is made; for real, as root."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fabricgen.lab.lifecycle import state
from tests.acceptance.laboratory import list_folder
from tests.acceptance.laboratory import real as real
from tests.acceptance.run import INVENTORIES, REPOSITORY

UP = [sys.executable, "-m", "fabricgen", "lab", "up"]


def refused(command: list[str], path: str = "") -> str:
    """Run a command that has to fail before it makes anything; what it says."""
    env = {**os.environ, "PYTHONPATH": str(REPOSITORY), **({"PATH": path} if path else {})}
    done = subprocess.run(command, cwd=REPOSITORY, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "1 error" in done.stderr
    assert not [name for name in list_folder(Path("/run/netns")) if name.startswith("fglab.lacking")]
    assert "lacking" not in state.list_labs()
    return done.stderr


def up(name: str, *words: str) -> list[str]:
    return [*UP, str(INVENTORIES / name), "--name", "lacking", *words]


def test_no_programs(tmp_path: Path) -> None:
    (tmp_path / "sh").symlink_to(shutil.which("sh") or "/bin/sh")
    said = refused(up("quickstart"), str(tmp_path))
    assert "FG-LAB-002" in said
    assert "nsenter" in said
    assert "apt-get install" in said


def test_no_namespaces() -> None:
    """Root without the capability, as in most containers."""
    said = refused(["setpriv", "--bounding-set=-sys_admin", "--inh-caps=-all", *up("quickstart")])
    assert "FG-LAB-003" in said


@pytest.mark.nightly
def test_no_room_for_files() -> None:
    """A disk that is full when the lab is claimed, and one that fills while devices come up."""
    for size in ("16k", "330k"):
        script = f'mount -t tmpfs -o size={size} tmpfs /run && exec "$@"'
        apart = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", script, "sh"]
        assert "FG-SRC-043" in refused([*apart, *up("quickstart")])


def test_a_root_without_routing_daemons(tmp_path: Path) -> None:
    said = refused(up("quickstart", "--frr", str(tmp_path)))
    assert "FG-LAB-002" in said
    assert f"{tmp_path}/usr/lib/frr/bgpd" in said
