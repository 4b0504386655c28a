"""An intent that notes when one of its leafs is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from fabricgen.diagnostics import IntentPath
from fabricgen.intent.types import Intent

M = TypeVar("M", bound=Intent)
_FIELDS_SET = "__pydantic_fields_set__"
"""Attribute in which a model keeps the names of its set fields; setting a leaf sets all sections above it."""


def note_reads(model: M, leaf: IntentPath, note: Callable[[], None]) -> M:
    """Return an equal model that calls ``note`` whenever one of its leafs may have been read.

    Args:
        model: An intent, or a section of one.
        leaf: Fields, and names in maps, that lead to the leaf; all sections above it exist.
        note: Called for every read of the leaf itself, of all fields of its section at once, and of which fields are
            set in any section above it.
    """
    name, rest = leaf[0], leaf[1:]
    if not rest:
        return note_attributes(model.model_copy(), (name, "__dict__", _FIELDS_SET), note)
    below = getattr(model, name)
    if isinstance(below, dict):
        changed = {**below, rest[0]: note_reads(below[rest[0]], rest[1:], note)}
    else:
        changed = note_reads(below, rest, note)
    return note_attributes(model.model_copy(update={name: changed}), (_FIELDS_SET,), note)


def note_attributes(model: M, names: tuple[str, ...], note: Callable[[], None]) -> M:
    """Let a section note reads of some of its attributes, and return it."""

    def get(self: object, key: str) -> Any:
        if key in names:
            note()
        return object.__getattribute__(self, key)

    object.__setattr__(model, "__class__", type(type(model).__name__, (type(model),), {"__getattribute__": get}))
    return model
