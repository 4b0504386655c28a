"""Completion in a real bash, from the script that is printed for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.acceptance.run import INVENTORIES, REPOSITORY, succeed

QUICKSTART = str(INVENTORIES / "quickstart")
ASKED = {
    "fabricgen sch": {"schema"},
    "fabricgen show --form": {"--format"},
    f"fabricgen show {QUICKSTART} devices --format ": {"table", "json", "csv"},
    f"fabricgen show {QUICKSTART} ca": {"cabling"},
    f"fabricgen show {QUICKSTART} devices --tier s": {"spine"},
    f"fabricgen show {QUICKSTART} devices --device leaf-u001": {"leaf-u001-r0", "leaf-u001-r4"},
    f"fabricgen validate {QUICKSTART} --overlay mixed": {"mixed", "mixed-fboss"},
}
COMPLETE = """
source "$1"
COMP_WORDS=($2)
[ "${2% }" != "$2" ] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_fabricgen_completion fabricgen
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A folder with the command, and the script that completes it."""
    folder = tmp_path_factory.mktemp("completion")
    command = folder / "fabricgen"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m fabricgen "$@"\n')
    command.chmod(0o755)
    printed = folder / "completion.bash"
    printed.write_text(succeed("completion", "bash"))
    return folder, printed


def test_bash_completes_verbs_options_and_values(script: tuple[Path, Path]) -> None:
    folder, printed = script
    bash = shutil.which("bash")
    assert bash
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "PYTHONPATH": str(REPOSITORY)}
    for words, wanted in ASKED.items():
        done = subprocess.run(
            [bash, "--norc", "-c", COMPLETE, "bash", str(printed), words],
            env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, ""), words
        assert set(done.stdout.split()) == wanted, words


def test_every_shell_has_a_script() -> None:
    for shell in ("bash", "zsh", "fish"):
        assert "_FABRICGEN_COMPLETE" in succeed("completion", shell)
