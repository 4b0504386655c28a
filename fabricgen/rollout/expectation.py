"""Expectation of a device in a bundle: what it is judged by around its change, with nothing but the bundle at hand."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from fabricgen.files.json_text import parse_json
from fabricgen.platforms.reading.semantics import DISRUPTIONS
from fabricgen.state.expected import Expected

if TYPE_CHECKING:
    from pydantic import TypeAdapter

EXPECTED = "expected.json"
"""File of a device's folder in a bundle."""
_FORMAT: Literal["fabricgen-expected/1"] = "fabricgen-expected/1"
_MARK = "#fabricgen"
_MARKS = re.compile(rb"^#fabricgen (?:(?P<status>[0-9]{1,3})|(?P<state>[a-z0-9_]+))\r?(?:\n|\Z)", re.MULTILINE)
"""Begins the lines between the answers of a shell."""


class StateReading(NamedTuple):
    """A command whose answer shows a state.

    Attributes:
        state: One of ``platforms.manifest.readings.STATES``.
        command: The command line on the device.
        form: ``json`` where the whole answer is one JSON document.
    """

    state: str
    command: str
    form: Literal["json", "text"]


class Judged(NamedTuple):
    """Readings of a device around its change, and what they are judged by.

    Attributes:
        shell: Shell of its platform.
        readings: What is read.
        expected: State that the plan expects.
    """

    shell: Literal["posix", "cli"]
    readings: tuple[StateReading, ...]
    expected: Expected


class Expectation(NamedTuple):
    """The content of ``expected.json``.

    Attributes:
        restarts: The change restarts services or the device, so that counters begin anew.
        shell: ``posix`` or ``cli``, as the platform's automation has it.
        readings: What is read of the device.
        expected: State that the plan expects of it.
    """

    format: Literal["fabricgen-expected/1"]
    restarts: bool
    shell: Literal["posix", "cli"]
    readings: tuple[StateReading, ...]
    expected: Expected


def write_expectation(judged: Judged, disruption: str) -> bytes:
    """Return the file of a device.

    Args:
        judged: How it is judged.
        disruption: The greatest of its steps.
    """
    restarts = DISRUPTIONS.index(disruption) >= DISRUPTIONS.index("drain")
    head = {"format": _FORMAT, "restarts": restarts, "shell": judged.shell}
    readings = [reading._asdict() for reading in judged.readings]
    return (_lay_out({**head, "readings": readings, "expected": _to_data(judged.expected)}) + "\n").encode()


def _lay_out(data: dict[str, Any], indent: str = " ") -> str:
    """Return JSON with a line for each key and each item of a list, faster than an encoder that indents all of it."""
    lines = ",\n".join(f"{indent}{json.dumps(key)}: {_lay_out_value(value, indent)}" for key, value in data.items())
    return f"{{\n{lines}\n{indent[:-1]}}}"


def _lay_out_value(value: Any, indent: str) -> str:
    if isinstance(value, dict):
        return _lay_out(value, f"{indent} ")
    if isinstance(value, (list, tuple)) and value and not hasattr(value, "_fields"):
        items = ",\n".join(f"{indent} {_encode(item)}" for item in value)
        return f"[\n{items}\n{indent}]"
    return _encode(value)


def read_expectation(data: bytes) -> Expectation | None:
    """Return the content of such a file; None if it is none."""
    from pydantic import ValidationError

    try:
        return _adapter().validate_json(data)
    except ValidationError:
        return None


@cache
def _adapter() -> TypeAdapter[Expectation]:
    """Return what reads expectations; building it takes longer than reading most of them."""
    from pydantic import TypeAdapter

    return TypeAdapter(Expectation)


def write_script(readings: Sequence[StateReading]) -> str:
    """Return lines of a shell that take all readings, with a line before each answer and one with its exit status."""
    return "\n".join(
        f"echo '{_MARK} {each.state}'; ( {each.command} ) 2>/dev/null; printf '\\n{_MARK} %s\\n' $?"
        for each in readings
    )


def split_answers(expectation: Expectation, data: bytes) -> dict[str, tuple[int, bytes]]:
    """Return exit status and answer of each reading that has one, by state.

    Args:
        expectation: Of the device.
        data: What the lines of ``write_script`` printed; of a command line, a JSON list with the answers in order.
    """
    if expectation.shell == "posix":
        return _split(data)
    try:
        answers = parse_json(data)
    except ValueError:
        return {}
    pairs = zip(expectation.readings, answers if isinstance(answers, list) else [], strict=False)
    return {each.state: (0, _to_text(answer).encode(errors="replace")) for each, answer in pairs if answer is not None}


def _split(data: bytes) -> dict[str, tuple[int, bytes]]:
    found: dict[str, tuple[int, bytes]] = {}
    state, begin = "", 0
    for mark in _MARKS.finditer(data):
        if mark["status"]:
            found[state] = int(mark["status"]), data[begin : mark.start()].removesuffix(b"\n")
        else:
            state, begin = mark["state"].decode(), mark.end()
    return found


def _to_text(answer: Any) -> str:
    return answer if isinstance(answer, str) else json.dumps(answer)


def _to_data(value: Any) -> Any:
    """Return a dataclass or a set as JSON holds it."""
    if isinstance(value, frozenset):
        return sorted(value)
    return {field.name: getattr(value, field.name) for field in fields(value)}


_encode = json.JSONEncoder(default=_to_data).encode
