"""The wheel alone renders from any directory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.acceptance.run import REPOSITORY, read_tree, render


def call(*words: str | Path, cwd: Path) -> None:
    """Run a command that must succeed."""
    done = subprocess.run([str(word) for word in words], cwd=cwd, capture_output=True, text=True, check=False, env={})
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.nightly
def test_an_installed_wheel_renders_what_the_checkout_renders(tmp_path: Path) -> None:
    build = (sys.executable, "-m", "build", "--wheel", "--no-isolation")
    call(*build, "--outdir", tmp_path / "dist", REPOSITORY, cwd=tmp_path)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    call(sys.executable, "-m", "venv", "--without-pip", tmp_path / "env", cwd=tmp_path)
    install = (sys.executable, "-m", "pip", "--python", tmp_path / "env/bin/python", "install", "--no-compile")
    call(*install, "--quiet", wheel, cwd=tmp_path)
    here = tmp_path / "somewhere"
    here.mkdir()
    command = tmp_path / "env/bin/fabricgen"
    call(command, "init", "quickstart", cwd=here)
    call(command, "render", "quickstart", "-o", "out", cwd=here)
    render(REPOSITORY / "inventories/quickstart", tmp_path / "checkout")
    assert read_tree(here / "out") == read_tree(tmp_path / "checkout")
