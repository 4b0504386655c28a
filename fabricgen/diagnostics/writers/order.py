"""What all writers share: the order of diagnostics, and text that every output can carry."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from fabricgen.diagnostics.model import Diagnostic, Place

_NOWHERE = Place("", 0, 0)
_SURROGATE = re.compile("[\ud800-\udfff]")
_REORDERING = frozenset("\u200b\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")


def sort_diagnostics(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Sort by place, then code, path and message; what has no place comes last."""
    return sorted(
        diagnostics,
        key=lambda item: (item.place is None, item.place or _NOWHERE, item.code, item.path, item.message),
    )


def encodable(text: str) -> str:
    """Replace halves of surrogate pairs, the only characters that UTF-8 cannot carry."""
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def printable(text: str) -> str:
    """Write out control and reordering characters, so that no message moves a terminal's cursor or hides text.

    Line feeds and tabs stay; they are for the caller to place.
    """
    if text.isprintable():
        return text
    return "".join(character if _is_shown(character) else _escape(character) for character in text)


def _is_shown(character: str) -> bool:
    if character in "\n\t":
        return True
    return character not in _REORDERING and unicodedata.category(character) not in {"Cc", "Cs"}


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
