"""Commands on a terminal of some width."""

from __future__ import annotations

import os
import pty
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Mapping, Sequence
from fcntl import ioctl
from pathlib import Path

from tests.command_line import REPOSITORY

WIDTHS = (80, 100, 160)


def run_on_terminal(
    words: Sequence[str], *, columns: int, env: Mapping[str, str], cwd: Path = REPOSITORY
) -> tuple[str, int]:
    """Run a command whose data goes to a terminal; messages go to a file, and follow.

    A progress display, which depends on how long a command takes, appears on a terminal only.

    Args:
        words: The command.
        columns: Width of the terminal.
        env: The environment.
        cwd: Where it runs.

    Returns:
        What it printed, data first, and its exit code.
    """
    called = [sys.executable, "-m", *words] if words[0] == "fabricgen" else words
    master, slave = pty.openpty()
    ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {**env, "PYTHONPATH": str(REPOSITORY)}
    with (
        tempfile.TemporaryFile() as messages,
        subprocess.Popen(called, cwd=cwd, env=environment, stdin=slave, stdout=slave, stderr=messages) as running,
    ):
        os.close(slave)
        shown = _read(master)
        os.close(master)
        code = running.wait()
        messages.seek(0)
        return (shown + messages.read()).decode().replace("\r\n", "\n"), code


def _read(terminal: int) -> bytes:
    """Everything until the other end is closed."""
    parts = bytearray()
    try:
        while part := os.read(terminal, 1 << 16):
            parts += part
    except OSError:  # Linux: the other end is closed
        pass
    return bytes(parts)
