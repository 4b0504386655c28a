"""Waivers: diagnostics whose risk an owner accepts for a while."""

from collections.abc import Collection, Iterator
from functools import cache
from typing import Annotated, Any

from pydantic import AfterValidator, Field, TypeAdapter

from fabricgen.diagnostics import lookup
from fabricgen.diagnostics.registry import OF_COMMANDS, RETIRED
from fabricgen.intent.types import Day, FreeText, Intent, Text
from fabricgen.source import Document
from fabricgen.validation.faults import Fault
from fabricgen.validation.forms import refuse
from fabricgen.validation.reading import read_strictly
from fabricgen.validation.schema import schema_of_file

AREA = "FG-WVR-"
"""Begin of the codes about waivers, which themselves cannot be waived."""


def _code(value: str) -> str:
    if (value not in RETIRED and lookup(value) is None) or value.startswith(OF_COMMANDS):
        raise refuse("is not a code that can be waived")
    return value


class WaiverEntry(Intent):
    """A waiver as its file has it."""

    code: Annotated[str, AfterValidator(_code), Field(description="Diagnostic that is waived")]
    owner: Annotated[Text, Field(description="Who took the risk")]
    expires: Annotated[Day, Field(description="Last day of the waiver, YYYY-MM-DD; afterwards it is an error")]
    reason: Annotated[str, FreeText(2000), Field(description="Why the risk is acceptable")]
    path: Annotated[
        str, FreeText(2000), Field(description="Only diagnostics at this path of the intent; * stands for any text")
    ] = ""
    fault: Annotated[str, FreeText(100), Field(description="Only the known fault of this name")] = ""


@cache
def _adapter() -> TypeAdapter[Any]:
    return TypeAdapter(list[WaiverEntry])


def read_waivers(document: Document) -> tuple[Iterator[tuple[int, WaiverEntry]], list[Fault]]:
    """Return the sound entries of a file with their numbers, and the faults of the others."""
    _, faults = read_strictly(document, _adapter())
    faulty, data = {fault.path[:1] for fault in faults}, document.data
    numbered = enumerate(data) if isinstance(data, list) else ()
    sound = ((at, item) for at, item in numbered if document.to_path((at,)) not in faulty)
    return ((at, WaiverEntry.model_validate(item)) for at, item in sound), faults


def waivers_schema(codes: Collection[str]) -> dict[str, Any]:
    """Return the JSON Schema of files of waivers."""
    schema = _adapter().json_schema()
    schema["$defs"]["WaiverEntry"]["properties"]["code"]["enum"] = sorted(codes)
    return schema_of_file(schema, "waivers")
