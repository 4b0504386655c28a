"""Progress of what takes longer than a second: drawn on a terminal, gone at the end."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, Timer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

Progress = Callable[[str, int, int], None]
"""Takes what is done, how much of it, and out of how much; 0 if that is not known."""
DELAY_S = 1.0


@contextmanager
def show_progress(what: str = "", *, delay_s: float = DELAY_S) -> Iterator[Progress]:
    """Draw progress on a terminal, and nothing elsewhere; ``what`` is done until more is known.

    What ends before the delay draws nothing.
    """
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield lambda what, done, total: None
        return
    drawing = _Drawing(what)
    timer = Timer(delay_s, drawing.start)
    timer.daemon = True
    timer.start()
    try:
        yield drawing.update
    finally:
        timer.cancel()
        drawing.stop()


class _Drawing:
    """A bar for what is done now; drawn from the moment that it is started."""

    def __init__(self, what: str) -> None:
        self._lock = Lock()
        self._what, self._done, self._total = what, 0, 0
        self._bars: Bars | None = None
        self._ended = False

    def start(self) -> None:
        """Begin to draw what is known."""
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (
            TextColumn("{task.description:<20}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[count]}", markup=False),
            TimeElapsedColumn(),
        )
        with self._lock:
            if self._ended:
                return
            terminal = getattr(sys.stderr, "terminal", sys.stderr)
            self._bars = Progress(*columns, console=Console(file=terminal), transient=True)
            self._bars.add_task(self._what, total=None, count="", visible=bool(self._what))
            self._draw()
            self._bars.start()

    def update(self, what: str, done: int, total: int) -> None:
        """Take how far something is; what came before it is done."""
        with self._lock:
            if self._bars is not None and what != self._what:
                # A total once given cannot be taken from a task again.
                self._bars.remove_task(self._bars.task_ids[0])
                self._bars.add_task(what, total=None, count="")
            self._what, self._done, self._total = what, done, total
            self._draw()

    def stop(self) -> None:
        """Take everything off the screen."""
        with self._lock:
            self._ended = True
            bars, self._bars = self._bars, None
        if bars is not None:
            bars.stop()

    def _draw(self) -> None:
        if self._bars is not None:
            done, total = self._done, self._total
            count = f"{done}/{total}" if total else str(done or "")
            task = self._bars.task_ids[0]
            self._bars.update(task, description=self._what, completed=done, total=total or None, count=count)
