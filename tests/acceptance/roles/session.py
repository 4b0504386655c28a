"""A person's session: commands on a terminal of some width, counted."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tests.acceptance.printed_tables import assert_shown, fields_of, read_screen, tables_of
from tests.acceptance.terminal import WIDTHS, run_on_terminal
from tests.command_line import run_here

__all__ = ["COMMANDS_MAX", "WIDTHS", "Session"]
COMMANDS_MAX = 6


@cache
def read_json(folder: Path, command: str) -> Any:
    """Return the data of a command as JSON, which does not depend on a terminal and counts as no command."""
    done = run_here(*command.split()[1:], "--format", "json", cwd=folder).exits(0)
    return json.loads(done.stdout)


@dataclass
class Session:
    """Commands in a folder, on a terminal."""

    folder: Path
    width: int = 80
    commands: list[str] = field(default_factory=list)

    def on(self, width: int) -> Session:
        """The session as it goes on, on a terminal of another width."""
        return Session(self.folder, width, [*self.commands])

    def run(self, command: str, *, expected: int = 0) -> str:
        """Type a command; what it prints, data first."""
        self.commands.append(command)
        assert len(self.commands) <= COMMANDS_MAX, self.commands
        env = {**os.environ, "TERM": "xterm", "NO_COLOR": "1"}
        env.pop("COLUMNS", None)
        shown, code = run_on_terminal(command.split(), columns=self.width, env=env, cwd=self.folder)
        assert code == expected, shown
        return shown

    def run_list(self, command: str) -> list[dict[str, Any]]:
        """Type a command that prints one table; its rows, all of which are on the screen."""
        screen, rows = self.run(command), read_json(self.folder, command)
        self._assert_fits(screen)
        assert_shown(rows, read_screen(screen, fields_of(rows)), nothing="")
        found: list[dict[str, Any]] = rows
        return found

    def run_sections(
        self, command: str, *, unlisted: tuple[str, ...] = (), first: Mapping[str, int] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Type a command that prints sections; its screen and data, all of which are on the screen.

        Args:
            command: The command.
            unlisted: Sections that the table leaves to other formats.
            first: Sections whose first rows alone are in the table, and how many.
        """
        screen, data = self.run(command), read_json(self.folder, command)
        self._assert_fits(screen)
        for section, rows in data.items():
            if section not in unlisted:
                rows = rows[: (first or {}).get(section, len(rows))]
                tables = tables_of(screen, section.replace("_", " ").upper(), fields_of(rows))
                assert_shown(rows, tables, nothing="-")
        return screen, data

    def _assert_fits(self, screen: str) -> None:
        assert max(map(len, screen.splitlines())) <= self.width, screen
