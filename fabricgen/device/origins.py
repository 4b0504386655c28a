"""Which intent key decides a field of the device model.

``FIELD_ORIGINS`` lists, per class and field, patterns of intent paths, the most decisive first. A segment in braces is
a variable: it takes its values from the object the field was read on and from the device, and a pattern with several
values gives several paths. ``origin_of`` fills them in.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from string import Formatter

from fabricgen.device.model import Host, Switch
from fabricgen.device.origin_table import FIELD_ORIGINS
from fabricgen.device.origin_variables import VARIABLES, FieldRead
from fabricgen.diagnostics import IntentPath

__all__ = ["FieldRead", "origin_of", "static_part", "variables_in"]


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
