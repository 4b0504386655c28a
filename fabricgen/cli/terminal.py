"""The user's terminal: its width, texts wrapped for it, colours, and the pager where it is asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TextIO

import typer

from fabricgen.diagnostics.visible import show_line

WIDTH_DEFAULT = 80
WIDTH_MIN = 20
"""Narrower terminals are written to as if they were this wide."""


def terminal_width(stream: TextIO) -> int | None:
    """Return how many columns a stream's terminal has, ``COLUMNS`` first; None where no terminal is."""
    if not stream.isatty():
        return None
    stated = os.environ.get("COLUMNS", "")
    if stated.isascii() and stated.isdigit() and int(stated):
        return max(WIDTH_MIN, int(stated))
    try:
        found = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        found = 0
    return max(WIDTH_MIN, found or WIDTH_DEFAULT)


def print_text(text: str, *, indent: str = "", error: bool = False) -> None:
    """Print a text in one line, or wrapped between words where a terminal is narrower.

    Line ends in it become escapes. Lines after the first begin with as many blanks as ``indent`` is long; an ``error``
    goes to stderr.
    """
    stream = sys.stderr if error else sys.stdout
    shown, width = show_line(text), terminal_width(stream)
    if width is not None:
        import textwrap

        lines = textwrap.wrap(
            shown, width, subsequent_indent=" " * len(indent), break_long_words=False, break_on_hyphens=False
        )
        shown = "\n".join(lines)
    print(shown, file=stream)


def has_color(stream: TextIO) -> bool:
    """Return whether a stream gets colours: a terminal does; NO_COLOR and FORCE_COLOR have a say (no-color.org)."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


PagerOption = typer.Option("--pager", help="Page through the output: $PAGER, or less without folding lines.")


@contextmanager
def paged(wanted: bool) -> Iterator[None]:
    """Send what is printed meanwhile to a pager; without a terminal it is printed as ever."""
    if not (wanted and sys.stdout.isatty()):
        yield
        return
    import io
    import pydoc

    text = io.StringIO()
    with redirect_stdout(text):
        yield
    sys.stdout.flush()
    os.environ.setdefault("LESS", "-S")
    pydoc.pager(text.getvalue())
