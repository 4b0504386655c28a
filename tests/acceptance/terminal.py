"""Commands on a terminal of some width."""

from __future__ import annotations

import os
import pty
import struct
import termios
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from fcntl import ioctl

from tests.command_line import REPOSITORY, run_on

WIDTHS = (80, 100, 160)


def run_on_terminal(words: Sequence[str], *, columns: int, env: Mapping[str, str]) -> tuple[str, int]:
    """Run a command whose data goes to a terminal, messages to a file: its output, data first, and exit code."""
    master, slave = pty.openpty()
    ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with ThreadPoolExecutor(1) as reader:
        shown = reader.submit(_read, master)
        try:
            code, _, messages = run_on(os.ttyname(slave), *words, cwd=REPOSITORY, env=env)
        finally:
            os.close(slave)
        data = shown.result().decode()
    os.close(master)
    return (data + messages).replace("\r\n", "\n"), code


def _read(terminal: int) -> bytes:
    """Everything until the other end is closed."""
    parts = bytearray()
    try:
        while part := os.read(terminal, 1 << 16):
            parts += part
    except OSError:  # Linux: the other end is closed
        pass
    return bytes(parts)
