"""Forms of values, as annotations that a validator and a JSON Schema understand; neither is loaded before its use."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
    """The form of a text, which a refusal tells in words.

    Attributes:
        pattern: Regular expression, anchored at both ends; the schema has it.
        words: What such a text is, for example ``a port: a cage, or cage/sub-port``.
    """

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
    """A value that is written in another form.

    Attributes:
        read: Makes the value of what is written; raises a refusal.
        types: JSON types that it is written as.
    """

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
    """Words that stand for themselves in place of another value.

    Attributes:
        words: The words.
        other: Type of the other value.
        form: What that is, for example ``a whole number``.
    """

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
    """A value that may also be written shorter: one item for a list of it, a number for its digits.

    Attributes:
        expand: Makes the long form of it, or gives back what it gets.
    """

    expand: Callable[[Any], Any]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Expand before the type is checked."""
        from pydantic_core.core_schema import no_info_before_validator_function

        return no_info_before_validator_function(self.expand, listed(handler(source)))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Describe both."""
        found = handler(schema)
        return {"anyOf": [found, found.get("items", {"type": "integer"})]}
