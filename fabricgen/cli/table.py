"""Tables for the eye: rows as lines where they fit, as columns where they do not."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Literal

from fabricgen.cli.color import has_color
from fabricgen.diagnostics.visible import show_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

Row = dict[str, str | int | float]
"""Cells by column."""
GAP = 2
"""Blanks between columns."""
NARROWEST_TEXT = 16
"""To what a text of several words is folded at most where rows are lines."""
NARROWEST_TURNED, WIDEST_TURNED = 24, 36
"""How wide a row that is a column is: what the terminal has room for, within these."""
WIDTH_MIN = 80


def print_table(rows: Sequence[Row], *, fold: bool) -> None:
    """Print rows that share their keys.

    Args:
        rows: At least one.
        fold: On a terminal that is too narrow, break long texts; where numbers alone do not fit, print each row as a
            column. Otherwise a line stays a line, however long.
    """
    from rich.console import Console

    natural = sum(_width(rows, key) + GAP for key in rows[0])
    colors: Literal["auto"] | None = "auto" if has_color(sys.stdout) else None
    width = None if sys.stdout.isatty() else max(natural, WIDTH_MIN)
    console = Console(color_system=colors, width=width)
    folded = sum(_folded_width(rows, key) + GAP for key in rows[0])
    if fold and folded > console.width:
        _print_turned(console, rows)
    else:
        _print_lines(console, rows, fold)


def _width(rows: Sequence[Row], key: str) -> int:
    from rich.cells import cell_len

    return max(len(key), *(cell_len(show_line(str(row[key]))) for row in rows))


def _folded_width(rows: Sequence[Row], key: str) -> int:
    """How narrow a column may become: texts are folded between words, names and numbers never."""
    width = _width(rows, key)
    return min(width, max(len(key), NARROWEST_TEXT)) if _has_words(rows, key) else width


def _has_words(rows: Sequence[Row], key: str) -> bool:
    return any(" " in str(row[key]) for row in rows)


def _new_table() -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    return Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, GAP - 1, 0, 0))


def _cell(value: str | float) -> Text:
    """A cell as it is: brackets are no markup, colons no emoji."""
    from rich.text import Text

    return Text(show_line(str(value)))


def _print_lines(console: Console, rows: Sequence[Row], fold: bool) -> None:
    table = _new_table()
    for key, value in rows[0].items():
        justify: Literal["left", "right"] = "right" if isinstance(value, int | float) else "left"
        table.add_column(_cell(key), justify=justify, no_wrap=not fold or not _has_words(rows, key), overflow="fold")
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    console.print(table)


def _print_turned(console: Console, rows: Sequence[Row]) -> None:
    """Rows as columns under their first field, as many beside each other as the terminal has room for."""
    first, *others = rows[0]
    room = console.width - max(map(len, rows[0])) - GAP
    widest = min(max(_width(rows, key) for key in rows[0]), WIDEST_TURNED)
    width = min(widest, max(room // len(rows) - GAP, NARROWEST_TURNED))
    beside = max(1, room // (width + GAP))
    for start in range(0, len(rows), beside):
        shown = rows[start : start + beside]
        table = _new_table()
        table.add_column(_cell(first), no_wrap=True)
        for row in shown:
            table.add_column(_cell(row[first]), width=width, overflow="fold")
        for key in others:
            table.add_row(_cell(key), *(_cell(row[key]) for row in shown))
        console.print(table)
