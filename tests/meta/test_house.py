"""The house itself: rooms, types, style."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
TOOLS = {
    "rooms": ["-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"],
    "types": ["-m", "mypy", "--cache-dir", os.devnull],
    "style": ["-m", "ruff", "check", "--no-cache", "."],
    "format": ["-m", "ruff", "format", "--no-cache", "--check", "."],
}


@pytest.mark.parametrize("tool", TOOLS)
def test_the_house_is_in_order(tool: str) -> None:
    done = subprocess.run(
        [sys.executable, *TOOLS[tool]],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
