"""Every text of the intent has a form of its own or is a free text; none is just a string."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Annotated, Any, Literal, get_args, get_origin

import pytest
from pydantic import AfterValidator, BaseModel, BeforeValidator, TypeAdapter, ValidationError

from fabricgen.diagnostics.visible import find_hidden, name_character
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.types import FreeText, Intent, Text
from fabricgen.validation.forms import Form
from tests.sampling import FRESH

CONSTRAINED = (Form, FreeText, BeforeValidator, AfterValidator)


def texts(annotation: Any, metadata: tuple[Any, ...], where: str, seen: set[type]) -> Iterator[tuple[str, bool]]:
    """(where, is constrained) of every text that a type holds."""
    if get_origin(annotation) is Annotated:
        inner, *more = get_args(annotation)
        yield from texts(inner, (*metadata, *more), where, seen)
    elif annotation is str:
        yield where, any(isinstance(item, CONSTRAINED) for item in metadata)
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        if annotation not in seen:
            seen.add(annotation)
            for name, field in annotation.model_fields.items():
                yield from texts(field.annotation, tuple(field.metadata), f"{annotation.__name__}.{name}", seen)
    elif get_origin(annotation) is not Literal:
        # What holds for a list or a mapping says nothing of the texts in it; a union passes it on to its members.
        own = () if get_origin(annotation) in (list, dict, tuple) else metadata
        for argument in get_args(annotation):
            yield from texts(argument, own, where, seen)


def test_no_text_is_just_a_string() -> None:
    models = [model for model in Intent.__subclasses__() if model.__module__.startswith("fabricgen.intent")]
    assert FabricIntent in models
    seen: set[type] = set()
    found = [item for model in models for item in texts(model, (), "", seen)]
    assert len(found) > 30
    assert [where for where, constrained in found if not constrained] == []


def test_a_bare_string_would_be_noticed() -> None:
    class Loose(Intent):
        a: str = ""
        b: dict[str, Text] | None = None
        c: Annotated[list[str], BeforeValidator(list)]

    found = list(texts(Loose, (), "", set()))
    assert [where for where, constrained in found if not constrained] == ["Loose.a", "Loose.b", "Loose.c"]


@pytest.mark.parametrize("longest", [200, 300])
def test_free_text_takes_what_can_be_seen_and_nothing_else(longest: int) -> None:
    adapter = TypeAdapter(Annotated[str, FreeText(longest)])
    for chance in (random.Random(3), random.Random(FRESH)):
        for _ in range(1000):
            sign = chr(
                chance.choice([chance.randrange(0x500), chance.randrange(0x1FFFF), 0xE0000 + chance.randrange(99)])
            )
            if find_hidden(sign) is None:
                assert adapter.validate_python(f"a{sign}b") == f"a{sign}b"
                continue
            with pytest.raises(ValidationError) as caught:
                adapter.validate_python(f"a{sign}b")
            assert name_character(sign) in caught.value.errors()[0]["msg"] or 0xD800 <= ord(sign) < 0xE000
    for refused in ("", " ", " a", "a ", "x" * (longest + 1), "a{{b", "a{%b", "@fabricgen-secret:x"):
        with pytest.raises(ValidationError):
            adapter.validate_python(refused)
