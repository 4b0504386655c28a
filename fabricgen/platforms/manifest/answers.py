"""Reading the capabilities of a manifest: each one answered, each in its own form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any

from fabricgen.diagnostics.words import or_list
from fabricgen.platforms.manifest.capabilities import RECORDS, Choice, Field, Limit, Speeds, Words, fields_of
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.validation.file_faults import FileFaults
from fabricgen.validation.forms import FORM, refuse
from fabricgen.validation.mistakes import BAD_VALUE, MISSING_KEY, UNKNOWN_KEY, Mistake

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import CoreSchema

    from fabricgen.validation.faults import Fault

KEY = "capabilities"
ANY, NONE, UNLIMITED = "any", "none", "unlimited"
_PAGE = "docs/capabilities.md lists them all"
_EACH = 8
"""More answers than this that are left out are one diagnostic."""
_FAULT = object()


@dataclass(frozen=True)
class CapabilityAnswers:
    """The capabilities of a kind of platform as a manifest answers them: every one, and each in its own form."""

    kind: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Read each field of the kind's record."""
        from pydantic_core import core_schema as core

        fields = {
            name: core.typed_dict_field(core.no_info_plain_validator_function(partial(_read, field)))
            for name, field in fields_of(self.kind).items()
        }
        mapping = core.typed_dict_schema(fields, extra_behavior="forbid")
        return core.no_info_after_validator_function(lambda answers: RECORDS[self.kind](**answers), mapping)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Describe each field in words."""
        fields = fields_of(self.kind)
        properties = {
            name: {"description": field.description, FORM: legal_values(field)} for name, field in fields.items()
        }
        return {"type": "object", "properties": properties, "required": list(fields), "additionalProperties": False}


def report_faults(found: Sequence[Fault], kind: str, faults: FileFaults) -> None:
    """Report what is wrong with a manifest: a capability that is not answered with what it says, many at once.

    Args:
        found: What a validation found.
        kind: ``switch``, ``host`` or ``nic``.
        faults: Takes the diagnostics.
    """
    missing = [fault for fault in found if fault.mistake is Mistake.MISSING_KEY and fault.path[:-1] == (KEY,)]
    if len(missing) > _EACH:
        message = f"{KEY} leaves out {len(missing)}: {', '.join(fault.path[-1] for fault in missing)}"
        hint = "copy them from the end of the section in docs/capabilities.md, where each has an answer"
        faults.add(MISSING_KEY, message, KEY, on_key=True, hint=hint)
        found = [fault for fault in found if fault not in missing]
    for fault in found:
        if fault in missing:
            field = fields_of(kind)[fault.path[-1]]
            fault = fault._replace(hint=f"add {fault.path[-1]}, {legal_values(field)}: {field.description}")
        faults.report(fault)


def check_reasons(spec: PlatformSpec, kind: str, faults: FileFaults) -> None:
    """Report reasons for lacking what is no capability of a kind of platform, or what the platform has."""
    wanted = fields_of(kind)
    for name in spec.lacks:
        if name not in wanted:
            faults.add(UNKNOWN_KEY, f"lacks.{name} is no capability", "lacks", name, on_key=True, hint=_PAGE)
        elif getattr(spec.capabilities, name) != wanted[name].nothing:
            message = f"lacks.{name} gives a reason for what {KEY}.{name} has"
            faults.add(BAD_VALUE, message, "lacks", name, hint="remove it")


def legal_values(field: Field) -> str:
    """Return what a manifest may write for a capability, in words.

    Args:
        field: The capability's field.
    """
    if isinstance(field.type, type) and issubclass(field.type, Enum):
        return or_list(item.value for item in field.type)
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
    """The value of a field; raises a refusal if it is none of its type."""
    found = _value_of(field, value)
    if found is _FAULT:
        raise refuse(f"is not {legal_values(field)}")
    return found


def _value_of(field: Field, value: object) -> Any:
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
