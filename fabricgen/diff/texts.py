"""Bytes of a device's file to text; what is no text, or of pieces, is refused."""

from __future__ import annotations

from fabricgen.diff.diff_codes import MIXED_LINES, NOT_TEXT
from fabricgen.diff.sides import Unreadable


def decode(data: bytes) -> str | Unreadable:
    """The text with line feeds, if the bytes are a text."""
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        return Unreadable(NOT_TEXT, "it holds NUL bytes: a binary file, or a text in UTF-16", line)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return Unreadable(NOT_TEXT, "it is not UTF-8", data.count(b"\n", 0, error.start) + 1)
    if "\r" not in text:
        return text
    if text.count("\r\n") != text.count("\r") or text.count("\r\n") != text.count("\n"):
        lines = enumerate(text.split("\n"), 1)
        line = next((number for number, part in lines if not part.endswith("\r") or "\r" in part[:-1]), 1)
        return Unreadable(MIXED_LINES, "some of its lines end in CR LF, others in LF or CR alone", line)
    return text.replace("\r\n", "\n")
