"""The README's real run: its commands, and what they print today.

The block between two marks of the README is a console session. Lines that begin with ``$`` are commands; they run one
after the other in an empty folder, and the lines below each are replaced by its output.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[2]
BEGIN, END = "<!-- run by make docs -->\n```console\n", "```\n<!-- end of the run -->"


def put_run(page: str) -> str:
    """Return the README with the output of today in the place of the old one."""
    before, _, rest = page.partition(BEGIN)
    session, _, after = rest.partition(END)
    commands = [line.removeprefix("$ ") for line in session.splitlines() if line.startswith("$ ")]
    with TemporaryDirectory() as folder:
        printed = _run(commands, Path(folder))
    return before + BEGIN + printed + END + after


def _run(commands: list[str], folder: Path) -> str:
    """Return a session in a folder: each command, and what it prints to both of its outputs."""
    shim = folder / ".bin" / "fabricgen"
    shim.parent.mkdir()
    shim.write_text(
        f'#!/bin/sh\nPYTHONPATH={shlex.quote(str(ROOT))} exec {shlex.quote(sys.executable)} -m fabricgen "$@"\n'
    )
    shim.chmod(0o755)
    given = {name: value for name, value in os.environ.items() if name not in ("CI", "FORCE_COLOR", "GITHUB_ACTIONS")}
    env = {**given, "PATH": f"{shim.parent}{os.pathsep}{given['PATH']}", "COLUMNS": "100", "NO_COLOR": "1"}
    lines: list[str] = []
    for command in commands:
        done = subprocess.run(
            ["/bin/sh", "-c", command], cwd=folder, env=env, text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        printed = done.stdout.replace(f"{ROOT}/", "").rstrip()
        lines += [f"$ {command}", *(line.rstrip() for line in printed.splitlines())]
    return "\n".join(lines) + "\n"
