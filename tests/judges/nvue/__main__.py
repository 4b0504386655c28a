"""``python -m tests.judges.nvue FILE…``: paths and values that NVUE's reference does not list; exit 1 if there are any.

Covered: that the file is YAML without repeated keys, its outer form, every object path, every word and range.
Not covered: whether names that refer to each other exist; the cross-device reader looks at that.
"""

from __future__ import annotations

import ipaddress
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from ..crossread.text import strict_yaml
from ..files import judge_named_files

TABLE = Path(__file__).with_name("paths.yaml")
KINDS = {
    "<port>": re.compile(r"(swp\d+(s\d+)?|lo|eth\d+)$"),
    "<bond>": re.compile(r"bond\d+$"),
    "<number>": re.compile(r"\d+$"),
    "<text>": re.compile(r".+$"),
}
"""Names that may stand for a segment; addresses and prefixes are parsed."""


@cache
def table() -> dict[int, list[tuple[tuple[str, ...], str]]]:
    """Paths, and what each takes, by their length."""
    pages = yaml.safe_load(TABLE.read_text(encoding="utf-8"))
    found: dict[int, list[tuple[tuple[str, ...], str]]] = {}
    for path, takes in (row for rows in pages.values() for row in rows.items()):
        pattern = tuple(path.split())
        found.setdefault(len(pattern), []).append((pattern, str(takes)))
    return found


def findings(text: str) -> list[str]:
    try:
        document = strict_yaml.load(text)
    except ValueError as error:
        return [f"not YAML: {error}"]
    if not (isinstance(document, list) and [list(item) for item in document] == [["set"]]):
        return ["the file is not a list of one item, set"]
    return [finding for path, value in _leafs(document[0]["set"], ()) for finding in _judge(path, value)]


def _leafs(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, dict) and value:
        for key, below in value.items():
            yield from _leafs(below, (*path, str(key)))
    else:
        yield path, value


def _judge(path: tuple[str, ...], value: Any) -> list[str]:
    shown = " ".join(path)
    rows = table().get(len(path), ())
    takes = next((takes for pattern, takes in rows if all(map(_segment_fits, pattern, path))), None)
    if takes is None:
        return [f"no such object: {shown}"]
    if takes == "{}":
        return [] if value == {} else [f"{shown} takes no value, not {value!r}"]
    if takes == "text":
        return [] if isinstance(value, str) and value else [f"{shown} is {value!r}, not a text"]
    span, *words = takes.split()
    if re.fullmatch(r"\d+-\d+", span):
        low, high = map(int, span.split("-"))
        legal = (type(value) is int and low <= value <= high) or value in words
        return [] if legal else [f"{shown} is {value!r}, not within {takes}"]
    return [] if value in (span, *words) else [f"{shown} is {value!r}, not one of {takes}"]


def _segment_fits(pattern: str, segment: str) -> bool:
    if pattern == "<address>":
        return segment == "all" or _parses(ipaddress.ip_address, segment)
    if pattern == "<prefix>":
        return "/" in segment and _parses(ipaddress.ip_interface, segment)
    kind = KINDS.get(pattern)
    return bool(kind.match(segment)) if kind else pattern == segment


def _parses(parse: Any, text: str) -> bool:
    try:
        parse(text)
    except ValueError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(judge_named_files(findings))
