"""A stand-in for a model or view object that tells which of its fields are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import is_dataclass
from inspect import getattr_static
from types import FunctionType, MethodType
from typing import Any

from fabricgen.device.origins import FieldRead

Record = Callable[[FieldRead], None]


class Recorded:
    """Gives the attributes of its target and records the fields among them.

    Going from one object to the next (``port.shape``) is no read: what counts is the field at the end of the way.
    Methods and properties run on the stand-in, so what they read is recorded too.
    """

    __slots__ = ("_recorded_record", "_recorded_target")

    _recorded_record: Record
    _recorded_target: Any

    def __init__(self, target: object, record: Record) -> None:
        """Stand in for ``target``."""
        self._recorded_target = target
        self._recorded_record = record

    def __getattr__(self, name: str) -> Any:
        target, record = self._recorded_target, self._recorded_record
        attribute = getattr_static(type(target), name, None)
        if isinstance(attribute, property) and attribute.fget is not None:
            return attribute.fget(self)
        if isinstance(attribute, FunctionType):
            return MethodType(attribute, self)
        value = getattr(target, name)
        if not is_dataclass(value):
            record(FieldRead(type(target).__name__, name, target))
        return record_reads(value, record)

    def __eq__(self, other: object) -> bool:
        """Equal if the targets are."""
        return bool(self._recorded_target == (other._recorded_target if isinstance(other, Recorded) else other))

    def __hash__(self) -> int:
        return hash(self._recorded_target)


def record_reads(value: Any, record: Record) -> Any:
    """Wrap a value so that reads of its fields are recorded; texts, numbers, booleans and None stay as they are."""
    if is_dataclass(value) and not isinstance(value, type):
        return Recorded(value, record)
    if type(value) in (tuple, list):
        return type(value)(record_reads(item, record) for item in value)
    if type(value) is dict:
        return {key: record_reads(item, record) for key, item in value.items()}
    return value
