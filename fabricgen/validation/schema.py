"""Questions to a JSON Schema: which keys and values may stand at a path."""

from __future__ import annotations

from typing import Any

from fabricgen.diagnostics import IntentPath


def schema_of_file(schema: dict[str, Any], title: str) -> dict[str, Any]:
    """Return a schema as that of a sort of file, whose name is ``title``."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": f"fabricgen {title}"}


def keys_at(root: dict[str, Any], path: IntentPath) -> list[str]:
    """Keys that may be in the mapping at this path, sorted; empty where any key may."""
    keys: set[str] = set()
    for node in schema_nodes(root, path):
        keys.update(node.get("properties", {}))
    return sorted(keys)


def schema_nodes(root: dict[str, Any], path: IntentPath) -> list[dict[str, Any]]:
    """Every schema node that may describe the value at this path; empty if the path is not of the language."""
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
