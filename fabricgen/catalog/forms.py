"""Notation of values in catalog files: speeds, number lists, tables of numbers, addresses."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from fabricgen.validation.forms import Form, Range, Short, Written, digits, record, refuse

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import CoreSchema

_CAGES_MAX = 4096
_LANES_MAX = 16
_SPEED_MAX_GBPS = 6400
_RANGE = re.compile(r"(\d{1,4})(?:-(\d{1,4}))?", re.ASCII)


def parse_numbers(text: str) -> tuple[int, ...] | None:
    """Read a list of front-panel numbers such as ``1-4,7``; None if it is not one."""
    numbers: list[int] = []
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None or int(match[2] or match[1]) < int(match[1]):
            return None
        numbers.extend(range(int(match[1]), int(match[2] or match[1]) + 1))
    return tuple(numbers)


def parse_row(text: str) -> tuple[int, ...] | None:
    """Read numbers separated by blanks; None if one of them is not a whole number."""
    try:
        return tuple(map(int, text.split()))
    except ValueError:
        return None


def _words(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(value.split())
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise refuse("is not a list of names")


def _row(value: Any) -> tuple[int, ...]:
    if isinstance(value, list) and all(type(item) is int for item in value):
        return tuple(value)
    numbers = parse_row(digits(value)) if isinstance(digits(value), str) else None
    if numbers is None:
        raise refuse("is not whole numbers separated by blanks")
    return numbers


def _lanes(value: Any) -> tuple[int, ...]:
    counts = _row(value)
    if not counts or any(not 1 <= count <= _LANES_MAX for count in counts):
        raise refuse(f"is not a list of lane counts from 1 to {_LANES_MAX}")
    return counts


def _numbers(value: Any) -> tuple[int, ...]:
    numbers = parse_numbers(digits(value)) if isinstance(digits(value), str) else None
    if numbers is None or len(numbers) > _CAGES_MAX:
        raise refuse("is not a list of front-panel numbers such as 1-32,65")
    return numbers


def _lengths(value: Any) -> tuple[int, ...]:
    lengths = parse_numbers(digits(value).replace(" ", ",")) if isinstance(digits(value), str) else None
    if lengths is None:
        raise refuse("is not a list of lengths in metres such as 1 2 3")
    return lengths


def _speed(value: Any) -> int:
    digits = value.removesuffix("G") if isinstance(value, str) and value.endswith("G") else ""
    if not (digits.isascii() and digits.isdecimal() and 0 < int(digits) <= _SPEED_MAX_GBPS):
        raise refuse("is not a speed such as 400G")
    return int(digits)


Text = Annotated[str, Form(r"[\s\S]*\S[\s\S]*", "a text that is more than blanks"), Short(digits)]
Count = Annotated[int, Range(1, 10**13)]
Bytes = Annotated[int, Range(0, 10**13)]
Words = Annotated[tuple[str, ...], Written(_words, ("array", "string"))]
"""A list of names, or one text of names separated by blanks."""
Row = Annotated[tuple[int, ...], Written(_row, ("array", "integer", "string"))]
"""Whole numbers: a list, one number, or a text with blanks between them."""
Lanes = Annotated[tuple[int, ...], Written(_lanes, ("array", "integer", "string"))]
Numbers = Annotated[tuple[int, ...], Written(_numbers, ("integer", "string"))]
"""Front-panel numbers: ``1-32,65``."""
Lengths = Annotated[tuple[int, ...], Written(_lengths, ("integer", "string"))]
Speed = Annotated[int, Written(_speed)]
"""Gb/s, written ``400G``."""
Release = Annotated[str, Form(r"\d{6}|master", "a release such as 202511, or master"), Short(digits)]
PciId = Annotated[str, Form(r"(0x[0-9a-f]{4})?", "a PCI id such as '0x15b3'")]
Bdf = Annotated[str, Form(r"([0-9a-f]{4}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7])?", "a PCI address such as '0000:18:00.0'")]
SwitchBdf = Annotated[
    str, Form(r"none|([0-9a-f]{4}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7])?", "a PCI address such as '0000:18:00.0', or none")
]
CpuList = Annotated[
    str, Form(r"\d{1,4}(-\d{1,4})?(,\d{1,4}(-\d{1,4})?)*", "a list of CPUs such as '0-55,112-167'"), Short(digits)
]


@record
class Steps(NamedTuple):
    """A first value and what is added for each cage."""

    start: Annotated[int, Range(0)]
    step: Annotated[int, Range(-1024, 1024)]


@dataclass(frozen=True)
class _RowOr:
    """A row of numbers, or the mapping of a record."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Validate a mapping as the record, and nothing else."""
        from pydantic_core.core_schema import no_info_wrap_validator_function

        return no_info_wrap_validator_function(
            lambda value, inner: inner(value) if isinstance(value, dict) else _row(value),
            handler.generate_schema(Steps),
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Describe both."""
        return {"anyOf": [handler(schema), {"type": ["array", "integer", "string"]}]}


Series = Annotated[tuple[int, ...] | Steps, _RowOr()]
"""One number per cage: all of them, or ``{start: …, step: …}``."""


@dataclass(frozen=True)
class Lines:
    """A mapping that is written as a list of texts, each of which gives some of its entries."""

    read: Callable[[Any], dict[int, Any]]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Read every text by itself."""
        from pydantic_core import core_schema

        def join(entries: list[dict[int, Any]]) -> dict[int, Any]:
            return {key: value for entry in entries for key, value in entry.items()}

        line = handler.generate_schema(Annotated[Any, Written(self.read)])
        return core_schema.no_info_after_validator_function(join, core_schema.list_schema(line))


def _subsumed(line: Any) -> dict[int, tuple[int, ...]]:
    left, _, right = line.partition(">") if isinstance(line, str) else ("", "", "")
    profiles, offsets = parse_row(left), parse_row(right)
    if not (profiles and offsets):
        raise refuse("is not of the form 'profiles > offsets'")
    return dict.fromkeys(profiles, offsets)


def _port_profile(line: Any) -> dict[int, str]:
    number, _, name = line.partition(" ") if isinstance(line, str) else ("", "", "")
    if not (number.isascii() and number.isdecimal() and name.isidentifier()):
        raise refuse("is not of the form 'number NAME'")
    return {int(number): name}


Subsumed = Annotated[dict[int, tuple[int, ...]], Lines(_subsumed)]
PortProfiles = Annotated[dict[int, str], Lines(_port_profile)]
