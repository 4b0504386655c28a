"""The last gate before a terminal or a build log: what is printed moves no cursor, hides nothing and controls nothing.

Callers make a foreign text visible first (``fabricgen.diagnostics.visible``), because only there is known
what it is. This gate holds for every other text: a usage error that repeats an argument, a traceback.
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from fabricgen.cli.terminal import has_color
from fabricgen.diagnostics.visible import HIDDEN_IN_LINES, LOG_COMMAND, escape_character

_HELD = re.compile(rf"(?P<color>\x1b\[[0-9;]*m)|(?P<log>{LOG_COMMAND})|{HIDDEN_IN_LINES.pattern}")
_COMMAND = re.compile(r"^([ \t]*):(?=:[^\n]*(?:::|\Z))", re.MULTILINE)
"""Start of a line that GitHub Actions would obey, ``::error::``, however far it is indented."""


class Gate(io.TextIOWrapper):
    """A stream of text with line feeds, colours if it may have any, and nothing else that is not seen."""

    def __init__(self, terminal: TextIO) -> None:
        """Write where ``terminal`` does; that stream itself is for what draws, such as a bar of progress."""
        # With PYTHONUNBUFFERED a stream writes at once and does not count as buffered by lines.
        at_once = any(getattr(terminal, name, False) for name in ("line_buffering", "write_through"))
        super().__init__(terminal.buffer, terminal.encoding, "backslashreplace", "\n", at_once)
        self.terminal = terminal
        self.lost: OSError | None = None
        self._colored = has_color(terminal)
        self._at_start = True

    def write(self, text: str, /) -> int:
        """Write a text; what is hidden in it, and what a build server would obey, as escapes."""
        if "::" in text:
            # What goes on with a line is no command; the mark in front says that it does.
            text = _COMMAND.sub(r"\1\\x3a", text) if self._at_start else _COMMAND.sub(r"\1\\x3a", f".{text}")[1:]
        return self.write_commands(text)

    def write_commands(self, text: str) -> int:
        """Write a text whose lines may be workflow commands, because they are ours."""
        if text:
            self._at_start = text[-1] == "\n"
            try:
                super().write("\n".join(map(self._visible, text.split("\n"))))
            except OSError as error:
                self._lose(error)
        return len(text)

    def flush(self) -> None:
        """Write what is held back."""
        try:
            super().flush()
        except OSError as error:
            self._lose(error)

    def _lose(self, error: OSError) -> None:
        """Let what is still to be written go nowhere: only the output is lost, not what the command does or finds."""
        if not isinstance(error, BrokenPipeError):
            self.lost = self.lost or error
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())

    def _visible(self, line: str) -> str:
        """A line as it is printed; the pattern is searched only where something can match."""
        is_plain = line.isascii() and line.isprintable() and "##" not in line
        return line if is_plain else _HELD.sub(self._show, line)

    def _show(self, found: re.Match[str]) -> str:
        if found["color"] and self._colored:
            return found[0]
        return "#\\x23" if found["log"] else "".join(map(escape_character, found[0]))


@contextmanager
def gated() -> Iterator[list[Gate]]:
    """Let everything that is printed meanwhile pass through the gates that are yielded."""
    _open_closed()
    before = sys.stdout, sys.stderr
    for stream in before:
        stream.flush()
    sys.stdout, sys.stderr = (Gate(each) if hasattr(each, "buffer") else each for each in before)
    gates = [each for each in (sys.stdout, sys.stderr) if isinstance(each, Gate)]
    try:
        yield gates
    finally:
        sys.stdout, sys.stderr = before
        for gate in gates:
            gate.flush()
            gate.detach()


def _open_closed() -> None:
    """Open to nothing those of input, output and errors that the caller has closed.

    The next file that is opened would have their number, and a program that is started would write into it.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open to the end
