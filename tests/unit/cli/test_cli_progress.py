"""Progress is drawn on terminals only, after a while, and leaves nothing behind."""

from __future__ import annotations

import io
import re
from threading import Event

import pytest

from fabricgen.cli import progress


class Terminal(io.StringIO):
    """A terminal as far as a program can tell."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def drawn(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, term: str = "xterm") -> str:
    """Return what is drawn of three steps, of which the timer begins after the first."""
    started = Event()

    class Timer:
        daemon = False

        def __init__(self, delay_s: float, function: object) -> None:
            assert delay_s == progress.DELAY_S
            self.function = function

        def start(self) -> None:
            timers.append(self)

        def cancel(self) -> None:
            started.set()

    timers: list[Timer] = []
    monkeypatch.setattr(progress, "Timer", Timer)
    monkeypatch.setenv("TERM", term)
    monkeypatch.setattr("sys.stderr", stream)
    with progress.show_progress("checking") as show:
        show("rendering", 1, 3)
        for timer in timers:
            timer.function()  # type: ignore[operator]
        show("rendering", 2, 3)
        show("rendering", 3, 3)
    assert started.is_set() == bool(timers)
    return stream.getvalue()


def test_a_terminal_shows_progress_and_is_clean_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    text = drawn(monkeypatch, Terminal())
    assert "rendering" in text
    assert "3/3" in text
    # The cursor goes back up and each line is erased.
    assert text.rstrip("\n").endswith(("\x1b[2K", "\x1b[?25h"))
    assert re.search(r"\x1b\[1A\x1b\[2K", text)


def test_nothing_is_drawn_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    assert drawn(monkeypatch, io.StringIO()) == ""
    assert drawn(monkeypatch, Terminal(), term="dumb") == ""
    stream = Terminal()
    monkeypatch.undo()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr", stream)
    with progress.show_progress("checking", delay_s=3600) as show:
        show("rendering", 1, 1)
    assert stream.getvalue() == ""
