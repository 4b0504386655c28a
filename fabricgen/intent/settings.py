"""Leafs that an exception may set for one switch or one link, and the intent as that one has it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple, TypeVar, get_args

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from fabricgen.diagnostics import IntentPath, Nearest
from fabricgen.intent.assets import OWN
from fabricgen.intent.exceptions import Exception_, PlacedException
from fabricgen.intent.topology import Links, TierIntent
from fabricgen.intent.types import PER, Intent
from fabricgen.validation.faults import Fault

_STRICT = ConfigDict(strict=True, arbitrary_types_allowed=True)
M = TypeVar("M", bound=Intent)


class SettingFault(NamedTuple):
    """Reason why a leaf cannot be set, and the keys that can be; ``is_leaf`` is true if such a leaf exists."""

    text: str
    is_leaf: bool
    hint: str = ""


class Setting(NamedTuple):
    """One leaf that an exception sets.

    Attributes:
        path: Where the exception writes it.
        leaf: Where the intent has it for everybody else; a link's is relative to its group.
        value: The value as the leaf's type has it, or why it cannot be had; a link's as it is written.
    """

    item: Exception_
    key: str
    path: IntentPath
    leaf: IntentPath
    value: object


@cache
def device_leafs(model: type[Intent]) -> frozenset[str]:
    """Leafs of an intent that may be set for one switch, with dots."""
    return frozenset(_marked(model, "device", ""))


@cache
def link_leafs() -> frozenset[str]:
    """Leafs of a link group that may be set for one link."""
    return frozenset(_marked(Links, "link", ""))


@cache
def box_leafs() -> frozenset[str]:
    """Leafs of a tier that say which box with which software one of its switches is."""
    return frozenset(_marked(TierIntent, "device", ""))


def list_settings(intent: Intent, exceptions: Iterable[PlacedException]) -> Iterator[Setting]:
    """Every leaf that an exception of an intent sets, but those of ``list_boxes``."""
    nearest = Nearest()
    for item, path in exceptions:
        for key, value in sorted(item.set.items()) if item.set else ():
            if item.device and (key in OWN or key in box_leafs()):
                continue
            leaf = tuple(key.split("."))
            own = value if item.link else read_value(intent, leaf, value, nearest)
            yield Setting(item, key, (*path, "set", key), leaf, own)


def list_boxes(exceptions: Iterable[PlacedException]) -> Iterator[Setting]:
    """Every leaf by which an exception makes a switch another box than its tier's, below the tier and as written."""
    for item, path in exceptions:
        for key, value in sorted(item.set.items()) if item.set and item.device else ():
            if key in box_leafs():
                yield Setting(item, key, (*path, "set", key), (key,), value)


def value_at(intent: Intent, path: IntentPath) -> object:
    """The value of the whole fabric at a path, settable or not; None where it has none."""
    value: object = intent
    for segment in path:
        value = value.get(segment) if isinstance(value, Mapping) else getattr(value, segment, None)
    return value


def read_value(intent: Intent, leaf: IntentPath, value: object, nearest: Nearest) -> object:
    """The value of a leaf as its type has it, or a ``SettingFault`` where one switch or link cannot have it.

    ``intent`` is that of everybody; a link's leaf is below ``links`` and the name of its group.
    """
    own, legal, boxes, where = leaf, device_leafs(type(intent)), box_leafs(), "one switch"
    if leaf[0] == "links":
        own, legal, boxes, where = leaf[2:], link_leafs(), frozenset[str](), "one link"
    key = ".".join(own)
    if key not in legal:
        known = [*sorted(legal), *sorted(boxes), *(OWN if where == "one switch" else ())]
        near = nearest.find(leaf[-1] if leaf[0] == "tiers" else key, known, cutoff=0.8)
        hint = f"did you mean {near}?" if near else f"set one of {', '.join(known)}"
        if key in ("name", "hostname"):
            hint = "give names in the asset list, as hostname and planned_name"
        return SettingFault(f"{key} cannot be set for {where}", False, hint)
    return typed_value(intent, leaf, value, nearest)


def typed_value(intent: Intent, leaf: IntentPath, value: object, nearest: Nearest) -> object:
    """The value of a leaf that may be set, as its type has it, or a ``SettingFault``."""
    section = value_at(intent, leaf[:-1])
    if not isinstance(section, Intent):
        above = ".".join(leaf[:-1])
        return SettingFault(f"the intent has no {above}, so no switch has it", True, f"add {above} to the intent")
    try:
        return _adapter(type(section), leaf[-1]).validate_python(value)
    except ValidationError as error:
        fault = Fault.at(leaf, error.errors(include_url=False)[0], lambda _: [], nearest)
        return SettingFault(fault.message, True, fault.hint)


def with_value(model: M, leaf: IntentPath, value: object) -> M:
    """A model with a value, as its type has it, at a leaf below it."""
    name, rest = leaf[0], leaf[1:]
    if rest:
        below = getattr(model, name)
        if isinstance(below, dict):
            value = {**below, rest[0]: with_value(below[rest[0]], rest[1:], value)}
        else:
            value = with_value(below, rest, value)
    return model.model_copy(update={name: value})


@cache
def _adapter(model: type[Intent], name: str) -> TypeAdapter[Any]:
    """Return what judges a value of one field."""
    return TypeAdapter(model.model_fields[name].rebuild_annotation(), config=_STRICT)


def _marked(model: type[Intent], scope: str, prefix: str) -> Iterator[str]:
    """Leafs of a model, and of those below it, that are marked with a scope."""
    for name, field in model.model_fields.items():
        extra = field.json_schema_extra
        if isinstance(extra, dict) and scope in str(extra.get(PER, "")).split():
            yield f"{prefix}{name}"
        below = _model_of(field)
        if below is not None:
            yield from _marked(below, scope, f"{prefix}{name}.")


def _model_of(field: FieldInfo) -> type[Intent] | None:
    """The model that a field holds, alone or beside None."""
    options: list[Any] = [field.annotation, *get_args(field.annotation)]
    found = [option for option in options if isinstance(option, type) and issubclass(option, Intent)]
    is_map = getattr(field.annotation, "__origin__", None) in (dict, list)
    return found[0] if found and not is_map else None
