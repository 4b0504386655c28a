"""Snippets laid over rendered files: RFC 7396 merge for JSON, lines behind all others for command-line text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from json import JSONDecoder
from typing import Any

from fabricgen.plan.model.fabric import RawSnippet
from fabricgen.platforms.reading.reader import ReadFault, Tree, is_tree, read_json

_CLOSING = "end"
"""Last line of a command-line configuration, where it has one: what follows it is not read."""
_WHITE = " \t\r\n"


def apply_snippet(text: str, snippet: RawSnippet) -> str:
    """A rendered file with a snippet in it.

    One that is not JSON leaves a JSON file as it is, which is reported elsewhere.

    Source:
        RFC 7396, JSON Merge Patch.
    """
    if not snippet.is_json:
        return _append(text, snippet.text)
    try:
        return _merge_text(text, read_json(snippet.text))
    except ReadFault:
        return text


def changed_paths(before: Tree, after: Tree, steps: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every path at which a tree no longer says what it said; what is merely added is none of them."""
    for key, value in before.items():
        path = (*steps, key)
        if key not in after:
            yield path
        elif value == after[key]:
            continue
        elif is_tree(value) and is_tree(after[key]):
            yield from changed_paths(value, after[key], path)
        else:
            yield path


def merge(target: Any, patch: Any) -> Any:
    """RFC 7396: null removes, objects are merged, everything else replaces."""
    if not isinstance(patch, Mapping):
        return patch
    merged = dict(target) if isinstance(target, Mapping) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge(merged.get(key), value)
    return merged


def _append(text: str, snippet: str) -> str:
    lines, added = text.rstrip("\n").split("\n"), snippet.rstrip("\n").split("\n")
    closing = [lines.pop()] if lines[-1] == _CLOSING else []
    return "\n".join([*lines, *added, *closing]) + "\n"


def _merge_text(text: str, patch: Mapping[str, Any]) -> str:
    """Merge into the text of an object: members that the patch does not name keep their very letters."""
    members = dict(_members(text))
    for key, value in patch.items():
        if value is None:
            members.pop(key, None)
            continue
        old = json.loads(members[key]) if key in members else None
        members[key] = json.dumps(merge(old, value), indent=2, ensure_ascii=False)
    return "{\n" + ",\n".join(f"{json.dumps(key)}: {value}" for key, value in members.items()) + "\n}\n"


def _members(text: str) -> Iterator[tuple[str, str]]:
    """Keys of an object and the text of their values."""
    decoder, at = JSONDecoder(), text.index("{") + 1
    while True:
        at = _skip(text, at, _WHITE + ",")
        if text[at] == "}":
            return
        key, at = decoder.raw_decode(text, at)
        start = _skip(text, at, _WHITE + ":")
        _, at = decoder.raw_decode(text, start)
        yield key, text[start:at]


def _skip(text: str, at: int, signs: str) -> int:
    while text[at] in signs:
        at += 1
    return at
