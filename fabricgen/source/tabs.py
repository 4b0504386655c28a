"""Tabs: harmless between tokens and as data, reported where they indent or are inside an unquoted text."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Any

from fabricgen.source import source_codes as codes
from fabricgen.source.decode import Reporter
from fabricgen.source.parse import parse_events

_TAB = re.compile("\t")
_IN_BLOCK = re.compile("(?<!\n)\t")
"""A tab of a block scalar that is no indentation."""
_IN_PLAIN = re.compile(r"(?<=\S)( *)\t[ \t]*(?=[^\s#])")
_INDENT = re.compile(r"^( *)\t[ \t]*[^ \t\n#]", re.MULTILINE)


def parse_with_tabs(text: str, report: Reporter) -> list[Any]:
    """Return the events of a text that contains tabs, and report wrong ones, one a line; raises SyntaxFault.

    Every tab is first taken for a space. What the parser then sees tells which tabs are data.
    """
    data: set[int] = set()
    inside: set[int] = set()
    try:
        events = parse_events(text.replace("\t", " "))
        for event in events:
            start, end = event.start_mark.index, event.end_mark.index
            style = getattr(event, "style", "none")
            if style in ("'", '"'):
                data.update(tab.start() for tab in _TAB.finditer(text, start, end))
            elif style in ("|", ">"):
                data.update(tab.start() for tab in _IN_BLOCK.finditer(text, text.find("\n", start, end), end))
            elif not style:
                inside.update(run.end(1) for run in _IN_PLAIN.finditer(text, start, end))
        return parse_events(_TAB.sub(lambda tab: "\t" if tab.start() in data else " ", text)) if data else events
    finally:
        _report_wrong(text, {run.end(1) for run in _INDENT.finditer(text)} - data, inside, report)


def _report_wrong(text: str, indents: set[int], inside: set[int], report: Reporter) -> None:
    """Report the first wrong tab of each line."""
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    lines: dict[int, int] = {}
    for at in sorted(indents | inside):
        lines.setdefault(bisect_right(starts, at), at)
    for line, at in lines.items():
        message, hint = "the line is indented with a tab", "indent with spaces"
        if at not in indents:
            message = "a tab inside a text without quotes"
            hint = "write a space, or put quotes around the text"
        report.at(codes.TAB, line, at - starts[line - 1] + 1, message, hint=hint)
