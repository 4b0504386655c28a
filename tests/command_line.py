"""The command line at a third of its price: a process that has imported everything forks for each command.

As a program it reads one request a line and answers each with one line; ``run`` keeps one such process.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import io
import json
import os
import pkgutil
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import IO, Any, NamedTuple

from tests.waiting import PATIENCE_S

REPOSITORY = Path(__file__).resolve().parents[1]


class Done(NamedTuple):
    """Result of one command; the code is negative where a signal ended it."""

    returncode: int
    stdout: str
    stderr: str

    @classmethod
    def of(cls, process: subprocess.CompletedProcess[str]) -> Done:
        """Result of a command that had a process of its own."""
        return cls(process.returncode, process.stdout, process.stderr)

    def exits(self, *codes: int) -> Done:
        """Return the result, which must have one of these exit codes; a failure shows what the command printed."""
        __tracebackhide__ = True
        wanted = " or ".join(map(str, codes))
        assert self.returncode in codes, f"exit code {self.returncode}, not {wanted}\n{self.stdout}{self.stderr}"
        return self


def run(
    *words: str | Path, cwd: Path = REPOSITORY, env: Mapping[str, str] | None = None, patience_s: int = PATIENCE_S
) -> Done:
    """Run ``fabricgen`` with these words; nothing is asserted.

    Where the environment is one that the interpreter reads when it starts, the command has one of its own.
    """
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), **(env or {})}
    if any(name.startswith(("PYTHON", "LC_", "LANG")) for name in env or {}):
        command = [sys.executable, "-m", "fabricgen", *words]
        done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
        return Done.of(done)
    return _Server.shared().ask(words, cwd, environment, patience_s=patience_s)


def succeed(*words: str | Path, cwd: Path = REPOSITORY, env: Mapping[str, str] | None = None) -> str:
    """Output of one command; its failure is the test's."""
    return run(*words, cwd=cwd, env=env).exits(0).stdout


def run_here(*words: str | Path, cwd: Path | None = None, given: bytes = b"") -> Done:
    """Run a command in this process, as a terminal would show it: for tests that replace a part of the product."""
    from fabricgen.cli.app import main

    # What one command leaves to be collected would count as memory of the next one in this process.
    gc.set_threshold(200_000, 20, 50)
    out, err = io.BytesIO(), io.BytesIO()
    streams = io.TextIOWrapper(out, "utf-8"), io.TextIOWrapper(err, "utf-8", errors="backslashreplace")
    before, argv, stdin = Path.cwd(), sys.argv, sys.stdin
    try:
        os.chdir(cwd or before)
        sys.argv, sys.stdin = ["fabricgen", *map(str, words)], io.TextIOWrapper(io.BytesIO(given))
        with redirect_stdout(streams[0]), redirect_stderr(streams[1]):
            code = main()
    finally:
        os.chdir(before)
        sys.argv, sys.stdin = argv, stdin
    for stream in streams:
        stream.flush()
    return Done(code, out.getvalue().decode(), err.getvalue().decode())


def run_on(terminal: str, *words: str | Path, cwd: Path, env: Mapping[str, str]) -> Done:
    """Run ``fabricgen`` with a terminal, named by its device, for input and data; its messages alone are returned."""
    return _Server.shared().ask(words, cwd, {**env, "PYTHONPATH": str(REPOSITORY)}, terminal=terminal)


def write_program(folder: Path) -> Path:
    """Write a program that is ``fabricgen`` into a folder, for those who call it by its path or find it there."""
    file = folder / "fabricgen"
    file.write_text(f"#!/bin/sh\nPYTHONPATH='{REPOSITORY}' exec '{sys.executable}' -m fabricgen \"$@\"\n")
    file.chmod(0o755)
    return file


def start(*words: str | Path, **options: Any) -> subprocess.Popen[str]:
    """Start a command in a process of its own that hears Control-C, which a job in the background does not."""
    return subprocess.Popen(
        [sys.executable, "-m", "fabricgen", *map(str, words)],
        cwd=REPOSITORY, env={**os.environ, "PYTHONPATH": str(REPOSITORY)}, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **options,
    )  # fmt: skip


class _Server:
    """A process that forks for each command; it ends when its input does."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.command_line"],
            cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip

    @classmethod
    @cache
    def shared(cls) -> _Server:
        """The one of this test process."""
        made = cls()
        atexit.register(made.stop)
        return made

    def ask(
        self, words: Sequence[str | Path], cwd: Path, environment: Mapping[str, str], terminal: str = "",
        patience_s: int = PATIENCE_S,
    ) -> Done:  # fmt: skip
        """Have a command run."""
        asked = {
            "words": [str(word) for word in words], "cwd": str(cwd), "env": dict(environment),
            "terminal": terminal, "patience_s": patience_s,
        }  # fmt: skip
        requests, answers = self._process.stdin, self._process.stdout
        assert requests is not None
        assert answers is not None
        requests.write(json.dumps(asked) + "\n")
        requests.flush()
        return Done(*json.loads(answers.readline()))

    def stop(self) -> None:
        """End the process."""
        self._process.communicate()


def _serve() -> None:
    """Answer requests until there are no more."""
    import fabricgen
    from fabricgen.cli.app import main
    from tests import shipped_once

    for module in pkgutil.walk_packages(fabricgen.__path__, "fabricgen."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    shipped_once.install()
    shipped_once.read_all()
    gc.freeze()
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        asked = json.loads(line)
        answers.write(json.dumps(run_forked(main, asked)) + "\n")
        answers.flush()


def run_forked(main: Callable[[], int], asked: dict[str, Any]) -> Done:
    """Run one command in a fork; one that hangs is killed by an alarm."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            code = 70
            try:
                _become(asked, out, err)
                code = main()
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        texts = []
        for file in (out, err):
            file.seek(0)
            with io.TextIOWrapper(file, "utf-8", errors="replace") as text:
                texts.append(text.read())
        return Done(code, *texts)


def _become(asked: dict[str, Any], out: IO[bytes], err: IO[bytes]) -> None:
    """Make this process the one that was asked for."""
    signal.alarm(asked["patience_s"])
    terminal = asked["terminal"]
    given = os.open(terminal or os.devnull, os.O_RDWR | os.O_NOCTTY)
    for target, source in enumerate((given, given if terminal else out.fileno(), err.fileno())):
        os.dup2(source, target)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    os.environ.clear()
    os.environ.update(asked["env"])
    os.chdir(asked["cwd"])
    sys.modules["__main__"].__package__ = "fabricgen"
    sys.argv = [str(REPOSITORY / "fabricgen/__main__.py"), *asked["words"]]


if __name__ == "__main__":
    _serve()
