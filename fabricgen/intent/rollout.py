"""Limits of a rollout in the intent."""

import re
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema

from fabricgen.intent.types import Intent
from fabricgen.validation.forms import refuse

_PART = re.compile(r"(\d{1,6})/([1-9]\d{0,5})")
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d{1,6})?)%")


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
    """Limits that every wave of a rollout keeps."""

    out_max: Annotated[OutMax, Field(description="Shares of tiers, planes, rails and pods that may be out at once")] = (
        OutMax()
    )
    floor: Annotated[
        Share, Field(description="Part of its planned bandwidth that every pair of leafs in service keeps")
    ] = Fraction(3, 4)
    scheduler_group: Annotated[
        Literal["unit", "pod", "zone"],
        Field(description="Extent of the groups in which the scheduler takes hosts out, one after another"),
    ] = "unit"
