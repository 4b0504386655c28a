"""Output through the user's pager, where that is asked for."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout

import typer

PagerOption = typer.Option("--pager", help="Page through the output: $PAGER, or less without folding lines.")


@contextmanager
def paged(wanted: bool) -> Iterator[None]:
    """Send what is printed meanwhile to a pager; without a terminal it is printed as ever."""
    if not (wanted and sys.stdout.isatty()):
        yield
        return
    import io
    import os
    import pydoc

    text = io.StringIO()
    with redirect_stdout(text):
        yield
    sys.stdout.flush()
    os.environ.setdefault("LESS", "-S")
    pydoc.pager(text.getvalue())
