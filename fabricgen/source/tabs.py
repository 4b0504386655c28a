"""Tabs: harmless between tokens and as data, reported where they indent or stand inside an unquoted text."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Any

from fabricgen.source import source_codes as codes
from fabricgen.source.decode import Reporter
from fabricgen.source.parse import SyntaxFault, parse_events

_INDENT = re.compile(r"[ ]*\t[ \t]*[^ \t#]")
_LEAD = re.compile(r"([ \t]*)(?:[-?][ \t]+)*")
_RUN = re.compile(r"\t[ \t]*")
_BLOCK_INDENT = re.compile(r"[^\n]*\n(?:[ \t]*\n)*([ ]*)")


def parse_with_tabs(text: str, report: Reporter, *, pure: bool) -> list[Any]:
    """Return the events of a text that contains tabs.

    Every tab is first taken for a space. What the parser then sees tells which tabs are data and which indent.

    Raises:
        SyntaxFault: The text is not YAML; tabs that lead a line are reported.
    """
    flat = text.replace("\t", " ")
    try:
        events = parse_events(flat, pure=pure)
    except SyntaxFault:
        for line, column in _leading(text):
            _report_indent(report, line, column)
        raise
    return _Classified(text, events).parse_again(events, flat, report, pure=pure)


def _leading(text: str) -> list[tuple[int, int]]:
    """Line and column of the first tab of every line that is indented with one."""
    lines = enumerate(text.split("\n"), 1)
    return [(number, line.index("\t") + 1) for number, line in lines if _INDENT.match(line)]


def _report_indent(report: Reporter, line: int, column: int) -> None:
    report.at(codes.TAB, line, column, "the line is indented with a tab", hint="indent with spaces")


class _Classified:
    """The tabs of a text, judged by what stands around them."""

    def __init__(self, text: str, events: list[Any]) -> None:
        """Collect the extents of scalars and flow collections, and where block collections start."""
        self._text = text
        self._scalars: list[tuple[int, int, str]] = []
        self._flows: list[tuple[int, int]] = []
        self._block_starts: set[int] = set()
        self._block_indents: dict[int, int] = {}
        flow_starts: list[int] = []
        for event in events:
            start, end = event.start_mark.index, event.end_mark.index
            kind = type(event).__name__
            if kind == "ScalarEvent":
                self._scalars.append((start, end, event.style or ""))
            elif kind in {"MappingStartEvent", "SequenceStartEvent"}:
                if event.flow_style or flow_starts:
                    flow_starts.append(start)
                else:
                    self._block_starts.add(start)
            elif kind in {"MappingEndEvent", "SequenceEndEvent"} and flow_starts:
                began = flow_starts.pop()
                if not flow_starts:
                    self._flows.append((began, end))

    def parse_again(self, events: list[Any], flat: str, report: Reporter, *, pure: bool) -> list[Any]:
        """Report the tabs that are wrong, give back those that are data, and parse the result."""
        pieces = []
        done = offset = 0
        for number, line in enumerate(self._text.split("\n"), 1):
            wrong = False
            lead = _LEAD.match(line)
            lead_end, indicators_end = (lead.end(1), lead.end()) if lead else (0, 0)
            for run in _RUN.finditer(line):
                verdict = self._judge(offset, run, lead_end=lead_end, indicators_end=indicators_end)
                if verdict == "data":
                    pieces += [flat[done : offset + run.start()], run.group()]
                    done = offset + run.end()
                elif verdict != "blank" and not wrong:
                    wrong = True
                    if verdict == "indent":
                        _report_indent(report, number, run.start() + 1)
                    else:
                        message = "a tab inside a text without quotes"
                        hint = "write a space, or put quotes around the text"
                        report.at(codes.TAB, number, run.start() + 1, message, hint=hint)
            offset += len(line) + 1
        return parse_events("".join([*pieces, flat[done:]]), pure=pure) if pieces else events

    def _judge(self, line_start: int, run: re.Match[str], *, lead_end: int, indicators_end: int) -> str:
        """Say whether tabs are ``data``, a ``blank`` between tokens, an ``indent``, or inside a plain ``text``."""
        offset = line_start + run.start()
        leads = run.end() == lead_end
        blank = run.end() == len(run.string) or run.string[run.end()] == "#"
        scalar = _covering(self._scalars, offset)
        if scalar is not None:
            start, _, style = scalar
            if style in {"'", '"'}:
                return "data"
            if style in {"|", ">"}:
                return self._judge_block(start, line_start, run, leads=leads)
            return "indent" if leads and not blank else "blank" if blank else "text"
        if blank or _covering(self._flows, offset):
            return "blank"
        opens = run.end() <= indicators_end and line_start + run.end() in self._block_starts
        return "indent" if leads or opens else "blank"

    def _judge_block(self, start: int, line_start: int, run: re.Match[str], *, leads: bool) -> str:
        """Judge tabs in a block scalar: data, unless they stand on its first line or make up its indentation."""
        if start >= line_start:
            return "blank"
        if not leads:
            return "data"
        if start not in self._block_indents:
            body = _BLOCK_INDENT.match(self._text, start)
            self._block_indents[start] = len(body.group(1)) if body else 0
        if run.start() >= self._block_indents[start] > 0:
            return "data"
        return "blank" if run.end() == len(run.string) else "indent"


def _covering(spans: list[Any], offset: int) -> Any:
    """The last span that starts at or before the offset, if it reaches beyond it."""
    index = bisect_right(spans, offset, key=lambda span: span[0]) - 1
    return spans[index] if index >= 0 and spans[index][1] > offset else None
