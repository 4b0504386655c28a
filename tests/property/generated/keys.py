"""Keys and words of the language, those of a document and all there are, both read from the JSON Schema."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Node = dict[str, Any]
KINDS = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}


class Schema:
    """The schema of the intent, walked as a tree of keys.

    A key of the language is a path such as ``tiers.*.count.max``; what it can say is added to it: a word of a choice,
    as in ``lossless.mode=pfc_only``, else a kind of value, as in ``units:integer``.
    """

    def __init__(self, file: Path) -> None:
        self._root: Node = json.loads(file.read_text(encoding="utf-8"))

    def known(self) -> set[str]:
        """All that can be said; leaving a key out, which is what null means, is not among it."""
        return set(self._words(self._root, ()))

    def said(self, document: Any) -> set[str]:
        return set(self._said(self._root, document, ()))

    def _branches(self, node: Node) -> Iterator[Node]:
        """The node itself, or what it may be instead."""
        if "$ref" in node:
            yield from self._branches(self._root["$defs"][node["$ref"].rpartition("/")[2]])
        elif "anyOf" in node or "oneOf" in node:
            for each in (*node.get("anyOf", ()), *node.get("oneOf", ())):
                if not _is_proposed(each):
                    yield from self._branches(each)
        else:
            yield node

    def _words(self, node: Node, path: tuple[str, ...]) -> Iterator[str]:
        for branch in self._branches(node):
            choices = _choices(branch)
            if choices:
                yield from (_leaf(path, choice) for choice in choices)
            elif branch.get("type") == "object":
                for key, child in _children(branch):
                    yield from self._words(child, (*path, key))
            elif branch.get("type") == "array":
                yield from self._words(branch["items"], (*path, "[]"))
            elif branch.get("type") != "null":
                yield f"{'.'.join(path)}:{branch['type']}"

    def _said(self, node: Node, value: Any, path: tuple[str, ...]) -> Iterator[str]:
        branches = [branch for branch in self._branches(node) if _takes(branch, value)]
        if not branches:
            raise ValueError(f"{'.'.join(path)}: the schema does not know {value!r}")
        branch = min(branches, key=lambda each: any(name == "*" for name, _ in _children(each)))
        if _choices(branch):
            yield _leaf(path, value)
        elif isinstance(value, dict):
            children = dict(_children(branch))
            for key, child in value.items():
                name = key if key in children else "*"
                yield from self._said(children[name], child, (*path, name))
        elif isinstance(value, list):
            for child in value:
                yield from self._said(branch["items"], child, (*path, "[]"))
        else:
            yield f"{'.'.join(path)}:{branch['type']}"


def _is_proposed(node: Node) -> bool:
    """Return whether a branch only lists names for editors, all of which the string beside it takes as well."""
    return "enum" in node and "type" not in node


def _leaf(path: tuple[str, ...], word: Any) -> str:
    return f"{'.'.join(path)}={word}"


def _choices(branch: Node) -> list[Any]:
    """Words of a choice; a flag has two."""
    if branch.get("type") == "boolean":
        return [True, False]
    return [branch["const"]] if "const" in branch else list(branch.get("enum", ()))


def _children(branch: Node) -> Iterator[tuple[str, Node]]:
    """Keys of a mapping; those that the user chooses are ``*``."""
    yield from branch.get("properties", {}).items()
    more = branch.get("additionalProperties")
    if isinstance(more, dict):
        yield "*", more
    for child in branch.get("patternProperties", {}).values():
        yield "*", child


def _takes(branch: Node, value: Any) -> bool:
    """Return whether a branch is about a value of this kind and, of mappings, with these keys."""
    if _choices(branch):
        return any(value == choice and type(value) is type(choice) for choice in _choices(branch))
    kind = KINDS[type(value)]
    if branch.get("type") != kind and not (branch.get("type") == "number" and kind == "integer"):
        return False
    if isinstance(value, str):
        return re.search(branch.get("pattern", ""), value) is not None
    if isinstance(value, dict):
        names = {name for name, _ in _children(branch)}
        return "*" in names or (value.keys() <= names and set(branch.get("required", ())) <= value.keys())
    return True
