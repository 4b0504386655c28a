"""Tree of a startup-config to its text: what the reader takes apart, put together again.

Source:
    Arista EOS User Manual 4.36, Command-Line Interface; the forms are those that the reader knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from fabricgen.platforms.reading.reader import Tree

ROUTING, WIDE_ROUTING = "ip routing", "ip routing ipv6 interfaces"
"""IPv4 routing, and the command that takes its place and routes over ports without IPv4 addresses too."""
_DIRECTED = re.compile(r"(neighbor \S+ (?:route-map|prefix-list)) (in|out)")
_DSCP = re.compile(r"qos map dscp (\d+) to traffic-class")
_INDENT = 3
_LEAVER = "vrf instance MGMT"
"""Command that leaves an interface: without it, lines of a refused one would go to the one before (NOTES.md)."""


class Queue(str):
    """A queue by one name for all boards, which is written by the word that its file has.

    Attributes:
        written: The command that opens its section.
    """

    written: str

    def __new__(cls, command: str) -> Queue:
        """Take the command of a file."""
        queue = super().__new__(cls, command.removeprefix("uc-"))
        queue.written = command
        return queue


def write(tree: Tree) -> str:
    """Write a configuration; sections and lines in the order of the tree."""
    lines: list[str] = []
    # What a router refers to comes before it.
    for key, value in sorted(_grouped(tree).items(), key=lambda item: item[0] == "router bgp"):
        lines += _lines(key, value, 0)
        if key.startswith("interface ") and _LEAVER in tree:
            lines.append(_LEAVER)
    return "".join(f"{line}\n" for line in (*lines, "end"))


def _grouped(tree: Tree) -> Tree:
    """The tree with one command for all code points of a class."""
    classes: dict[str, list[int]] = {}
    for key, value in tree.items():
        if found := _DSCP.fullmatch(key):
            classes.setdefault(str(value), []).append(int(found[1]))
    result: Tree = {}
    for key, value in tree.items():
        points = classes.pop(str(value), []) if _DSCP.fullmatch(key) else None
        if points is None and not (key == ROUTING and WIDE_ROUTING in tree):
            result[key] = value
        elif points:
            result[f"qos map dscp {' '.join(map(str, sorted(points)))} to traffic-class"] = value
    return result


def _lines(key: str, value: Any, depth: int) -> Iterator[str]:
    blanks = " " * (_INDENT * depth)
    if not isinstance(value, dict):
        yield blanks + _command(key, str(value))
        return
    # The number of a section is part of the command that opens it.
    opening = key.written if isinstance(key, Queue) else key
    yield blanks + " ".join(filter(None, (opening, str(value.get("number", "")))))
    for name, below in sorted(value.items(), key=_place_in_section):
        if name != "number":
            yield from _lines(name, below, depth + 1)


def _place_in_section(item: tuple[str, Any]) -> int:
    """Return the place of a line in its section: a neighbor's group and AS number come before its other settings."""
    key, value = item
    if isinstance(value, dict):
        return 2
    return int(key.startswith("neighbor ") and not key.endswith((" peer group", " remote-as")))


def _command(key: str, value: str) -> str:
    if value == "yes":
        return key
    if "\n" in value or key.startswith("banner "):
        return f"{key}\n{value}\nEOF"
    if value == "no":
        return f"no {key}"
    directed = _DIRECTED.fullmatch(key)
    return f"{directed[1]} {value} {directed[2]}" if directed else f"{key} {value}"
