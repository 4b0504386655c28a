"""The two sides of a comparison, wherever they come from: devices with files that are loaded when they are needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from fabricgen.diagnostics import Code

Load = Callable[[], "bytes | Unreadable"]


class Unreadable(NamedTuple):
    """Content that cannot be compared, and why."""

    code: Code
    message: str
    line: int = 1


class File(NamedTuple):
    """A file of a device.

    Attributes:
        load: Gives its content.
        shown: What diagnostics call it.
    """

    load: Load
    shown: str


@dataclass(slots=True)
class Device:
    """One device of a side.

    Attributes:
        kind: ``switches``, ``hosts``, or empty if the side does not say.
        files: Files by path on the device, or by name alone where the side does not know more.
        flat: Files whose content alone tells what they are.
    """

    name: str
    kind: str
    files: dict[str, File]
    flat: list[File] = field(default_factory=list)


@dataclass(slots=True)
class Side:
    """One side.

    Attributes:
        shown: What the user called it.
        devices: Gives its devices, one after the other.
        is_ours: fabricgen made it, so that a device which is not on it is meant not to be.
        one_file: It is a single file, of the device that the file names.
        has_secrets: fabricgen made it with secrets in place of their references.
    """

    shown: str
    devices: Callable[[], Iterable[Device]]
    is_ours: bool = False
    one_file: bool = False
    has_secrets: bool = False
