"""From fields of a platform's view back to fields of the device model, on the object they came from."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from fabricgen.device.origins import EXISTENCE, FIELD_ORIGINS, FieldRead
from fabricgen.plan.model.contract import TrafficClass
from fabricgen.platforms.views.origins import OWN_ORIGINS, Origins
from fabricgen.render.engine import Device

_PRIORITIES = 8
"""Priorities of IEEE 802.1Q."""
_HELD = 2.0
"""Weight of a model object that both hold, against 1 for a field that agrees."""
_PIECE = 0.5
"""Weight of a text that is all but a piece of the other."""


class Translator:
    """Translates reads made while one device was rendered."""

    def __init__(self, device: Device, origins: Origins) -> None:
        """Translate for ``device``, through the origins of a view's fields; empty where there is no view."""
        self._device = device
        self._origins = origins
        self._found: dict[tuple[object, ...], object] = {}
        self._several: set[str] = set()
        self._models = self._collect()

    def translate(self, read: FieldRead) -> tuple[FieldRead, ...]:
        """The device-model fields behind a read, the most decisive first; none for a field the view made up itself."""
        named = self._origins.get(read.owner, {}).get(read.field)
        if named is not None:
            own = getattr(read.holder, OWN_ORIGINS, named)
            named = own.get(read.field, named) if isinstance(own, Mapping) else own
        if named is None:
            return (read,) if read.field in FIELD_ORIGINS.get(read.owner, {}) else ()
        return tuple(self._resolve(read, *split_source(source)) for source in named)

    def _resolve(self, read: FieldRead, owner: str, field: str, index: int | None = None) -> FieldRead:
        key = (owner, id(read.holder), read.field, read.index)
        if key not in self._found:
            self._found[key] = self._locate(read, owner, field)
        item = self._found[key]
        if item is None and owner in EXISTENCE:
            return self._resolve(read, *EXISTENCE[owner])
        return FieldRead(owner, field, item, index)

    def _locate(self, read: FieldRead, owner: str, field: str) -> object:
        """The object of class ``owner`` that a view object was made from.

        It is the only one there can be, or one the view object holds, or the one that agrees with the view object
        best; None if none agrees.
        """
        candidates = self._models.get(owner, [])
        if candidates and owner not in self._several:
            return candidates[0]
        if read.index is not None and owner == TrafficClass.__name__ and _is_by_priority(read):
            return next((item for item in candidates if item.priority == read.index), None)
        held = [value for value in _values(read.holder) if type(value).__name__ == owner]
        if held:
            return held[0]
        scores = [
            self._likeness(read.holder, item) + _agreement(read.value, getattr(item, field)) for item in candidates
        ]
        best = max(scores, default=0.0)
        return candidates[scores.index(best)] if best > 0 else None

    def _likeness(self, holder: object, item: object) -> float:
        """Return how well a view object and a model object go together.

        Below zero if they have different names, or hold different objects of the same class.
        Counted are the fields both have, model objects both hold, and the likeness of the objects they hold.
        """
        likeness = 0.0
        for shown, field in self._pairs(holder, type(item).__name__):
            agreement = _agreement(shown, getattr(item, field))
            if field == "name" and not agreement:
                return -math.inf
            likeness += agreement
        parts = [part for part in _values(item) if is_dataclass(part)]
        for value in _values(holder):
            alike = [part for part in parts if type(part) is type(value)]
            if any(value is part for part in alike):
                likeness += _HELD
            elif alike:
                return -math.inf
            elif type(value).__name__ in self._origins:
                likeness += max((self._likeness(value, part) for part in parts), default=0.0)
        return likeness

    def _pairs(self, holder: object, owner: str) -> Iterator[tuple[object, str]]:
        """Values of a view object that derive from fields of ``owner``."""
        for name, named in self._origins.get(type(holder).__name__, {}).items():
            for source in named:
                source_owner, field, _ = split_source(source)
                if source_owner == owner:
                    yield getattr(holder, name), field

    def _collect(self) -> dict[str, list[Any]]:
        """Every object of the device model, by class; notes the classes of which a list may hold several."""
        found: dict[str, list[Any]] = {}
        seen: set[int] = set()
        pending: list[object] = [self._device]
        while pending:
            item = pending.pop()
            if isinstance(item, tuple | list):
                self._several.update(type(part).__name__ for part in item)
                pending.extend(reversed(item))
            elif is_dataclass(item) and id(item) not in seen:
                seen.add(id(item))
                found.setdefault(type(item).__name__, []).append(item)
                pending.extend(reversed(list(_values(item))))
        return found


def split_source(source: str) -> tuple[str, str, int | None]:
    """Class, field and, where only one item of the field is meant, its number: ``Contract.priority_by_dscp[26]``."""
    owner, _, rest = source.partition(".")
    field, _, index = rest.rstrip("]").partition("[")
    return owner, field, int(index) if index else None


def _values(item: object) -> Iterator[object]:
    """Values of the fields of a dataclass."""
    if is_dataclass(item):
        yield from (getattr(item, field.name) for field in fields(item))


def _is_by_priority(read: FieldRead) -> bool:
    """Return whether the items of a view's field belong to the eight priorities."""
    items = getattr(read.holder, read.field)
    return len(items) == _PRIORITIES


def _agreement(shown: object, value: object) -> float:
    """Return how well a view's value and a model's agree.

    Returns:
        1 if they are the same, as they are or as text, or the one is an item of the other; less if the model's text
        is a piece of the view's; 0 where they differ, or where being the same would mean nothing.
    """
    text = "" if shown is None else str(shown)
    if not text or isinstance(value, bool) or isinstance(shown, bool):
        return 0.0
    if isinstance(value, tuple | list):
        return float(shown == value or text in map(str, value))
    piece = str(value)
    if text == piece:
        return 1.0
    return _PIECE * len(piece) / len(text) if piece in text else 0.0
