"""The intent language as JSON Schema, and the questions other rooms ask of it."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from fabricgen.diagnostics import IntentPath
from fabricgen.intent.fabric import FabricIntent


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
    schema = FabricIntent.model_json_schema(schema_generator=_Schema)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "fabricgen intent", **schema}


def legal_keys(path: IntentPath, schema: dict[str, Any] | None = None) -> list[str]:
    """Keys that may stand in the mapping at this path, sorted; empty where any key may.

    Args:
        path: The mapping.
        schema: JSON Schema of its document; that of the intent if left out.
    """
    keys: set[str] = set()
    for node in schema_nodes(path, schema):
        keys.update(node.get("properties", {}))
    return sorted(keys)


def schema_nodes(path: IntentPath, schema: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """Every schema node that may describe the value at this path; empty if the path is not of the language.

    Args:
        path: The value.
        schema: JSON Schema of its document; that of the intent if left out.
    """
    root = schema or intent_schema()
    nodes = _expand(root, root)
    for segment in path:
        below: list[dict[str, Any]] = []
        for node in nodes:
            if segment.startswith("["):
                below.extend(_expand(node.get("items", {}), root))
            elif segment in node.get("properties", {}):
                below.extend(_expand(node["properties"][segment], root))
            elif isinstance(node.get("additionalProperties"), dict):
                below.extend(_expand(node["additionalProperties"], root))
            for pattern in node.get("patternProperties", {}).values():
                below.extend(_expand(pattern, root))
        nodes = below
    return nodes


def _expand(node: dict[str, Any], root: dict[str, Any]) -> list[dict[str, Any]]:
    """A node with references followed and alternatives listed."""
    if "$ref" in node:
        return _expand(root["$defs"][node["$ref"].rpartition("/")[2]], root)
    for key in ("anyOf", "oneOf", "allOf"):
        if key in node:
            return [leaf for option in node[key] for leaf in _expand(option, root)]
    return [node] if node else []
