"""Values of a comparison: as one short line for people, whole for programs, and never with what may not be shown."""

from __future__ import annotations

from typing import Any

from fabricgen.diagnostics.visible import HIDDEN, show_line
from fabricgen.diff.tree_changes import Steps
from fabricgen.platforms.patching.steps import ABSENT, Change
from fabricgen.platforms.reading.reader import is_tree, number_of
from fabricgen.platforms.reading.redaction import Redaction

_SHOWN_MAX = 72
_LINE_MAX = 56
"""A line of a text stands beside the number of the others."""


def show_pair(change: Change, redaction: Redaction) -> tuple[str, str]:
    """Return both values as they may be shown; of texts that are compared by line, the first lines that differ."""
    before, after, steps = change.before, change.after, change.steps
    if isinstance(before, list) and isinstance(after, list) and steps[-1:] == ("lines",):
        had, wanted = frozenset(before), frozenset(after)
        old, new = [line for line in before if line not in wanted], [line for line in after if line not in had]
        more = max(len(old), len(new)) - 1
        suffix = f" (and {more} more)" if more > 0 else ""
        shown = [cut(_plain(redaction.line(lines[0]) if lines else ""), _LINE_MAX) for lines in (old, new)]
        return shown[0], shown[1] + suffix
    return show_value(before, steps, redaction), show_value(after, steps, redaction)


def show_value(value: Any, steps: Steps, redaction: Redaction) -> str:
    """Return a value in one line, without what may not be shown; empty for an absent one."""
    return "" if value is ABSENT else _text(redaction.value(steps, value))


def whole_value(value: Any, steps: Steps, redaction: Redaction) -> Any:
    """Return a value as JSON holds it, with a placeholder for what may not be shown; None for an absent one."""
    if value is ABSENT:
        return None
    if isinstance(value, list) and steps[-1:] == ("lines",):
        return [redaction.line(line) for line in value]
    return redaction.value(steps, value)


def _text(value: Any) -> str:
    if is_tree(value):
        items = sorted(value.items())
        return " ".join(key if is_tree(item) else f"{key}={_text(item)}" for key, item in items)
    if isinstance(value, list):
        shown = [f"({_text(item)})" if is_tree(item) else _text(item) for item in value]
        return HIDDEN if shown and set(shown) == {HIDDEN} else " ".join(shown)
    return _plain(value)


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return show_line(str(value)[: 8 * _SHOWN_MAX])


def cut(text: str, most: int = _SHOWN_MAX) -> str:
    """Return a text short enough for a line."""
    return text if len(text) <= most else text[: most - 2] + " …"


def number(text: str) -> str:
    """Return a whole number with its thousands apart; any other text in quotes if it is empty or has blanks."""
    value = number_of(text)
    if value is not None and not text.startswith("0"):
        return f"{value:,}"
    return f"“{text}”" if not text or " " in text else text
