"""Codes that are another code now; their numbers are not given again."""

from __future__ import annotations

_LINES_OF_SNIPPETS = ("FG-EXC-031", "FG-EXC-032", "FG-EXC-033", "FG-EXC-034", "FG-EXC-035", "FG-EXC-036")
RETIRED: dict[str, str] = dict.fromkeys(_LINES_OF_SNIPPETS, "FG-EXC-930")
"""Former code to the one that took its place."""
