"""The intent language as JSON Schema, and the keys that it has."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from fabricgen.diagnostics import IntentPath
from fabricgen.intent.fabric import FabricIntent
from fabricgen.validation.schema import keys_at, schema_of_file


class _Schema(GenerateJsonSchema):
    """Draft 2020-12; pools appear as the text the user writes."""

    def encode_default(self, dft: Any) -> Any:
        """Defaults that are not JSON themselves are written the way the user would."""
        try:
            return super().encode_default(dft)
        except Exception:
            return str(dft)


@cache
def intent_schema() -> dict[str, Any]:
    """JSON Schema of the intent language, for editors."""
    return schema_of_file(FabricIntent.model_json_schema(schema_generator=_Schema), "intent")


def legal_keys(path: IntentPath) -> list[str]:
    """Keys that may stand in the mapping at this path of an intent, sorted; empty where any key may."""
    return keys_at(intent_schema(), path)
