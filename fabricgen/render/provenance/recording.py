"""A stand-in for a model or view object that tells which of its fields are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import is_dataclass, replace
from functools import partial
from inspect import getattr_static
from types import FunctionType, MethodType
from typing import Any

from fabricgen.device.origins import FieldRead

Record = Callable[[FieldRead], None]


class Recorded:
    """Gives the attributes of its target and records the fields among them.

    Going from one object to the next (``port.shape``) is no read: what counts is the field at the end of the way.
    Asking whether there is an object (``if services.gnmi``) reads the field that holds it.
    Methods and properties run on the stand-in, so what they read is recorded too.
    """

    __slots__ = ("_recorded_record", "_recorded_source", "_recorded_target")

    _recorded_record: Record
    _recorded_source: FieldRead | None
    _recorded_target: Any

    def __init__(self, target: object, record: Record, source: FieldRead | None) -> None:
        """Stand in for ``target``, which ``source`` holds; None for what no field holds."""
        self._recorded_target = target
        self._recorded_record = record
        self._recorded_source = source

    def __getattr__(self, name: str) -> Any:
        target, record = self._recorded_target, self._recorded_record
        attribute = getattr_static(type(target), name, None)
        if isinstance(attribute, property) and attribute.fget is not None:
            return attribute.fget(self)
        if isinstance(attribute, FunctionType):
            return MethodType(attribute, self)
        value = getattr(target, name)
        read = FieldRead(type(target).__name__, name, target)
        if not is_dataclass(value):
            record(read)
        return record_reads(value, record, read)

    def __bool__(self) -> bool:
        """True if the target is; a field that may hold no object has then been asked whether it holds one."""
        if self._recorded_source is not None:
            self._recorded_record(self._recorded_source)
        return bool(self._recorded_target)

    def __eq__(self, other: object) -> bool:
        """Equal if the targets are."""
        return bool(self._recorded_target == (other._recorded_target if isinstance(other, Recorded) else other))

    def __hash__(self) -> int:
        return hash(self._recorded_target)


class RecordedText(str):
    """A text out of a field that holds several; using it records which one it is."""

    use: Callable[[], None]

    def __str__(self) -> str:
        self.use()
        return str.__str__(self)


class RecordedNumber(int):
    """A number out of a field that holds several; using it records which one it is."""

    use: Callable[[], None]

    def __str__(self) -> str:
        self.use()
        return int.__repr__(self)


def record_reads(value: Any, record: Record, source: FieldRead | None = None) -> Any:
    """Wrap a value so that reads of its fields and of its items are recorded.

    Args:
        value: What a template is about to see; a single text, number, boolean or None stays as it is.
        record: Called with every read.
        source: The field that holds the value.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return Recorded(value, record, source)
    if type(value) in (tuple, list):
        return type(value)(_record_item(item, record, source, index) for index, item in enumerate(value))
    if type(value) is dict:
        return {key: record_reads(item, record) for key, item in value.items()}
    return value


def _record_item(item: Any, record: Record, source: FieldRead | None, index: int) -> Any:
    """Wrap one item of a field; its number is all that tells it from the others."""
    kind = {str: RecordedText, int: RecordedNumber}.get(type(item))
    if source is None or kind is None:
        return record_reads(item, record, replace(source, index=index) if source else None)
    recorded = kind(item)
    recorded.use = partial(record, replace(source, index=index))
    return recorded
