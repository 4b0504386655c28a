"""A list of flows for ``analyze entropy``: pairs of hosts with rail, queue pairs and weight, as CSV."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from fabricgen.diagnostics import Bag, Place
from fabricgen.source import CsvRow, read_csv
from fabricgen.validation.mistakes import BAD_VALUE

QPS_MAX, WEIGHT_MAX, RAIL_MAX = 128, 1_000_000, 999
_LEGAL = {"rail": (0, RAIL_MAX), "qps": (1, QPS_MAX), "weight": (1, WEIGHT_MAX)}


class ListedFlow(NamedTuple):
    """One entry with its place; ``rail`` is None for every rail, ``queue_pairs`` 0 for those of the job."""

    src: str
    dst: str
    rail: int | None
    queue_pairs: int
    weight: int
    place: Place
    columns: dict[str, Place]

    def at(self, key: str) -> Place:
        """Return the place of one of its values."""
        return self.columns.get(key, self.place)


def load_flows(path: Path, bag: Bag) -> list[ListedFlow]:
    """Read a list of flows.

    Args:
        path: CSV with the columns src and dst and any of rail, qps and weight.
        bag: Takes every fault with its place in the file.

    Returns:
        The well-formed entries.
    """
    rows = read_csv(path, bag, required=("src", "dst"), optional=tuple(_LEGAL))
    return [flow for row in rows if (flow := _flow(row, bag)) is not None]


def _flow(row: CsvRow, bag: Bag) -> ListedFlow | None:
    sound = True
    for column, text in row.values.items():
        least, most = _LEGAL.get(column, (0, 0))
        legal = f"a whole number from {least} to {most}" if most else "the name of a host"
        if most:
            is_legal = not text or (re.fullmatch("[0-9]{1,9}", text) is not None and least <= int(text) <= most)
        else:
            is_legal = bool(text)
        if not is_legal:
            bag.add(
                BAD_VALUE, f"{column} is {text!r}; it must be {legal}", place=row.place(column), hint=f"write {legal}"
            )
            sound = False
    if not sound:
        return None
    values = row.values
    rail, pairs, weight = (int(values[name]) if values[name] else None for name in _LEGAL)
    columns = {name: row.place(name) for name in values}
    return ListedFlow(values["src"], values["dst"], rail, pairs or 0, weight or 1, row.place("src"), columns)
