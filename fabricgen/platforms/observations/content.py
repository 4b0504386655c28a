"""Answers of devices as typed values: JSON documents and tables of text, whatever they hold."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fabricgen.files.json_text import parse_json

_NUMBER = re.compile(r"[0-9]{1,20}")
_MEASURE = re.compile(r"-?(?:[0-9]{1,12}(?:\.[0-9]{1,20})?(?:[eE][+-]?[0-9]{1,2})?|inf)")
_RULE = re.compile(r"-+(?: +-+)*")
_SHOWN_MAX = 60


class MisreadError(ValueError):
    """An answer is not of the form that its command has; the text says what is wrong."""


class LackingError(ValueError):
    """The answer says that the device does not have what is read; the text says what."""


def decode_text(data: bytes) -> str:
    """Return an answer as text; raises MisreadError if it is not UTF-8, or holds control characters."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise MisreadError(f"it is not text in UTF-8: byte {error.start + 1}") from None
    if "\0" in text or "\x1b" in text:
        raise MisreadError("it holds control characters")
    return text


def read_document(data: bytes) -> Any:
    """Return an answer that is one JSON document; raises MisreadError if it is not, or nested too deeply."""
    decode_text(data)
    try:
        return parse_json(data)
    except ValueError as error:
        raise MisreadError(f"it is not JSON: {error}") from None


def read_map(data: bytes) -> Mapping[str, Any]:
    """Return an answer that is one JSON object."""
    return as_map(read_document(data), "the answer")


def as_map(value: Any, what: str) -> Mapping[str, Any]:
    """Return a JSON object; ``what`` names it in the error."""
    if not isinstance(value, dict):
        raise MisreadError(f"{what} is {_show(value)}; expected an object")
    return value


def as_list(value: Any, what: str) -> Sequence[Any]:
    """Return a JSON array; ``what`` names it in the error."""
    if not isinstance(value, list):
        raise MisreadError(f"{what} is {_show(value)}; expected a list")
    return value


def as_text(value: Any, what: str) -> str:
    """Return a JSON string; ``what`` names it in the error."""
    if not isinstance(value, str):
        raise MisreadError(f"{what} is {_show(value)}; expected text")
    return value


def as_number(value: Any, what: str) -> int:
    """Return a count, as a number or as its digits, with or without commas; ``what`` names it in the error."""
    if isinstance(value, bool):
        raise MisreadError(f"{what} is {_show(value)}; expected a number")
    if isinstance(value, int) and 0 <= value < 1 << 64:
        return value
    if isinstance(value, str) and _NUMBER.fullmatch(digits := value.strip().replace(",", "")):
        return int(digits)
    raise MisreadError(f"{what} is {_show(value)}; expected a number")


def as_measure(value: Any, what: str) -> float:
    """Return a measured value, which may be negative, or without end where there is no light."""
    if isinstance(value, int | float) and not isinstance(value, bool) and value == value:
        return float(value)
    if isinstance(value, str) and _MEASURE.fullmatch(value.strip()):
        return float(value)
    raise MisreadError(f"{what} is {_show(value)}; expected a measured value")


def members(value: Any, what: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the members of an object that are objects themselves; ``what`` names them in the error."""
    for key, member in as_map(value, what).items():
        yield key, as_map(member, f"{what} {key}")


def refuse_nothing(found: Sequence[object], what: str, lacking: str = "") -> None:
    """Raise if nothing was found in an answer: it is that of another command, or the device has none of it.

    Raises:
        LackingError: The answer says what the device does not have: ``lacking``.
        MisreadError: Nothing in the answer is of the kind that is looked for: ``what``.
    """
    if not found:
        raise LackingError(lacking) if lacking else MisreadError(f"it has no {what}")


def _show(value: Any) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    text = json.dumps(value)
    return text if len(text) <= _SHOWN_MAX else f"{text[:_SHOWN_MAX]}…"


def read_tables(text: str) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Yield the rows of the tables in a text, each with the heads of its columns.

    A table is a line of heads, a line of dashes, and rows up to an empty line or the end; columns are cut where the
    dashes are, because cells may be empty or hold blanks.

    Source:
        python-tabulate, table format "simple", with which sonic-net/sonic-utilities prints.
    """
    lines = text.splitlines()
    at = 1
    while at < len(lines):
        if not _RULE.fullmatch(lines[at].strip()):
            at += 1
            continue
        spans = [match.span() for match in re.finditer(r"-+", lines[at])]
        heads = _cut(lines[at - 1], spans)
        at += 1
        while at < len(lines) and lines[at].strip():
            yield tuple(heads), _cut(lines[at], spans)
            at += 1


def _cut(line: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    """Return the cells of a line; the last one reaches to its end."""
    starts = [0, *(end for _, end in spans[:-1])]
    ends = [*(end for _, end in spans[:-1]), len(line)]
    return [line[start:end].strip() for start, end in zip(starts, ends, strict=True)]
