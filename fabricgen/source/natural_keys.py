"""Natural keys: identification of list items, since their position means nothing."""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.source.scalars import RawFloat

_IDENTITY = ("name", "device", "host", "link", "n", "file")
_ACTIONS = ("state", "set", "raw", "to", "ports", "cable")


def natural_key(item: object) -> str:
    """Return the key under which a list item is found, merged and shown.

    A scalar is its own key. A mapping is known by its identity fields and by what it does; one that has neither is
    known by all its scalar fields.

    Args:
        item: Plain data as a document holds it.

    Returns:
        For example ``netops``, or ``leaf-u001-r0~spine-07 2 ports`` for the exception that moves a link's ports.
    """
    if not isinstance(item, dict):
        return _text(item)
    parts = [_text(item[field]) for field in _IDENTITY if field in item]
    parts += [action for action in _ACTIONS if action in item][:1]
    if not parts:
        parts = [f"{key}={_text(value)}" for key, value in item.items() if not isinstance(value, dict | list)]
    return " ".join(parts)


def item_segments(items: Sequence[object]) -> list[str]:
    """Return the path segment of every item of a list; a repeated key gets a running number so that it has a place."""
    seen: dict[str, int] = {}
    segments: dict[str, None] = {}
    for item in items:
        key = item if isinstance(item, str) else natural_key(item)
        count = seen.get(key, 0) + 1
        # A key may look like a repeated one: "a", "a" and "a #2".
        while (segment := f"[{key}]" if count == 1 else f"[{key} #{count}]") in segments:
            count += 1
        seen[key] = count
        segments[segment] = None
    return list(segments)


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, RawFloat):
        return value.raw
    if isinstance(value, list):
        return "~".join(natural_key(item) for item in value)
    if isinstance(value, dict):
        return natural_key(value)
    return str(value)
