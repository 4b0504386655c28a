"""The option that rewrites goldens says what it did, removes what is left over, and does nothing where CI is set."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import Done

HERE = Path(__file__).parent
pytestmark = pytest.mark.nightly
TEST = 'def test_stage(golden):\n    golden("stage", {"one.txt": "now\\n", "new.txt": "fresh\\n"})\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A test of one stage with one golden that differs, one that is missing and one that is left over."""
    shutil.copyfile(HERE.parent / "conftest.py", tmp_path / "conftest.py")
    (tmp_path / "golden/expected/stage").mkdir(parents=True)
    shutil.copyfile(HERE / "conftest.py", tmp_path / "golden/conftest.py")
    (tmp_path / "golden/test_stage.py").write_text(TEST)
    (tmp_path / "golden/expected/stage/one.txt").write_text("then\n")
    (tmp_path / "golden/expected/stage/old.txt").write_text("gone\n")
    return tmp_path


def goldens(project: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in (project / "golden/expected/stage").iterdir()}


def run_tests(project: Path, *words: str, ci: str = "") -> Done:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(project),
        "golden",
        *words,
    ]
    env = {**os.environ, "CI": ci}
    return Done.of(subprocess.run(command, cwd=project, env=env, capture_output=True, text=True, check=False))


def test_a_difference_fails_and_nothing_is_written(project: Path) -> None:
    before = goldens(project)
    assert "make goldens" in run_tests(project).exits(1).stdout
    assert goldens(project) == before


def test_the_option_rewrites_and_lists(project: Path) -> None:
    done = run_tests(project, "--update-goldens").exits(0)
    listed = {tuple(line.split()) for line in done.stdout.splitlines() if "stage/" in line}
    assert listed == {("rewritten", "stage/one.txt"), ("new", "stage/new.txt"), ("removed", "stage/old.txt")}
    assert goldens(project) == {"one.txt": "now\n", "new.txt": "fresh\n"}
    again = run_tests(project, "--update-goldens")
    assert (again.returncode, "stage/" in again.stdout) == (0, False)
    run_tests(project).exits(0)


def test_continuous_integration_rewrites_nothing(project: Path) -> None:
    before = goldens(project)
    done = run_tests(project, "--update-goldens", ci="true").exits(pytest.ExitCode.USAGE_ERROR)
    assert "continuous integration" in done.stderr
    assert goldens(project) == before
