"""One file of a device that differs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.diff.counting import Counting
from fabricgen.diff.kinds import FileKind
from fabricgen.diff.tree_changes import TreeComparison
from fabricgen.platforms.patching.steps import Change, Situation
from fabricgen.platforms.reading.redaction import OwnText, Redaction


class SecretFree(NamedTuple):
    """Sides of a comparison that fabricgen rendered, so that they hold no secret."""

    intended: bool = False
    deployed: bool = False


NEITHER = SecretFree()


class FileDiff(NamedTuple):
    """One file that differs.

    Attributes:
        shown: The deployed file, as diagnostics call it.
        parts: What differs, by member of the file where it was read in parts; devices of a class share them.
        counting: What the changes are counted in.
        situation: Everything a patch is made from; None where only the differences were asked for.
        intended: The intended file's bytes; empty if there should be none.
        overrides: Path of the file of ours with which the system merges this one, which is not ours; empty otherwise.
    """

    path: str
    shown: str
    kind: FileKind
    parts: tuple[TreeComparison, ...]
    counting: Counting
    situation: Situation | None
    intended: bytes
    secret_free: SecretFree = NEITHER
    overrides: str = ""

    @property
    def remedy(self) -> str:
        """Return what repairs a file that is not ours, for people; empty for one of ours."""
        then = self.kind.semantics.data.get("then", "")
        return f"remove it from {self.path}{f', then {then}' if then else ''}" if self.overrides else ""

    @property
    def own(self) -> str:
        """The intended file if fabricgen rendered it; empty if not."""
        return self.intended.decode(errors="replace") if self.secret_free.intended else ""

    def quieted(self, quiet: frozenset[str]) -> FileDiff:
        """Return the same while some ports and neighbors of its device carry nothing."""
        if self.situation is None:
            return self
        situation = self.situation.quieted(quiet)
        parts = tuple(part._replace(changes=list(situation.changes)) for part in self.parts[:1])
        return self._replace(situation=situation, parts=parts)

    def redaction(self, *, is_strict: bool = False) -> Redaction:
        """Return what of the file may be shown."""
        return self.kind.redaction.knowing(OwnText(self.own), is_strict=is_strict)

    @property
    def changes(self) -> Iterator[Change]:
        """Every change of the file."""
        return (change for part in self.parts for change in part.changes)
