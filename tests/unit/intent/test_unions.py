"""A value of several forms is read as one of them, so that each mistake in it is one fault at its own place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from fabricgen.catalog.switch_file import SwitchFile
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.waivers import WaiverEntry
from fabricgen.intent.workload import WorkloadIntent
from fabricgen.platforms.manifest.spec import Output, Parameter, ReleaseEntry
from fabricgen.platforms.reading.semantics import Semantics
from fabricgen.platforms.values import Scalar


def kinds(schema: Any) -> Iterator[str]:
    """Every type of a core schema and of what it is made of."""
    for key, below in schema.items() if isinstance(schema, dict) else enumerate(schema):
        if key == "type" and isinstance(below, str):
            yield below
        elif isinstance(below, dict | list | tuple) and key not in ("metadata", "json_schema_input_schema"):
            yield from kinds(below)


MODELS = (FabricIntent, WorkloadIntent, WaiverEntry)


@pytest.mark.parametrize("form", [*MODELS, SwitchFile, Semantics, Output, Parameter, ReleaseEntry, Scalar])
def test_no_value_is_tried_against_one_form_after_the_other(form: Any) -> None:
    if form in MODELS:
        with suppress(ValidationError):
            # Models of the intent are built when they are first used.
            form.model_validate({})
    found = set(kinds(form.__pydantic_core_schema__ if form in MODELS else TypeAdapter(form).core_schema))
    assert len(found) > 1 or form is Scalar
    assert "union" not in found
