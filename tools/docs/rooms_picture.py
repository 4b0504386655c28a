"""The picture of the rooms: who imports whom, drawn from the import graph.

Input: the modules of the package. Output: a Mermaid graph for ``docs/architecture.md``, without arrows that follow from
others. Entry points: ``picture_rooms``, ``put_picture``.
"""

from __future__ import annotations

from collections.abc import Iterable
from graphlib import TopologicalSorter
from pathlib import Path

import grimp

ARCHITECTURE = "docs/architecture.md"
_BEGIN, _END = "<!-- drawn by make docs -->\n", "<!-- end of the picture -->"
PACKAGE = "fabricgen"
SPLIT = ("plan",)
"""Rooms whose folders are rooms of their own."""


def picture_rooms() -> str:
    """Every room and the rooms it imports, directly or not: an arrow stands where no way over a third room says it."""
    graph = grimp.build_graph(PACKAGE)
    below: dict[str, set[str]] = {}
    for module in sorted(graph.modules):
        room = _room(module)
        if room:
            imported = {_room(other) for other in graph.find_modules_directly_imported_by(module)}
            below.setdefault(room, set()).update(imported - {room, ""})
    arrows = [
        f"    {_node(room)} --> {_node(to)}"
        for room, others in sorted(_reduced(below).items())
        for to in sorted(others)
    ]
    return "\n".join(["```mermaid", "graph TD", *arrows, "```"])


def _node(room: str) -> str:
    return f'{room.replace(".", "_")}["{room}"]' if "." in room else room


def put_picture() -> str:
    """The page of the architecture with the picture in its place."""
    page = (Path(__file__).parents[2] / ARCHITECTURE).read_text(encoding="utf-8")
    before, _, rest = page.partition(_BEGIN)
    return before + _BEGIN + picture_rooms() + "\n" + _END + rest.partition(_END)[2]


def _room(module: str) -> str:
    """The room of a module; empty for the package itself and what lies beside the rooms."""
    parts = module.split(".")[1:]
    if not parts or parts[0].startswith("_") or parts in ([room] for room in SPLIT):
        return ""
    return ".".join(parts[: 2 if parts[0] in SPLIT else 1])


def _reduced(below: dict[str, set[str]]) -> dict[str, set[str]]:
    """A graph without circles, less every arrow that a longer way replaces."""
    reached: dict[str, set[str]] = {}
    for room in TopologicalSorter(below).static_order():
        reached[room] = _union({other} | reached[other] for other in below[room])
    return {room: others - _union(reached[other] for other in others) for room, others in below.items()}


def _union(sets: Iterable[set[str]]) -> set[str]:
    return set().union(*sets)
