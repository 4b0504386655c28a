"""Many commands for the price of one: everything is imported once, then each command runs in a fork of it.

As a program it takes one JSON document on stdin, `{"user": number or null, "commands": [[word, …], …]}`, and prints one
line per command: exit code, stdout, stderr.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parents[2]
PATIENCE_S = 60


class Done(NamedTuple):
    """What one command did; the code is negative where a signal ended it."""

    code: int
    stdout: str
    stderr: str


def run_many(commands: Sequence[Sequence[str]], user: int | None = None) -> list[Done]:
    """Run commands one after the other, as another user if asked; one that hangs is killed by an alarm."""
    document = json.dumps({"user": user, "commands": [list(words) for words in commands]})
    ended = subprocess.run(
        [sys.executable, "-m", "tests.acceptance.forked"],
        cwd=REPOSITORY,
        input=document,
        capture_output=True,
        text=True,
        check=True,
    )
    return [Done(*json.loads(line)) for line in ended.stdout.splitlines()]


def _serve() -> None:
    asked = json.load(sys.stdin)
    if asked["user"] is not None:
        _warm_up(asked["commands"])
    for words in asked["commands"]:
        sys.stdout.write(json.dumps(_run_forked(words, asked["user"])) + "\n")
        sys.stdout.flush()


def _warm_up(commands: Sequence[Sequence[str]]) -> None:
    """Import whatever the commands need: another user may not be able to read this interpreter's library."""
    from fabricgen.cli.app import main

    with open(os.devnull, "w", encoding="utf-8") as nothing, redirect_stdout(nothing), redirect_stderr(nothing):
        for words in commands:
            sys.argv = ["fabricgen", *words, *(["--check"] if words[0] == "render" else [])]
            main()


def _run_forked(words: Sequence[str], user: int | None) -> Done:
    from fabricgen.cli.app import main

    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            signal.alarm(PATIENCE_S)
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            if user is not None:
                os.setgroups([])
                os.setgid(user)
                os.setuid(user)
            sys.argv = ["fabricgen", *words]
            code = main()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
        return Done(code, *texts)


if __name__ == "__main__":
    _serve()
