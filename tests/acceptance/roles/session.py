"""A person's session: commands on a terminal of some width, counted."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests.acceptance.run import REPOSITORY

WIDTHS = (80, 100, 160)
COMMANDS_MAX = 6


@dataclass
class Session:
    """Commands in a folder, on a terminal."""

    folder: Path
    width: int = 80
    commands: list[str] = field(default_factory=list)

    def run(self, command: str, *, expected: int = 0) -> str:
        """Type a command; its output as the terminal gets it."""
        self.commands.append(command)
        assert len(self.commands) <= COMMANDS_MAX, self.commands
        env = {
            **os.environ,
            # Progress of what takes longer than a second is drawn on other terminals: how long depends on the machine.
            "TERM": "dumb",
            "COLUMNS": str(self.width),
            "NO_COLOR": "1",
            "PYTHONPATH": str(REPOSITORY),
        }
        words = command.split()
        called = [sys.executable, "-m", *words] if words[0] == "fabricgen" else words
        master, slave = pty.openpty()
        try:
            process = subprocess.Popen(called, cwd=self.folder, env=env, stdin=slave, stdout=slave, stderr=slave)
            os.close(slave)
            shown = _read(master)
        finally:
            os.close(master)
        assert process.wait() == expected, shown
        return shown.replace("\r\n", "\n")


def _read(terminal: int) -> str:
    parts = []
    while True:
        try:
            part = os.read(terminal, 1 << 16)
        except OSError:  # the other end is closed
            part = b""
        if not part:
            return b"".join(parts).decode()
        parts.append(part)
