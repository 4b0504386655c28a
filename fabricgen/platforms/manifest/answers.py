"""Reading the capabilities of a manifest: each one answered, each in its own form."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from fabricgen.diagnostics import Nearest
from fabricgen.platforms.manifest.capabilities import (
    RECORDS,
    Capabilities,
    Choice,
    Field,
    Limit,
    Speeds,
    Words,
    fields_of,
    no_capabilities,
)
from fabricgen.platforms.manifest.fields import Fields, shown
from fabricgen.platforms.manifest.platform_codes import BAD_VALUE, MISSING_KEY, UNKNOWN_KEY

KEY = "capabilities"
ANY, NONE, UNLIMITED = "any", "none", "unlimited"
_PAGE = "docs/capabilities.md lists them all"
_EACH = 8
"""More answers than this that are left out are one diagnostic."""
_FAULT = object()


def read_capabilities(manifest: Fields, kind: str) -> Capabilities:
    """Read what a platform can do; whatever is wrong, missing or unknown is reported and counts as missing.

    Args:
        manifest: The whole manifest.
        kind: ``switch``, ``host`` or ``nic``.
    """
    section = manifest.section(KEY)
    if section is None:
        return no_capabilities(kind)
    wanted = fields_of(kind)
    values = {}
    _report_missing(section, {name: field for name, field in wanted.items() if name not in section.values})
    for name, field in wanted.items():
        if name not in section.values:
            continue
        values[name] = value = _read(field, section.values[name])
        if value is _FAULT:
            message = f"{KEY}.{name} is {shown(section.values[name])}; it must be {legal_values(field)}"
            section.fault(BAD_VALUE, message, name, hint=f"write {legal_values(field)}")
    nearest = Nearest()
    for name in section.values.keys() - wanted.keys():
        near = nearest.find(name, wanted)
        hint = f"write {near}" if near else f"remove it; {_PAGE}"
        message = f"{KEY}.{name} is no capability of a {kind} platform"
        section.fault(UNKNOWN_KEY, message, name, on_key=True, hint=hint)
    sound = all(value is not _FAULT for value in values.values()) and values.keys() == wanted.keys()
    return RECORDS[kind](**values) if sound else no_capabilities(kind)


def _report_missing(section: Fields, missing: Mapping[str, Field]) -> None:
    """Report every capability that is not answered: each with what it says, or a long list at once."""
    if len(missing) > _EACH:
        message = f"{KEY} leaves out {len(missing)}: {', '.join(missing)}"
        hint = "copy them from the end of the section in docs/capabilities.md, where each has an answer"
        section.fault(MISSING_KEY, message, on_key=True, hint=hint)
        return
    for name, field in missing.items():
        hint = f"add {name}, {legal_values(field)}: {field.says}"
        section.fault(MISSING_KEY, f"{KEY}.{name} is missing", on_key=True, hint=hint)


def read_reasons(manifest: Fields, kind: str, capabilities: Capabilities) -> dict[str, str]:
    """Read why a platform lacks some capabilities, each of which it must indeed lack.

    Args:
        manifest: The whole manifest.
        kind: ``switch``, ``host`` or ``nic``.
        capabilities: What it can do.
    """
    reasons = manifest.sentences("lacks")
    wanted = fields_of(kind)
    for name in reasons:
        if name not in wanted:
            manifest.fault(UNKNOWN_KEY, f"lacks.{name} is no capability", "lacks", name, on_key=True, hint=_PAGE)
        elif getattr(capabilities, name) != wanted[name].nothing:
            message = f"lacks.{name} gives a reason for what {KEY}.{name} has"
            manifest.fault(BAD_VALUE, message, "lacks", name, hint="remove it")
    return reasons


def legal_values(field: Field) -> str:
    """Return what a manifest may write for a capability, in words.

    Args:
        field: The capability's field.
    """
    if isinstance(field.type, type) and issubclass(field.type, Enum):
        return " or ".join(item.value for item in field.type)
    number = f"a whole number from {field.least}"
    return {
        bool: "true or false",
        int: number,
        str: f"a text, or {NONE}",
        Limit: f"{number}, or {UNLIMITED}",
        Words: "a list of words, or []",
        Choice: f"a list of words, or {ANY}",
        Speeds: f"a list of Gb/s, [] or {ANY}",
    }[field.type]


def written_value(field: Field, value: Any) -> str:
    """Return the value of a capability as a manifest writes it.

    Args:
        field: The capability's field.
        value: Its value.
    """
    if value is None:
        return UNLIMITED if field.type is Limit else ANY
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, tuple):
        return f"[{', '.join(map(str, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value) or NONE


def _read(field: Field, value: object) -> Any:
    """The value of a field; ``_FAULT`` if it is none of its type."""
    if isinstance(field.type, type) and issubclass(field.type, Enum):
        word = str(value).lower() if isinstance(value, bool) else value
        return next((item for item in field.type if item.value == word), _FAULT)
    if field.type is bool:
        return value if isinstance(value, bool) else _FAULT
    if field.type is str:
        return ("" if value == NONE else value) if isinstance(value, str) and value.isprintable() else _FAULT
    return _number_of(field, value) if field.type in (int, Limit) else _list_of(field, value)


def _number_of(field: Field, value: object) -> Any:
    if value == UNLIMITED and field.type is Limit:
        return None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= field.least else _FAULT


def _list_of(field: Field, value: object) -> Any:
    if value == ANY and field.type in (Choice, Speeds):
        return None
    of = int if field.type is Speeds else str
    if not isinstance(value, list) or not all(isinstance(item, of) and not isinstance(item, bool) for item in value):
        return _FAULT
    return tuple(value) if len(set(value)) == len(value) else _FAULT
