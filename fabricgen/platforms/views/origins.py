"""Origins of the fields of a view: the fields of the device model that their annotations name."""

from __future__ import annotations

from typing import get_type_hints

from fabricgen.device.origins import FIELD_ORIGINS, annotated_fields
from fabricgen.platforms.manifest.contract import Origins, View


def view_origins(view: View) -> Origins:
    """Origins of every field of the classes that the two functions of a view return, and of what these hold."""
    returned = [get_type_hints(function).get("return") for function in (view.class_view, view.device_view)]
    return annotated_fields(*returned, known=FIELD_ORIGINS)
