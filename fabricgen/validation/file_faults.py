"""Faults of one file of a catalog or platform, each at its place in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabricgen.diagnostics import Bag, Code, IntentPath, Related, hint_of

if TYPE_CHECKING:
    from fabricgen.source import Document
    from fabricgen.validation.faults import Fault

Loc = tuple[str | int, ...]
"""Keys and list positions in a file."""


class FileFaults(NamedTuple):
    """Takes faults of a file or of its part ``at``; ``named_at`` is the intent path that asks for it, if any."""

    bag: Bag
    document: Document
    named_at: IntentPath = ()
    at: Loc = ()

    def below(self, *loc: str | int) -> FileFaults:
        """Return what takes the faults of a part."""
        return self._replace(at=(*self.at, *loc))

    def add(self, code: Code, message: str, *loc: str | int, on_key: bool = False, hint: str = "") -> None:
        """Add one fault at a place of the part."""
        self.add_at(code, message, self.document.to_path((*self.at, *loc)), on_key=on_key, hint=hint)

    def report(self, fault: Fault) -> None:
        """Add what a validation found."""
        self.add_at(fault.mistake.code, fault.message, fault.path, on_key=fault.on_key, hint=fault.hint)

    def add_at(self, code: Code, message: str, path: IntentPath, *, on_key: bool = False, hint: str = "") -> None:
        """Add one fault at a path of the document; a key that the file lacks is to be added at its end."""
        related = [Related("the record is used here", path=self.named_at)] if self.named_at else []
        is_new = len(path) == 1 and not self.document.has(path)
        place = self.document.end if is_new else self.document.place(path, on_key=on_key)
        self.bag.add(code, message, hint=hint or hint_of(message) or code.hint, related=related, place=place)
