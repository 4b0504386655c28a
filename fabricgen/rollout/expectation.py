"""Expectation of a device in a bundle: what it is judged by around its change, with nothing but the bundle at hand."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from fabricgen.files.json_text import parse_json
from fabricgen.platforms.reading.semantics import DISRUPTIONS
from fabricgen.state.expected import Expected
from fabricgen.validation.forms import Form, record

if TYPE_CHECKING:
    from pydantic import TypeAdapter

DEVICE_FORMAT: Literal["fabricgen-device/1"] = "fabricgen-device/1"
_MARK = "#fabricgen"
_MARKS = re.compile(rb"^#fabricgen (?:(?P<status>[0-9]{1,3})|(?P<state>[a-z0-9_]+))\r?(?:\n|\Z)", re.MULTILINE)
"""Begins the lines between the answers of a shell."""


@record
class StateReading(NamedTuple):
    """A command whose answer shows a state.

    Attributes:
        state: One of ``platforms.manifest.readings.STATES``.
        form: ``json`` where the whole answer is one JSON document.
    """

    state: Annotated[str, Form("[a-z0-9_]+", "a state reading")]
    command: Annotated[str, Form(r"[^\x00-\x1f\x7f]*", "a text of one line")]
    form: Literal["json", "text"]


class DeviceExpectation(NamedTuple):
    """Readings of a device around its change, and the state of the plan that they are judged by."""

    readings: tuple[StateReading, ...]
    expected: Expected


class Expectation(NamedTuple):
    """A device's readings around one of its changes, and what they are judged by.

    Attributes:
        restarts: The change restarts services or the device, so that counters begin anew.
        shell: ``posix`` or ``cli``, as the platform's automation has it.
    """

    format: Literal["fabricgen-device/1"]
    restarts: bool
    shell: Literal["posix", "cli"]
    judged: tuple[StateReading, ...]
    expected: Expected


def is_restarted(disruption: str) -> bool:
    """Return whether a change restarts services or the device."""
    return DISRUPTIONS.index(disruption) >= DISRUPTIONS.index("drain")


class Part(NamedTuple):
    """A device's part in one wave.

    Attributes:
        expected: State that the plan expects of it then, as data.
    """

    format: str
    procedure: str
    expected: Any


def find_part(device: bytes, wave: int | None) -> Part | None:
    """Return the part of a device in a wave, or in its last one; None if its file has none."""
    try:
        data = parse_json(device)
        mine = data["waves"][max(data["waves"], key=int) if wave is None else str(wave)]
        return Part(data["format"], str(mine["procedure"]), data["expected"][mine["expected"]])
    except (ValueError, TypeError, LookupError):
        return None


def read_expectation(procedure: bytes, part: Part) -> Expectation | None:
    """Return what is expected of a device; None if the files of a bundle say nothing of it."""
    from pydantic import ValidationError

    try:
        data = {**parse_json(procedure), **part._asdict()}
        return _adapter().validate_python({name: data.get(name) for name in Expectation._fields})
    except (ValidationError, ValueError, TypeError):
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
    pairs = zip(expectation.judged, answers if isinstance(answers, list) else [], strict=False)
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
