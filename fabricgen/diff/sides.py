"""The two sides of a comparison, wherever they come from: devices with files that are loaded, and read as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from fabricgen.diagnostics.file_codes import NOT_READ
from fabricgen.diagnostics.file_codes import Unreadable as Unreadable

Load = Callable[[], "bytes | Unreadable"]


class File(NamedTuple):
    """A file of a device: ``load`` gives its content, ``shown`` is what diagnostics call it."""

    load: Load
    shown: str


@dataclass(slots=True)
class SideDevice:
    """One device of a side.

    Attributes:
        kind: ``switches``, ``hosts``, or empty if the side does not say.
        files: Files by path on the device, or by name alone where the side does not know more.
        flat: Files whose content alone tells what they are.
        is_partial: Files that it lacks were not collected.
    """

    name: str
    kind: str
    files: dict[str, File]
    flat: list[File] = field(default_factory=list)
    is_partial: bool = False


@dataclass(slots=True)
class Side:
    """One side.

    Attributes:
        shown: What the user called it.
        devices: Gives its devices, one after the other.
        is_ours: fabricgen made it, so that a device which is not on it is meant not to be.
        one_file: It is a single file, of the device that the file names.
        has_secrets: fabricgen made it with secrets in place of their references.
        is_rendered: It is rendered now, so that it holds no secret; a tree may have been edited.
    """

    shown: str
    devices: Callable[[], Iterable[SideDevice]]
    is_ours: bool = False
    one_file: bool = False
    has_secrets: bool = False
    is_rendered: bool = False


def decode(data: bytes) -> str | Unreadable:
    """The text with line feeds, if the bytes are a text."""
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        return Unreadable(NOT_READ, "it holds NUL bytes: a binary file, or a text in UTF-16", line)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return Unreadable(NOT_READ, "it is not UTF-8", data.count(b"\n", 0, error.start) + 1)
    if "\r" not in text:
        return text
    if text.count("\r\n") != text.count("\r") or text.count("\r\n") != text.count("\n"):
        lines = enumerate(text.split("\n"), 1)
        line = next((number for number, part in lines if not part.endswith("\r") or "\r" in part[:-1]), 1)
        return Unreadable(NOT_READ, "some of its lines end in CR LF, others in LF or CR alone", line)
    return text.replace("\r\n", "\n")
