"""The part of two JSON texts in which they differ, as whole members of the outermost object.

Rendered files of two releases of one fabric differ in a table or two out of forty. Finding those by comparing bytes
costs a hundredth of parsing both texts, and what devices of a class share need be read only once. Where the texts are
not laid out one member per line at the left edge, the answer is None and both are read whole.
"""

from __future__ import annotations

import re

_KEY = re.compile(rb'(?m)^"((?:[^"\\]|\\.)*)"\s*:')
_OPEN, _CLOSE = b"{[", b"}]"


def narrow(before: bytes, after: bytes) -> tuple[bytes, bytes] | None:
    """Cut two JSON texts down to the members in which they differ.

    Returns:
        Two JSON texts; None if the layout does not allow it.
    """
    head = _common_prefix(before, after)
    start = before.rfind(b'\n"', 0, head) + 1
    tail = _common_suffix(before, after, head)
    if start <= 1 or not _is_outermost(before[:start]):
        return None
    ends = [_end_of_member(text, max(len(text) - tail, start)) for text in (before, after)]
    if min(ends) < 0:
        return None
    windows = before[start : ends[0]], after[start : ends[1]]
    if _says_again(before, start, ends[0], windows[0]) or _says_again(after, start, ends[1], windows[1]):
        return None
    opened = [b"{" + window.rstrip().rstrip(b",") + b"}" for window in windows]
    return opened[0], opened[1]


def _common_prefix(one: bytes, other: bytes) -> int:
    """How many bytes two texts have in common at their beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_suffix(one: bytes, other: bytes, head: int) -> int:
    """How many bytes behind their common beginning two texts have in common at their end."""
    low, high = 0, min(len(one), len(other)) - head
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]:
            low = middle
        else:
            high = middle - 1
    return low


def _is_outermost(text: bytes) -> bool:
    """Whether what follows a text is a member of the outermost object; brackets inside of quotes only cause a no."""
    return text.startswith(b"{") and text.count(b"{") - text.count(b"}") == 1 and text.count(b"[") == text.count(b"]")


def _end_of_member(text: bytes, position: int) -> int:
    """Where the member that a position lies in ends: before the next one, or before the last bracket."""
    following = text.find(b'\n"', max(position - 1, 0))
    if following >= 0:
        return following + 1
    last = text.rstrip()
    return len(last) - 1 if last.endswith(b"}") else -1


def _says_again(text: bytes, start: int, end: int, window: bytes) -> bool:
    """Whether a member of the window is given another time outside of it."""
    for match in _KEY.finditer(window):
        sign = b'\n"' + match[1] + b'"'
        if text.find(sign, 0, start - 1) >= 0 or text.find(sign, end - 1) >= 0:
            return True
    return False


def find_member(text: bytes, key: str) -> bytes | None:
    """One member of the outermost object as a JSON text of its own; None if it does not stand at the left edge."""
    start = text.find(f'\n"{key}":'.encode())
    if start < 0:
        return None
    end = _end_of_member(text, start + 2)
    return None if end < 0 else b"{" + text[start:end].strip().rstrip(b",") + b"}"
