"""Rehearsal of a rendered script: it runs against a made-up /sys, with tools that only record their arguments.

A script of ours is a program; reading its tables would prove nothing of what it does with them. It runs with no
environment and no tool but the few below, so it can reach neither this machine's devices nor its commands.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

SYSFS_VARIABLE = "FABRICGEN_SYSFS"
ORDINARY = ("awk", "basename", "cat", "cut", "grep", "mkdir", "mktemp", "readlink", "rm", "sed", "sort", "tr", "wc")
"""Tools that the script gets as they are; none of them reaches a device."""

RECORDER = """#!/bin/sh
for word; do printf '%s\\037' "$word"; done >>"$REHEARSAL/{tool}.calls"
printf '\\n' >>"$REHEARSAL/{tool}.calls"
[ ! -e "$REHEARSAL/{tool}.answer" ] || cat "$REHEARSAL/{tool}.answer"
"""
_REAL_SYS = re.compile(r"(?<![\w}$-])/(sys|proc|dev|etc|var|root|boot|home)\b(?!/null)")
_DEFAULT_SYS = f"${{{SYSFS_VARIABLE}:-/sys}}"
CPU_MAX_S = 120
"""CPU time of one process of a script: a loop without an end is killed, however busy the machine is."""
WAIT_MAX_S = 7200
"""Bound for a script that waits for what never comes; no busy machine takes as long for thousands of processes."""


@dataclass(frozen=True, slots=True)
class Stage:
    """The machine that a script finds: ``files`` and ``links`` are below /sys, by path."""

    tools: tuple[tuple[str, str], ...]
    files: tuple[tuple[str, str], ...] = ()
    folders: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """Result of a script: calls of recorded tools in order per tool, files as it left them, and its exit."""

    calls: dict[str, list[list[str]]]
    files: dict[str, str]
    status: int
    complaint: str


def _set_up(stage: Stage, root: Path) -> None:
    for name in ("bin", "sys"):
        (root / name).mkdir()
    for tool in ORDINARY:
        found = shutil.which(tool)
        if found:
            (root / "bin" / tool).symlink_to(found)
    for tool, answer in (*stage.tools, ("sleep", "")):
        path = root / "bin" / tool
        path.write_text(RECORDER.replace("{tool}", tool))
        path.chmod(0o755)
        (root / f"{tool}.answer").write_text(answer)
    for folder in stage.folders:
        (root / "sys" / folder).mkdir(parents=True, exist_ok=True)
    for path_text, content in stage.files:
        path = root / "sys" / path_text
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content + "\n")
    for path_text, target in stage.links:
        path = root / "sys" / path_text
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(root / "sys" / target)


def _calls(path: Path) -> list[list[str]]:
    if not path.exists():
        return []
    return [line.split("\037")[:-1] for line in path.read_text().splitlines()]


def code_of(script: str) -> str:
    """A script without the comments that name its host."""
    return "".join(line for line in script.splitlines(keepends=True) if not line.startswith("# "))


@lru_cache(maxsize=4096)
def rehearse(script: str, arguments: tuple[str, ...], stage: Stage) -> Rehearsal:
    """Run a script that names no path of the real machine on a made-up one; hosts that share both share the run."""
    code = "\n".join(line for line in script.splitlines() if not line.lstrip().startswith("#"))
    real = _REAL_SYS.search(code.replace(_DEFAULT_SYS, ""))
    if real:
        raise PermissionError(f"names {real[0]} itself instead of {_DEFAULT_SYS}, so it was not run")
    with tempfile.TemporaryDirectory(prefix="rehearsal-") as folder:
        root = Path(folder)
        _set_up(stage, root)
        (root / "script").write_text(script)
        environment = {
            "PATH": str(root / "bin"),
            SYSFS_VARIABLE: str(root / "sys"),
            "REHEARSAL": str(root),
            "TMPDIR": str(root),
        }
        done = subprocess.run(
            ["/bin/sh", "-c", f'ulimit -t {CPU_MAX_S}; exec /bin/sh "$@"', "sh", str(root / "script"), *arguments],
            env=environment, cwd=root, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=WAIT_MAX_S, check=False,
        )  # fmt: skip
        return Rehearsal(
            {tool: _calls(root / f"{tool}.calls") for tool, _ in stage.tools},
            {path: (root / "sys" / path).read_text().strip() for path, _ in stage.files},
            done.returncode,
            done.stderr.replace(str(root), "").strip(),
        )
