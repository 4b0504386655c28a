"""Forms of values and records, as annotations for a validator and a JSON Schema; neither is loaded before its use."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, get_args, get_type_hints

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import CoreSchema, PydanticCustomError


def refuse(text: str, **facts: object) -> PydanticCustomError:
    """A refusal whose text names the allowed value; the actual one is shown before it unless ``hidden`` is True."""
    from pydantic_core import PydanticCustomError

    return PydanticCustomError("fabricgen", "{text}", {"text": text, **facts})


def listed(schema: Any) -> CoreSchema:
    """Let a tuple be written as a list."""
    found: CoreSchema = {**schema, "strict": False} if schema["type"] == "tuple" else schema
    return found


FORM = "x-form"
"""Key of the schema that says in words what a pattern means."""


@dataclass(frozen=True)
class Form:
    """The form of a text: an anchored regular expression, and words like ``a port: a cage, or cage/sub-port``."""

    pattern: str
    words: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Check after the type."""
        from pydantic_core.core_schema import no_info_after_validator_function

        return no_info_after_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """A text with the pattern; where another form stands for it, what that is."""
        found = handler(schema)
        return {**found, "pattern": self.pattern, FORM: self.words} if found.get("type") == "string" else found

    def _check(self, value: str) -> str:
        # Unlike match, fullmatch lets no line end pass behind $.
        if not re.fullmatch(self.pattern, value, re.ASCII):
            raise refuse(f"is not {self.words}")
        return value


@dataclass(frozen=True)
class Range:
    """Bounds of a whole number."""

    low: int
    high: int | None = None

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Add the bounds to the type's own schema."""
        schema: Any = handler(source)
        bounded: CoreSchema = {**schema, "ge": self.low, **({} if self.high is None else {"le": self.high})}
        return bounded


@dataclass(frozen=True)
class Written:
    """A value that is written in another form, of some JSON types; ``read`` makes it, or raises a refusal."""

    read: Callable[[Any], Any]
    types: tuple[str, ...] = ("string",)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Read the value and nothing else."""
        from pydantic_core.core_schema import no_info_plain_validator_function

        return no_info_plain_validator_function(self.read)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Describe what is written."""
        return {"type": self.types[0] if len(self.types) == 1 else list(self.types)}


@dataclass(frozen=True)
class Or:
    """Words that stand for themselves in place of another value, which is called for example ``a whole number``."""

    words: tuple[str, ...]
    other: Any
    form: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Read a word, else the other value; write them likewise."""
        from pydantic_core.core_schema import no_info_wrap_validator_function, wrap_serializer_function_ser_schema

        other = handler.generate_schema(self.other)
        written = wrap_serializer_function_ser_schema(
            lambda value, write: value if isinstance(value, str) else write(value), schema=other
        )
        return no_info_wrap_validator_function(self._read, other, serialization=written)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Describe both."""
        return {"anyOf": [{"enum": list(self.words), "type": "string"}, handler(schema)]}

    def _read(self, value: Any, inner: Callable[[Any], Any]) -> Any:
        from pydantic_core import ValidationError

        if isinstance(value, str) and value in self.words:
            return value
        try:
            return inner(value)
        except ValidationError as error:
            if isinstance(value, dict | int) or any("suggestion" in fault.get("ctx", {}) for fault in error.errors()):
                raise
        raise refuse(f"is not {', '.join(self.words)}, or {self.form}", legal=self.words)


def digits(value: Any) -> Any:
    """A whole number stands for its digits."""
    return str(value) if type(value) is int else value


@dataclass(frozen=True)
class Short:
    """A value that may be written shorter: an item for a list of it, a number for its digits; else expand keeps it."""

    expand: Callable[[Any], Any]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Expand before the type is checked."""
        from pydantic_core.core_schema import no_info_before_validator_function

        return no_info_before_validator_function(self.expand, listed(handler(source)))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Describe both."""
        found = handler(schema)
        return {"anyOf": [found, found.get("items", {"type": "integer"})]}


R = TypeVar("R", bound=type)


class Misfit(NamedTuple):
    """A contradiction between values of a record: where below it, and what is wrong there."""

    loc: tuple[str | int, ...]
    text: str


class Key(NamedTuple):
    """The key that a field of a record has in a document; empty where it is not written there."""

    name: str


def record(cls: R) -> R:
    """Let a record be validated from a mapping of its fields alone; ``misfits`` yields contradictions."""
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
