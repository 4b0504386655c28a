"""Pictures: a small fabric for the README, drawn from its plan, and the rooms, drawn from the import graph.

``picture_fabric`` makes an SVG of an inventory with a row per tier, hosts with a dot per rail, and a line per pair of
devices; ``put_picture`` a Mermaid graph for ``docs/architecture.md``, without arrows that follow from others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from graphlib import TopologicalSorter
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import grimp

from fabricgen.api import compile_inventory
from fabricgen.diagnostics import Bag
from fabricgen.tables.tables import Row, list_devices, list_links
from tools.docs.language import put_between

PICTURE = "docs/images/quickstart.svg"
WIDTH, ROW, TOP = 960, 150, 62
RAILS = ("#0072b2", "#56b4e9", "#009e73", "#7fb800", "#e69f00", "#d55e00", "#cc79a7", "#8172b3")
"""A colour for each of eight rails that readers with any colour vision tell apart, after Okabe and Ito."""

INK, QUIET, LINE = "#1f2933", "#52606d", "#9aa5b1"


def picture_fabric(inventory: Path, caption: str) -> str:
    """Return the picture of a fabric that is small enough to draw every device.

    Args:
        inventory: An inventory that compiles without errors.
        caption: Text at the top.
    """
    made = compile_inventory(inventory, (), Bag())
    if made is None or made.plan is None:
        raise ValueError(f"{inventory} does not compile")
    devices = list(list_devices(made.plan))
    tiers = list(dict.fromkeys(str(row["tier"]) for row in devices if row["kind"] == "switch"))[::-1]
    rows = [*tiers, next(str(row["tier"]) for row in devices if row["kind"] == "host")]
    svg = Element("svg", xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {WIDTH} {TOP + ROW * len(rows) - 76}")
    svg.attrib |= {"role": "img", "font-family": "system-ui, sans-serif", "font-size": "13"}
    SubElement(svg, "title").text = caption
    SubElement(svg, "rect", width="100%", height="100%", rx="12", fill="#ffffff")
    _write(svg, 24, 34, caption, "16", "600", anchor="start")
    at: dict[str, tuple[float, float]] = {}
    for level, tier in enumerate(rows):
        names = [str(row["name"]) for row in devices if row["tier"] == tier]
        for order, name in enumerate(names):
            at[name] = (WIDTH * (order + 0.5) / len(names), TOP + ROW * level + 26)
    _draw_links(svg, list(list_links(made.plan)), at)
    for row in devices:
        _draw_device(svg, row, at[str(row["name"])])
    indent(svg)
    return tostring(svg, encoding="unicode") + "\n"


def _draw_links(svg: Element, links: list[Row], at: dict[str, tuple[float, float]]) -> None:
    """Draw a line per rail of a host, and one per pair of switches as thick as it has links."""
    pairs = Counter((str(row["a"]), str(row["b"])) for row in links if not str(row["a_port"]).startswith("rail"))
    for (a, b), count in pairs.items():
        _line(svg, at[a], at[b], LINE, 1 + count / 4)
    for row in links:
        port = str(row["a_port"])
        if port.startswith("rail"):
            rail = int(port.removeprefix("rail"))
            x, y = at[str(row["a"])]
            _line(svg, (x - 38 + rail * 11, y - 24), at[str(row["b"])], RAILS[rail % len(RAILS)], 1)
    _, y = max(at[b] for _, b in pairs)
    (speed,) = {row["speed_gbps"] for row in links if (str(row["a"]), str(row["b"])) in pairs}
    _write(svg, WIDTH / 2, y + 52, f"{max(pairs.values())} × {speed}G per pair", "12", "400", QUIET, halo=True)


def _draw_device(svg: Element, row: Row, place: tuple[float, float]) -> None:
    """Draw a box with name and AS number of a switch, or name and rails of a host."""
    x, y = place
    switch = row["kind"] == "switch"
    half = 72 if switch else 54
    box = SubElement(svg, "rect", x=f"{x - half:g}", y=f"{y - 24:g}", width=f"{2 * half}", height="50", rx="6")
    box.attrib |= {"fill": "#f0f4f8" if switch else "#ffffff", "stroke": QUIET}
    _write(svg, x, y - 4, str(row["name"]), "13" if switch else "12", "600")
    if switch:
        _write(svg, x, y + 14, f"AS {row['asn']}", "11", "400", QUIET)
        return
    for rail, colour in enumerate(RAILS):
        SubElement(svg, "circle", cx=f"{x - 38 + rail * 11:g}", cy=f"{y + 14:g}", r="4", fill=colour)


def _line(svg: Element, a: tuple[float, float], b: tuple[float, float], colour: str, width: float) -> None:
    ends = {"x1": f"{a[0]:g}", "y1": f"{a[1]:g}", "x2": f"{b[0]:g}", "y2": f"{b[1]:g}"}
    SubElement(svg, "line", ends, stroke=colour, opacity="0.8").set("stroke-width", f"{width:g}")


def _write(
    svg: Element, x: float, y: float, text: str, size: str, weight: str,
    colour: str = INK, anchor: str = "middle", halo: bool = False,
) -> None:  # fmt: skip
    """Write one line of text, on a white halo where lines run behind it."""
    where = {"x": f"{x:g}", "y": f"{y:g}", "fill": colour, "font-size": size}
    where |= {"font-weight": weight, "text-anchor": anchor}
    if halo:
        where |= {"stroke": "#ffffff", "stroke-width": "6", "paint-order": "stroke"}
    SubElement(svg, "text", where).text = text


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
    return put_between(page, _BEGIN, picture_rooms() + "\n", _END)


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
