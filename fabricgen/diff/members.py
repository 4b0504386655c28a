"""The members of a JSON object as bytes, so that only those are read in which two texts differ.

Rendered files of two releases of one fabric differ in a table or two out of forty, and devices of a class share most
tables byte for byte. Where a text is not laid out with its outermost members at the left edge, and nothing else there,
the answer is None and it is read whole.
"""

from __future__ import annotations

import re

_EDGE = b'\n"'
_BETWEEN = b'},\n"'
_FIRST = re.compile(rb'\s*\{(\n[ \t]*")')
Members = dict[bytes, bytes]
"""Text of each member from its name on, without the quote before it and the comma behind it, by name."""


def split_members(text: bytes, *, indented: bool = False) -> Members | None:
    """Take the outermost members of a JSON object apart; None if the layout does not allow it.

    Whether each is complete is another question: ``are_complete``, or reading it.

    Args:
        text: The object.
        indented: The members may all be as far from the left edge as the first one is.
    """
    first = _FIRST.match(text) if indented else None
    head, *pieces = text.split(first[1] if first else _EDGE)
    if head.strip() != b"{" or not all(piece.rstrip().endswith(b",") for piece in pieces[:-1]) or not pieces:
        return None
    return _named(pieces, b"")


def split_objects(text: bytes) -> Members | None:
    """The same in a fifth of the time; members that are no objects are left together with the one behind them."""
    head, *pieces = text.split(_BETWEEN)
    start = head.find(_EDGE)
    if start < 0 or head[:start].strip() != b"{":
        return None
    return _named([head[start + len(_EDGE) :], *pieces], b"}")


def narrow(before: bytes, after: bytes) -> tuple[bytes, bytes] | None:
    """Cut two JSON objects down to the members between the first and the last byte in which they differ.

    The layout of the second must be known to be one that ``split_objects`` takes apart.

    Returns:
        Two JSON objects; None if there is nothing to cut.
    """
    head = _common(before, after)
    start = after.rfind(_BETWEEN, 0, head)
    tail = _common(before[start:], after[start:], backwards=True)
    last = after.find(_BETWEEN, max(len(after) - tail, start + 1))
    if start < 0 or last < 0:
        return None
    windows = before[start + 2 : last - len(after) + len(before)], after[start + 2 : last]
    return b"{" + windows[0] + b"}}", b"{" + windows[1] + b"}}"


def _common(one: bytes, other: bytes, *, backwards: bool = False) -> int:
    """Return how many bytes two texts have in common at their beginning, or at their end."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if backwards:
            same = one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]
        else:
            same = one[low:middle] == other[low:middle]
        low, high = (middle, high) if same else (low, middle - 1)
    return low


def find_object(text: bytes, name: bytes) -> bytes | None:
    """One member of a JSON object, by the layout of ``split_objects``; None if it is not there or not single."""
    start = text.find(_EDGE + name + b'": {')
    end = text.find(_BETWEEN, start + 1) if start >= 0 else -1
    if end < 0:
        return None
    member = text[start + len(_EDGE) : end + 1]
    return member if is_single(member) else None


def is_single(member: bytes) -> bool:
    """Return whether a member has no other behind it."""
    return _EDGE not in member


def _named(pieces: list[bytes], lost: bytes) -> Members | None:
    """The members by name, each with what splitting took from its end."""
    body = pieces[-1].rstrip()
    if not body.endswith(b"}"):
        return None
    members: Members = {}
    for piece in pieces[:-1]:
        member = piece + lost if lost else piece.rstrip().removesuffix(b",")
        members[piece[: piece.find(b'"')]] = member
    members[body[: body.find(b'"')]] = body[:-1].rstrip()
    return members if len(members) == len(pieces) else None


def are_complete(members: Members) -> bool:
    """Return whether every member closes what it opens; brackets inside of texts only cause a no."""
    return all(
        member.count(b"{") == member.count(b"}") and member.count(b"[") == member.count(b"]")
        for member in members.values()
    )


def as_object(*members: bytes) -> bytes:
    """Members as a JSON object of their own; none is an empty one."""
    return b"{" + b",".join(b'"' + member for member in members if member) + b"}"
