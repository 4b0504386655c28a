"""Intent keys that decide each field of the device model.

``FIELD_ORIGINS`` is read from the annotations of the device model: per class and field, patterns of intent paths, the
most decisive first. A segment in braces is a variable: it takes its values from the object the field was read on and
from the device, and a pattern with several values gives several paths. ``origin_of`` fills them in.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import is_dataclass
from itertools import product
from string import Formatter
from typing import Any, get_args, get_origin, get_type_hints

from fabricgen.device.model import Host, Switch
from fabricgen.device.origin_variables import VARIABLES, FieldRead
from fabricgen.diagnostics import IntentPath
from fabricgen.plan.model import origin_keys
from fabricgen.plan.model.origin_keys import Origin, Sticky

__all__ = [
    "EXISTENCE",
    "FIELD_ORIGINS",
    "FieldRead",
    "annotated_fields",
    "is_sticky",
    "origin_of",
    "static_part",
    "variables_in",
]

EXISTENCE: Mapping[str, tuple[str, str]] = {"Port": ("PortShape", "used")}
"""Class of which there is no object unless a field of another object says so."""


def annotated_fields(
    *hints: object, names: Mapping[str, object] | None = None, known: Container[str] = ()
) -> dict[str, dict[str, tuple[Any, ...]]]:
    """Collect what the annotations of dataclasses add to the types of their fields, by class and field.

    Args:
        hints: Types to begin with; the dataclasses in them and those that their fields hold are read.
        names: Names that annotations use and their modules do not have.
        known: Names of classes that are left out.
    """
    found: dict[str, dict[str, tuple[Any, ...]]] = {}
    pending = list(hints)
    while pending:
        hint = pending.pop()
        pending += get_args(hint)
        cls: Any = get_origin(hint) or hint
        if isinstance(cls, type) and is_dataclass(cls) and cls.__name__ not in found and cls.__name__ not in known:
            fields = get_type_hints(cls, localns=names, include_extras=True)
            pending += fields.values()
            added = {name: getattr(field, "__metadata__", ()) for name, field in fields.items()}
            found[cls.__name__] = {name: marks for name, marks in added.items() if marks}
    return found


FIELD_ORIGINS: Mapping[str, Mapping[str, Origin]] = {
    cls: {field: origin for field, (origin,) in named.items()}
    for cls, named in annotated_fields(Switch, Host, names={**vars(origin_keys), "keys": origin_keys}).items()
}


def is_sticky(read: FieldRead) -> bool:
    """Return whether a field often keeps its value when its key changes, or its key is not even known."""
    return read.holder is None or isinstance(FIELD_ORIGINS.get(read.owner, {}).get(read.field), Sticky)


def origin_of(read: FieldRead, device: Switch | Host) -> tuple[IntentPath, ...]:
    """The intent paths a field comes from.

    Args:
        read: The field.
        device: The device in whose configuration it was used.

    Returns:
        Paths of the whole intent model, the most decisive first; a path need not be written in the document, where
        short forms and defaults leave segments out. If no pattern can be filled in, what stands before the first
        variable of the first one. None for a constant of planning.

    Raises:
        KeyError: The field belongs to no class of the device model.
    """
    patterns = FIELD_ORIGINS[read.owner][read.field]
    paths = [path for pattern in patterns for path in _fill(pattern, read, device)]
    return tuple(dict.fromkeys(paths)) or tuple(static_part(pattern) for pattern in patterns[:1])


def static_part(pattern: IntentPath) -> IntentPath:
    """The segments of a pattern before its first variable."""
    static = []
    for segment in pattern:
        if variables_in(segment):
            break
        static.append(segment)
    return tuple(static)


def variables_in(segment: str) -> list[str]:
    """Names of the variables in a segment."""
    return [name for _, name, _, _ in Formatter().parse(segment) if name]


def _fill(pattern: IntentPath, read: FieldRead, device: Switch | Host) -> Iterator[IntentPath]:
    """Every path a pattern stands for; none if one of its variables has no value here."""
    names = list(dict.fromkeys(name for segment in pattern for name in variables_in(segment)))
    values = [VARIABLES[name](read, device) for name in names]
    for chosen in product(*values):
        filled = dict(zip(names, chosen, strict=True))
        yield tuple(segment.format_map(filled) for segment in pattern)
