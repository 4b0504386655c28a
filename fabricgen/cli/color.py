"""Decision whether output is coloured."""

from __future__ import annotations

from typing import TextIO


def has_color(stream: TextIO) -> bool:
    """Return whether a stream gets colours: a terminal does; NO_COLOR and FORCE_COLOR have a say (no-color.org)."""
    import os

    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")
