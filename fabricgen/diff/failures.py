"""Failures inside fabricgen while one file is handled: they end there, in words that quote nothing of the file."""

from __future__ import annotations

from pathlib import PurePath
from traceback import walk_tb

_PACKAGE = "fabricgen"


def tell_failure(error: Exception) -> str:
    """Return the kind of an unforeseen error and the line of code it came from.

    Its own message is left out: that may quote what a device has.
    """
    frames = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    ours = [(path, line) for path, line in frames if _PACKAGE in PurePath(path).parts]
    path, line = (ours or frames or [("", 0)])[-1]
    parts = PurePath(path).parts
    inside = "/".join(parts[len(parts) - 1 - parts[::-1].index(_PACKAGE) :]) if ours else PurePath(path).name
    return f"fabricgen failed with {type(error).__name__} at {inside}:{line}"
