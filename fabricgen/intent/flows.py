"""A list of flows for ``analyze entropy``: pairs of hosts with rail, queue pairs and weight, as CSV or YAML."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field, TypeAdapter

from fabricgen.diagnostics import Bag, Place
from fabricgen.intent.types import HostName, Intent
from fabricgen.source import CsvRow, item_segments, read_csv
from fabricgen.validation.mistakes import BAD_VALUE
from fabricgen.validation.reading import load_strictly

QPS_MAX, WEIGHT_MAX, RAIL_MAX = 128, 1_000_000, 999
_LEGAL = {"rail": (0, RAIL_MAX), "qps": (1, QPS_MAX), "weight": (1, WEIGHT_MAX)}


class Flow(Intent):
    """One entry of a list in YAML."""

    src: Annotated[HostName, Field(description="Host that sends")]
    dst: Annotated[HostName, Field(description="Host that receives")]
    rail: Annotated[int | None, Field(ge=0, le=RAIL_MAX, description="Rail; every rail if left out")] = None
    qps: Annotated[int | None, Field(ge=1, le=QPS_MAX, description="Queue pairs; those of the job if left out")] = None
    weight: Annotated[int, Field(ge=1, le=WEIGHT_MAX, description="Share of the traffic, relative to others")] = 1


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
        path: YAML or JSON by its ending, a list of mappings; anything else is CSV with the columns src and dst and any
            of rail, qps and weight.
        bag: Takes every fault with its place in the file.

    Returns:
        The well-formed entries.
    """
    if path.suffix.lower() in (".yaml", ".yml", ".json"):
        return _load_yaml(path, bag)
    rows = read_csv(path, bag, required=("src", "dst"), optional=tuple(_LEGAL))
    return [flow for row in rows if (flow := _flow(row, bag)) is not None]


def _load_yaml(path: Path, bag: Bag) -> list[ListedFlow]:
    flows: list[Flow] | None
    document, flows = load_strictly(path, TypeAdapter(list[Flow]), bag)
    if document is None or flows is None:
        return []
    items = document.data if isinstance(document.data, list) else []
    found = []
    for flow, segment in zip(flows, item_segments(items), strict=True):
        columns = {key: place for key in Flow.model_fields if (place := document.place((segment, key)))}
        place = document.place((segment,)) or Place(str(path), 1, 1)
        found.append(ListedFlow(flow.src, flow.dst, flow.rail, flow.qps or 0, flow.weight, place, columns))
    return found


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
