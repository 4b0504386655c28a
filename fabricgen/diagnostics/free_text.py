"""Texts for people in a file of a device: descriptions, messages, banners. Their ordinary words are no secrets.

In ``community site`` or ``your password to`` a word of prose follows one that announces a secret elsewhere. Here a sign
or a further word announces one (``password: x``, ``password is x``), or it is no ordinary word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_COMMAND = re.compile(r"(?:^|\s)(?:description|remark|comment|message|banner \S+) ")
"""Words that a text for people follows."""
_KEY = re.compile(
    r"description|remark|comment|message|(?:pre|post)-login|motd|login|logout|(?:system-)?(?:contact|location)",
    re.IGNORECASE,
)
"""Keys of documents that have such a text."""
_BANNER, _BANNER_END = re.compile(r"\s*banner \S+\s*$"), "EOF"
"""Command of EOS whose text stands on the lines below it, and what ends them."""
_ORDINARY = re.compile(r"[A-Za-z]+(?:['’-][A-Za-z]+)*[.,;:!?)]*")


def is_free_text(key: str) -> bool:
    """Return whether a key of a document leads to a text for people."""
    return bool(_KEY.fullmatch(key))


def find_free_text(line: str) -> int:
    """Return where the text for people begins in a line; its end where it has none."""
    found = _COMMAND.search(line)
    return found.end() if found else len(line)


def mark_banners(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the lines of a text, and whether each is one of a banner."""
    is_inside = False
    for line in text.split("\n"):
        is_inside = is_inside and line.strip() != _BANNER_END
        yield line, is_inside
        is_inside = is_inside or bool(_BANNER.match(line))


def is_prose(between: str, value: str) -> bool:
    """Return whether a word of a text for people is no secret, though the one before it may announce one.

    Args:
        between: What stands between the two.
        value: The word.
    """
    return not between.strip() and bool(_ORDINARY.fullmatch(value))
