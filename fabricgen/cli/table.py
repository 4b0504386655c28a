"""Tables for the eye: rows as lines where they fit, as columns where they do not; no value is ever cut.

The layout is our own, because a table of 16,000 links takes a library of tables ten times as long.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.cli.terminal import has_color, print_text, terminal_width
from fabricgen.diagnostics.visible import count_cells, show_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Row = dict[str, str | int | float]
"""Cells by column."""
GAP = "  "
"""Gap between columns."""
FOLDED_MIN = 14
"""To what a text of several words is folded at most where rows are lines."""
TURNED_MAX = 36
"""Width that a text may have where rows stand beside each other."""
KEYS = frozenset(
    {
        "name", "device", "interface", "asn", "loopback", "loopback6", "management", "address",
        "a", "a_port", "a_cage", "a_address", "a_address6", "b", "b_port", "b_cage", "b_address", "b_address6",
    }
)  # fmt: skip
"""Columns that are never left out: names, AS numbers, addresses and ports; of other tables, the first column."""
LEFT_OUT_FIRST = (
    "label", "reason", "serial", "a_serial", "b_serial", "kind", "link", "mtu", "platform", "model", "purpose", "place",
)  # fmt: skip
"""Columns in the order in which they are left out; those that are not named here follow, from the right."""


class _Column(NamedTuple):
    """One column, its texts already made visible."""

    key: str
    cells: list[str]
    width: int
    floor: int
    is_number: bool


def print_table(rows: Sequence[Row], *, whole: bool = False) -> None:
    """Print rows, at least one, that share their keys; a line stays a line, however long, where no terminal is.

    On a terminal that is too narrow, texts of several words are folded. If that is not enough, columns are left out,
    which a note names; if not even names and addresses fit, or with ``whole``, each row is printed as a column.
    """
    first, *others = (_measure(key, [row[key] for row in rows]) for key in rows[0])
    # The first is never folded: a line whose first cell is empty continues the row above.
    columns = [first._replace(floor=first.width), *others]
    bold = "\x1b[1m{}\x1b[0m".format if has_color(sys.stdout) else str
    width = terminal_width(sys.stdout)
    if width is None:
        _print_lines(columns, [column.width for column in columns], bold)
        return
    kept = columns if whole else _keep(columns, width)
    if _total(column.floor for column in kept) > width:
        _print_turned(columns, width, bold)
        return
    _print_lines(kept, _share(kept, width), bold)
    if len(kept) < len(columns):
        names = ", ".join(column.key for column in columns if column not in kept)
        print()
        print_text(f"Not shown at {width} columns: {names}. A wider terminal or --format json shows everything.")


def _measure(key: str, values: Sequence[str | float]) -> _Column:
    """Return a column with its natural width, and with how narrow it may become."""
    cells = [show_line(value) if isinstance(value, str) else str(value) for value in values]
    width = max(count_cells(show_line(key)), *map(count_cells, cells))
    is_number = all(value in ("", "-", "≥ 0") or not isinstance(value, str) for value in values)
    floor = width
    if key not in KEYS and width > FOLDED_MIN and any(" " in cell for cell in cells):
        longest = max(count_cells(word) for cell in cells for word in cell.split(" "))
        floor = min(width, max(len(key), longest, FOLDED_MIN))
    return _Column(show_line(key), cells, width, floor, is_number)


def _total(widths: Iterator[int]) -> int:
    """Return the width of a line of such columns."""
    found = list(widths)
    return sum(found) + len(GAP) * (len(found) - 1)


def _keep(columns: Sequence[_Column], width: int) -> list[_Column]:
    """Return the columns that fit: without those that are empty, then without the least important ones."""
    kept = list(columns)
    order = {key: number for number, key in enumerate(LEFT_OUT_FIRST)}
    first = [] if any(column.key in KEYS for column in columns) else [columns[0]]
    spare = [column for column in reversed(columns) if column.key not in KEYS and column not in first]
    spare.sort(key=lambda column: (any(column.cells), order.get(column.key, len(order))))
    for column in spare:
        if _total(each.floor for each in kept) <= width:
            break
        kept.remove(column)
    return kept


def _share(columns: Sequence[_Column], width: int) -> list[int]:
    """Return the width of each column: what the terminal has to spare goes to those that were folded."""
    left = width - _total(column.floor for column in columns)
    widths = []
    for number, column in enumerate(columns):
        wanted = sum(each.width - each.floor for each in columns[number:])
        more = min(column.width - column.floor, left * (column.width - column.floor) // wanted if wanted else 0)
        left -= more
        widths.append(column.floor + more)
    return widths


def _print_lines(columns: Sequence[_Column], widths: Sequence[int], bold: Callable[[str], str]) -> None:
    """Print a header, a rule, and a line for each row; more than one where a text is folded."""
    lines = [bold(_line([column.key for column in columns], widths, columns)), _rule(widths)]
    folded = [column.width > width for column, width in zip(columns, widths, strict=True)]
    for cells in zip(*(column.cells for column in columns), strict=True):
        if any(folded):
            parts = [_fold(cell, width) for cell, width in zip(cells, widths, strict=True)]
            for number in range(max(map(len, parts))):
                lines.append(_line([part[number] if number < len(part) else "" for part in parts], widths, columns))
        else:
            lines.append(_line(cells, widths, columns))
    print("\n".join(lines))


def _line(cells: Sequence[str], widths: Sequence[int], columns: Sequence[_Column]) -> str:
    padded = []
    for cell, width, column in zip(cells, widths, columns, strict=True):
        blank = " " * (width - count_cells(cell))
        padded.append(blank + cell if column.is_number else cell + blank)
    return GAP.join(padded).rstrip()


def _rule(widths: Sequence[int]) -> str:
    """Return the line below a header."""
    bar = "─" if (sys.stdout.encoding or "").lower().startswith("utf") else "-"
    return GAP.join(bar * width for width in widths)


def _fold(text: str, width: int) -> list[str]:
    """Return a text in lines, broken between words only."""
    if count_cells(text) <= width:
        return [text]
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and count_cells(lines[-1]) + 1 + count_cells(word) > width:
            lines.append(word)
        else:
            lines[-1] += (" " if lines[-1] else "") + word
    return lines


def _print_turned(columns: Sequence[_Column], width: int, bold: Callable[[str], str]) -> None:
    """Print rows as columns under their first field, as many beside each other as the terminal has room for."""
    heads = max(count_cells(column.key) for column in columns)
    room = width - heads - len(GAP)
    count, start = len(columns[0].cells), 0
    while start < count:
        widths: list[int] = []
        for row in range(start, count):
            need = max(_turned_width(column, row, room) for column in columns)
            if widths and _total(iter([*widths, need])) > room:
                break
            widths.append(need)
        _print_columns(columns, start, [heads, *widths], bold)
        start += len(widths)
        if start < count:
            print()


def _turned_width(column: _Column, row: int, room: int) -> int:
    """Return how wide a cell has to be where rows are columns."""
    cell = column.cells[row]
    if column.floor == column.width:
        return count_cells(cell)
    longest = max(map(count_cells, cell.split(" ")))
    return min(count_cells(cell), max(longest, min(TURNED_MAX, room)))


def _print_columns(columns: Sequence[_Column], start: int, widths: Sequence[int], bold: Callable[[str], str]) -> None:
    """Print some rows beside each other, the names of their fields in front."""
    plain = [_Column("", [], 0, 0, is_number=False)] * len(widths)
    for number, column in enumerate(columns):
        cells = [column.key, *column.cells[start : start + len(widths) - 1]]
        parts = [_fold(cell, width) for cell, width in zip(cells, widths, strict=True)]
        for at in range(max(map(len, parts))):
            line = _line([part[at] if at < len(part) else "" for part in parts], widths, plain)
            print(line if number else bold(line))
        if number == 0:
            print(_rule(widths))
