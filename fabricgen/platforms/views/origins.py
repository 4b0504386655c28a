"""Origins of the fields of a view: the fields of the device model that their annotations name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_type_hints

from fabricgen.device.origins import FIELD_ORIGINS, annotated_fields
from fabricgen.platforms.platform import ViewModule

Origins = Mapping[str, Mapping[str, tuple[str, ...]]]
"""View class and field to the device model's fields it derives from; the first decides it most directly. They stand in
the annotation of the field: ``speed_mbps: Annotated[int, "PortShape.speed_gbps"]``.

``render.trace`` finds the model object behind a view object by the fields both have, so the finest class is the best
answer: ``TrafficClass.dscp`` rather than ``SwitchClass.contract``. A view object that holds its model object
(``shape: PortShape``) is found at once. An item of a field that lists something per priority is found by its number;
of any other list a number in brackets names it, ``Contract.priority_by_dscp[26]``.
"""

OWN_ORIGINS = "origins"
"""Field of a view class whose objects differ in where they come from, such as a row of a name and a value: a tuple that
takes the place of what the annotations of the other fields say, or a map that does so for single ones."""


def view_origins(view: ViewModule) -> Origins:
    """Origins of every field of the classes that the two functions of a view return, and of what these hold."""
    returned = [get_type_hints(function).get("return") for function in (view.class_view, view.device_view)]
    return annotated_fields(*returned, known=FIELD_ORIGINS)
