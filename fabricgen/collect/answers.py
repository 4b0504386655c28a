"""Judgement of an answer by itself: text, complete, and JSON where it has to be."""

from __future__ import annotations

import json
import re

from fabricgen.files.json_text import parse_json
from fabricgen.platforms.manifest.readings import Reading

_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def find_fault(reading: Reading, data: bytes) -> str:
    """Return what keeps an answer from being taken, as a sentence without an end; empty if nothing does.

    Args:
        reading: The command and the form of its answer.
        data: The answer.
    """
    if not data.strip():
        return "the answer is empty"
    if reading.output and (found := _CONTROL.search(data)):
        return f"the answer has the control character {found[0][0]:#04x} in line {_line(data, found.start())}"
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"the answer is not UTF-8 in line {_line(data, error.start)}" if reading.output else ""
    if reading.last and text.rstrip().rpartition("\n")[2].strip() != reading.last:
        return f"the answer does not end with the line {reading.last!r}"
    return _find_json_fault(data) if reading.form == "json" else ""


def _find_json_fault(data: bytes) -> str:
    try:
        parse_json(data)
    except json.JSONDecodeError as error:
        return f"the answer is no complete JSON, line {error.lineno}"
    except ValueError as error:
        return f"the answer is no JSON that is taken: {error}"
    return ""


def _line(data: bytes, position: int) -> int:
    return data.count(b"\n", 0, position) + 1
