"""Limits and pace of a rollout in the intent."""

import re
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, PlainValidator, WithJsonSchema

from fabricgen.intent.types import Intent, Text
from fabricgen.validation.forms import FORM, Form, Or, refuse

_PART = re.compile(r"(\d{1,6})/([1-9]\d{0,5})", re.ASCII)
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d{1,6})?)%", re.ASCII)
_DURATION = re.compile(r"(\d{1,5})([smh])", re.ASCII)
_SECONDS = {"s": 1, "m": 60, "h": 3600}


def _share(value: Any) -> Fraction:
    found = None
    if isinstance(value, str):
        if match := _PART.fullmatch(value):
            found = Fraction(int(match[1]), int(match[2]))
        elif match := _PERCENT.fullmatch(value):
            found = Fraction(match[1]) / 100
    elif isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        found = Fraction(str(value))
    elif isinstance(value, Fraction):
        found = value
    if found is None or not 0 <= found <= 1:
        raise refuse("is not a share; write it as 0.25, 1/4 or 25%, from 0 to 1")
    return found


Share = Annotated[
    Fraction,
    BeforeValidator(_share),
    PlainSerializer(str),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number", "minimum": 0, "maximum": 1},
                {"type": "string", "pattern": r"^(\d+/\d+|\d+(\.\d+)?%)$"},
            ]
        }
    ),
]
"""A share of a whole: ``0.25``, ``1/4`` or ``25%``."""


def _step(value: Any) -> int | Fraction:
    if type(value) is int and value > 0:
        return value
    if type(value) is int or (found := _share(value)) == 0:
        raise refuse("changes no device; write a count from 1, or a share above 0 such as 25%")
    return found


def _rising(steps: list[int | Fraction]) -> list[int | Fraction]:
    for before, after in pairwise(steps):
        if type(before) is type(after) and after < before:
            raise refuse(f"falls from {_written(before)} to {_written(after)}; no step is smaller than the one before")
    return steps


def _written(step: int | Fraction) -> int | str:
    return step if isinstance(step, int) else str(step)


def _duration(value: Any) -> int:
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        suggestion = {"suggestion": f"{value}s"} if type(value) is int and value >= 0 else {}
        raise refuse("is not a duration; write it as 90s, 10m or 1h", **suggestion)
    return int(match[1]) * _SECONDS[match[2]]


Step = Annotated[
    int | Fraction,
    PlainValidator(_step),
    PlainSerializer(_written, return_type=Any),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 1},
                {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
                {"type": "string", "pattern": r"^(\d+/\d+|\d+(\.\d+)?%)$", FORM: "a share such as 25% or 1/4"},
            ]
        }
    ),
]
"""Most devices of a wave: a count, or a share of the devices of its kind."""

Duration = Annotated[
    int,
    BeforeValidator(_duration),
    PlainSerializer(lambda seconds: f"{seconds}s"),
    WithJsonSchema({"type": "string", "pattern": r"^\d{1,5}[smh]$", FORM: "a duration such as 90s, 10m or 1h"}),
]
"""A time in seconds, minutes or hours, written ``90s``, ``10m`` or ``1h``."""

_Units = Annotated[str, Form(r"^([2-9]|[1-9]\d{1,3}) units$", "a number of units")]
_GROUP = Or(("unit", "pod", "zone"), _Units, "a number of units such as 16 units")


class OutMax(Intent):
    """The largest share of each that is out at once; a part of a switch is none."""

    tier: Annotated[Share | None, Field(description="Share of the switches of a tier")] = None
    plane: Annotated[
        Share | None, Field(description="Share of the switches of a plane; without it planes change one after another")
    ] = None
    rail: Annotated[
        Share | None, Field(description="Share of the switches of a rail: its leafs, and what is striped by rail above")
    ] = None
    pod: Annotated[Share | None, Field(description="Share of the switches of a pod")] = None


class Rollout(Intent):
    """Limits that every wave of a rollout keeps, and how fast it goes from wave to wave."""

    out_max: Annotated[OutMax, Field(description="Shares of tiers, planes, rails and pods that may be out at once")] = (
        OutMax()
    )
    floor: Annotated[
        Share, Field(description="Part of its planned bandwidth that every pair of leafs in service keeps")
    ] = Fraction(3, 4)
    scheduler_group: Annotated[
        Literal["unit", "pod", "zone"] | _Units,
        _GROUP,
        Field(description="Extent of the groups in which the scheduler takes hosts out, one after another"),
    ] = "unit"
    canary: Annotated[
        int,
        Field(
            ge=1, le=1000, description="Devices of each tier or host group and disruption in the first wave of a kind"
        ),
    ] = 1
    steps: Annotated[
        list[Step],
        AfterValidator(_rising),
        Field(
            min_length=1,
            max_length=16,
            description="Most devices of the waves after it, each a count or a share of the kind; the last one repeats",
        ),
    ] = [Fraction(1, 4), Fraction(1, 2)]
    soak: Annotated[Duration, Field(description="Time between a wave and the next one")] = 0
    gate: Annotated[
        Text | None,
        Field(description="Command after a wave and its soak; the next wave begins only if it exits with 0"),
    ] = None
    max_failures: Annotated[
        int,
        Field(ge=0, le=1000, description="Devices of a wave that may fail, and are rolled back, before it is the last"),
    ] = 0
