"""Data that is more than one table: named sections, each a list of rows of one shape."""

from __future__ import annotations

from typing import NamedTuple

Value = str | int | float | bool | list[int] | list[str] | None
"""A cell; None where there is nothing to say."""

Row = dict[str, Value]


class Sections(NamedTuple):
    """Output of one command about one fabric; ``sections`` keep their order and are present even when empty."""

    fabric: str
    sections: dict[str, list[Row]]


def pick(record: object, *names: str) -> Row:
    """Return fields of a record that a row has under the same names; all are None where there is no record."""
    return {name: None if record is None else getattr(record, name) for name in names}
