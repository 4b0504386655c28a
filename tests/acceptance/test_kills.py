"""A render that is killed, at any moment, leaves a tree that the next command makes wholly the old or the new one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.acceptance.run import REPOSITORY
from tests.sampling import EVERYTHING, FRESH


@pytest.mark.nightly
def test_killed_renders_leave_whole_trees(tmp_path: Path) -> None:
    """With one process and with two, and the command that settles it killed too; `make test-all` kills hundreds."""
    count = 200 if EVERYTHING else 20
    ended = subprocess.run(
        [sys.executable, "-m", "tests.acceptance.kills", str(count), str(FRESH), str(tmp_path)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert found["findings"] == [], ended.stdout
    assert found["killed"] == count
