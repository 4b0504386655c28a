"""Leafs of the intent that an exception may set for one switch or one link, and the intent as that one has it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple, get_args

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from fabricgen.diagnostics import IntentPath, Nearest
from fabricgen.intent.exceptions import Exception_, list_exceptions
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.topology import Links
from fabricgen.intent.types import PER, Intent
from fabricgen.validation.faults import Fault

_REMEMBERED = 1000
"""Intents with a setting that are kept at most: each is a copy of some kilobytes."""
_STRICT = ConfigDict(strict=True, arbitrary_types_allowed=True)


class SettingFault(NamedTuple):
    """Reason why a leaf cannot be set, and the keys that can be; ``is_leaf`` is true if such a leaf exists."""

    text: str
    is_leaf: bool
    hint: str = ""


class Setting(NamedTuple):
    """One leaf that an exception sets.

    Attributes:
        item: The exception.
        key: The leaf as the exception writes it.
        path: Where the exception writes it.
        leaf: Where the intent has it for everybody else.
    """

    item: Exception_
    key: str
    path: IntentPath
    leaf: IntentPath
    value: object


@cache
def device_leafs() -> frozenset[str]:
    """Leafs that may be set for one switch, with dots."""
    return frozenset(_marked(FabricIntent, "device", ""))


@cache
def link_leafs() -> frozenset[str]:
    """Leafs of a link group that may be set for one link."""
    return frozenset(_marked(Links, "link", ""))


def list_settings(intent: FabricIntent) -> Iterator[Setting]:
    """Every leaf that an exception sets."""
    for item, path in list_exceptions(intent.exceptions):
        for key, value in sorted((item.set or {}).items()):
            yield Setting(item, key, (*path, "set", key), tuple(key.split(".")), value)


def has_value(intent: FabricIntent, path: IntentPath) -> bool:
    """Return whether the whole fabric has a value at a path, settable or not."""
    return value_at(intent, path) is not None


def value_at(intent: FabricIntent, path: IntentPath) -> object:
    """The value of the whole fabric at a path, settable or not; None where it has none."""
    value: object = intent
    for segment in path:
        value = value.get(segment) if isinstance(value, Mapping) else getattr(value, segment, None)
    return value


def apply_setting(intent: FabricIntent, leaf: IntentPath, value: object) -> FabricIntent | SettingFault:
    """The intent with another value at a leaf.

    Args:
        intent: The intent of everybody.
        leaf: A leaf; a link's is below ``links`` and the name of its group.
        value: Plain data, as the document has it.

    Returns:
        The intent, or why it cannot be had.
    """
    if leaf[0] == "links":
        known = ".".join(leaf[2:]) in link_leafs() and leaf[1] in intent.links
        legal, where = link_leafs(), "one link"
    else:
        known, legal, where = ".".join(leaf) in device_leafs(), device_leafs(), "one switch"
    if not known:
        own = ".".join(leaf[2:] if leaf[0] == "links" else leaf)
        near = Nearest().find(own, sorted(legal), cutoff=0.8)
        hint = f"did you mean {near}?" if near else f"what can be set is {', '.join(sorted(legal))}"
        return SettingFault(f"{own} cannot be set for {where}", False, hint)
    if leaf[0] == "links":
        changed = _with(intent.links[leaf[1]], leaf[2:], value, leaf)
        if isinstance(changed, SettingFault):
            return changed
        return intent.model_copy(update={"links": {**intent.links, leaf[1]: changed}})
    changed = _with(intent, leaf, value, leaf)
    return changed if isinstance(changed, FabricIntent | SettingFault) else intent


class SettingMemo:
    """Applies settings; the same one to the same intent is worked out once."""

    def __init__(self) -> None:
        """Start empty."""
        # The intent is kept beside what became of it, so that no other one gets its identity.
        self._found: dict[tuple[int, IntentPath, str], tuple[FabricIntent, FabricIntent | SettingFault]] = {}

    def apply(self, intent: FabricIntent, leaf: IntentPath, value: object) -> FabricIntent | SettingFault:
        """Return what ``apply_setting`` does; equal arguments give the same object, as long as it is remembered."""
        key = (id(intent), leaf, repr(value))
        if key not in self._found:
            if len(self._found) >= _REMEMBERED:
                self._found.clear()
            self._found[key] = (intent, apply_setting(intent, leaf, value))
        return self._found[key][1]


@cache
def _adapter(model: type[Intent], name: str) -> TypeAdapter[Any]:
    """Return what judges a value of one field."""
    return TypeAdapter(model.model_fields[name].rebuild_annotation(), config=_STRICT)


def _with(model: Intent, leaf: IntentPath, value: object, at: IntentPath) -> Intent | SettingFault:
    """A model with another value at a leaf below it; ``at`` is the leaf's path in the intent."""
    name, rest = leaf[0], leaf[1:]
    if rest:
        below = getattr(model, name)
        if below is None:
            section = ".".join(at[: len(at) - len(rest)])
            hint = f"add {section} to the intent"
            return SettingFault(f"the intent has no {section}, so no switch has it", True, hint)
        changed = _with(below, rest, value, at)
        return changed if isinstance(changed, SettingFault) else model.model_copy(update={name: changed})
    try:
        checked = _adapter(type(model), name).validate_python(value)
    except ValidationError as error:
        fault = Fault.at(at, error.errors(include_url=False)[0], lambda _: [], Nearest())
        return SettingFault(fault.message, True, fault.hint)
    return model.model_copy(update={name: checked})


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
