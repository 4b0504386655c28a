"""Records that are validated from a document; no validator is loaded until one is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, get_args, get_type_hints

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

from fabricgen.validation.forms import listed, refuse

R = TypeVar("R", bound=type)


class Misfit(NamedTuple):
    """A contradiction between values of a record: where below it, and what is wrong there."""

    loc: tuple[str | int, ...]
    text: str


class Key(NamedTuple):
    """The key that a field of a record has in a document; empty where it is not written there."""

    name: str


def record(cls: R) -> R:
    """Let a NamedTuple or a dataclass be validated from a mapping that has its fields as keys, and no others.

    A method ``misfits`` yields what contradicts each other.
    """
    cls.__get_pydantic_core_schema__ = classmethod(_record_schema)  # type: ignore[attr-defined]
    return cls


def spread(cls: R) -> R:
    """Let the keys of a NamedTuple stand among those of the record that has it as a field."""
    cls.SPREAD = True  # type: ignore[attr-defined]
    return cls


def _record_schema(cls: type, _source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
    from pydantic_core import core_schema

    parts: dict[str, type] = {}
    absent: list[str] = []
    keys: dict[str, Any] = {}
    known: dict[Any, CoreSchema] = {}

    def collect(owner: Any) -> None:
        defaults = getattr(owner, "_field_defaults", {})
        for name, hint in get_type_hints(owner, include_extras=True).items():
            key = next((item.name for item in getattr(hint, "__metadata__", ()) if isinstance(item, Key)), None)
            if getattr(hint, "SPREAD", False):
                parts[name] = hint
                collect(hint)
            elif key == "":
                absent.extend([name] if name not in defaults else [])
            else:
                if hint not in known:
                    schema: Any = handler.generate_schema(hint)
                    known[hint] = listed(schema["schema"] if schema["type"] == "nullable" else schema)
                schema = known[hint]
                keys[name] = core_schema.typed_dict_field(schema, required=name not in defaults, validation_alias=key)

    collect(cls)
    build = partial(_build, cls, parts, absent)
    mapping = core_schema.typed_dict_schema(keys, extra_behavior="forbid", config={"strict": True})
    return core_schema.no_info_after_validator_function(build, mapping)


def _build(cls: Any, parts: dict[str, Any], absent: list[str], values: dict[str, Any]) -> Any:
    """Make a record of validated values; raises what its parts and itself have against them."""
    from pydantic_core import InitErrorDetails, ValidationError

    made = {
        name: part(**{key: values.pop(key) for key in part._fields if key in values}) for name, part in parts.items()
    }
    found = cls(**dict.fromkeys(absent, ""), **values, **made)
    misfits = [misfit for each in (*made.values(), found) for misfit in getattr(each, "misfits", tuple)()]
    if misfits:
        errors = [InitErrorDetails(type=refuse(text), loc=loc, input={}) for loc, text in misfits]
        raise ValidationError.from_exception_data(cls.__name__, errors)
    return found


@dataclass(frozen=True)
class ByName:
    """A mapping of names to records: a tuple of records, each with its key in the field ``name``."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Validate a mapping of the tuple's items."""
        from pydantic_core import core_schema

        def join(found: dict[str, Any]) -> tuple[Any, ...]:
            return tuple(each._replace(name=name) for name, each in found.items())

        item = handler.generate_schema(get_args(source)[0])
        return core_schema.no_info_after_validator_function(
            join, core_schema.dict_schema(core_schema.str_schema(), item)
        )
