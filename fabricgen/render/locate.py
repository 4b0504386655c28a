"""From fields of a platform's view back to fields of the device model, on the object they came from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cached_property
from typing import Any

from fabricgen.device.origin_table import FIELD_ORIGINS
from fabricgen.device.origins import FieldRead
from fabricgen.platforms.contract import Origins
from fabricgen.render.engine import Device


class Translator:
    """Translates reads made while one device was rendered."""

    def __init__(self, device: Device, origins: Origins) -> None:
        """Translate for ``device``, through a view's table of origins; empty where there is no view."""
        self._device = device
        self._origins = origins
        self._found: dict[tuple[object, ...], object] = {}

    def translate(self, read: FieldRead) -> tuple[FieldRead, ...]:
        """The device-model fields behind a read, the most decisive first; none for a field the view made up itself."""
        named = self._origins.get(read.owner, {}).get(read.field)
        if named is None:
            return (read,) if read.field in FIELD_ORIGINS.get(read.owner, {}) else ()
        sources = (named,) if isinstance(named, str) else named
        return tuple(self._resolve(read, *source.split(".", 1)) for source in sources)

    def _resolve(self, read: FieldRead, owner: str, field: str) -> FieldRead:
        key = (owner, id(read.holder), read.field, read.index)
        if key not in self._found:
            self._found[key] = self._locate(read, owner, field)
        return FieldRead(owner, field, self._found[key])

    def _locate(self, read: FieldRead, owner: str, field: str) -> object:
        """The object of class ``owner`` that a view object was made from.

        It is the only one there is, or one the view object holds, or the one that agrees with the view object in most
        of the fields both have; None if none agrees.
        """
        candidates = self._models.get(owner, [])
        if len(candidates) == 1:
            return candidates[0]
        held = [value for value in _values(read.holder) if type(value).__name__ == owner]
        if held:
            return held[0]
        pairs = [(read.value, field), *self._pairs(read.holder, owner)]
        scores = [sum(_agree(value, getattr(item, name)) for value, name in pairs) for item in candidates]
        best = max(scores, default=0)
        return candidates[scores.index(best)] if best else None

    def _pairs(self, holder: object, owner: str) -> Iterator[tuple[object, str]]:
        """Values of a view object that derive from fields of ``owner``."""
        for name, named in self._origins.get(type(holder).__name__, {}).items():
            for source in (named,) if isinstance(named, str) else named:
                source_owner, _, field = source.partition(".")
                if source_owner == owner:
                    yield getattr(holder, name), field

    @cached_property
    def _models(self) -> dict[str, list[Any]]:
        """Every object of the device model, by class."""
        found: dict[str, list[Any]] = {}
        seen: set[int] = set()
        pending: list[object] = [self._device]
        while pending:
            item = pending.pop()
            if isinstance(item, tuple | list):
                pending.extend(reversed(item))
            elif is_dataclass(item) and id(item) not in seen:
                seen.add(id(item))
                found.setdefault(type(item).__name__, []).append(item)
                pending.extend(reversed(list(_values(item))))
        return found


def _values(item: object) -> Iterator[object]:
    """Values of the fields of a dataclass."""
    if is_dataclass(item):
        yield from (getattr(item, field.name) for field in fields(item))


def _agree(shown: object, value: object) -> bool:
    """Whether a view's value is a model's, as it is, as text, or one of several."""
    if isinstance(shown, bool) or isinstance(value, bool) or shown in ("", None):
        return shown is value
    if isinstance(value, tuple):
        return shown == value or str(shown) in map(str, value)
    return str(shown) == str(value)
