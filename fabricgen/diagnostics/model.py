"""Model of a diagnostic, its place and its related places."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

IntentPath = tuple[str, ...]
"""Keys from the root of a document; a list item is the segment ``[natural key]``, never an index."""


class Severity(Enum):
    """Weight of a diagnostic; only errors stop a command."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A position in a text file; line and column count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        """``file:line:col``, the form editors and terminals make clickable."""
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Related:
    """A second place that takes part in the fault; a catalog ``record`` is shown only where it is the user's file."""

    text: str
    path: IntentPath = ()
    place: Place | None = None
    record: IntentPath = ()


@dataclass(frozen=True, slots=True)
class Waiver:
    """Owner, expiry date and reason of an accepted risk."""

    owner: str
    expires: str
    reason: str

    def __str__(self) -> str:
        """The waiver in one line."""
        return f"by {self.owner} until {self.expires}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One fault, once, however many devices or ports it touches.

    Attributes:
        message: What is wrong, with the actual and the allowed value.
        path: Intent path of the offending value; empty if it has none.
        on_key: The place is that of the key rather than of its value.
        hint: What to type instead; may be empty.
        place: Position; filled in by ``api``, or directly where no document exists.
        waived: An owner has accepted the risk: it is reported and stops nothing.
        record: Kind, name and keys of the catalog record the fault lies in, if it lies in one. Where that record is a
            file of the user's, the diagnostic stands there.
        device: Name of the device it is about, where it is about a file of one.
    """

    code: str
    severity: Severity
    message: str
    path: IntentPath = ()
    on_key: bool = False
    hint: str = ""
    related: tuple[Related, ...] = ()
    place: Place | None = None
    count: int = 1
    waived: Waiver | None = None
    record: IntentPath = ()
    device: str = ""


def hint_of(message: str) -> str:
    """Return the advice that is in a message of the form "key is VALUE, it must be WANTED"; empty if none is."""
    _, sep, wanted = message.rpartition(" must be ")
    return f"write {wanted}" if sep else ""


def format_path(path: IntentPath) -> str:
    """Write an intent path the way people read it: ``operations.users[netops].ssh_key``."""
    text = ""
    for segment in path:
        text += segment if segment.startswith("[") or not text else f".{segment}"
    return text
