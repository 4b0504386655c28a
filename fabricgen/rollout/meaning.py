"""Values without what means nothing: layout, order, spelled-out defaults, and what the device itself owns."""

from __future__ import annotations

from typing import Any, NamedTuple

from fabricgen.diff.tree_changes import canonical_value
from fabricgen.platforms.reading.semantics import Meaning, Semantics
from fabricgen.rollout.withheld import Steps


class _Field(NamedTuple):
    """Facts about a field: whether it counts, its default, and whether its text is its meaning."""

    counts: bool
    default: Any
    is_plain: bool


class Simplifier:
    """Simplifies what stands in files of one kind."""

    def __init__(self, semantics: Semantics) -> None:
        """Prepare for files of one kind."""
        self._semantics = semantics
        self._fields: dict[Meaning, _Field] = {}

    def simplify(self, value: Any, meaning: Meaning, withheld: list[Steps]) -> Any:
        """Return a value without what means nothing; None for nothing.

        Args:
            value: What stands at a path.
            meaning: Of the path.
            withheld: Paths below to leave out.
        """
        field = self._fields.get(meaning) or self._look_up(meaning)
        if not field.counts:
            return None
        if not isinstance(value, dict):
            is_as_written = field.is_plain and isinstance(value, str)
            shown = value if is_as_written else canonical_value(value, meaning, self._semantics)
            return None if meaning.default is not None and shown == field.default else [shown]
        if meaning.hides_keys:
            return len(value)
        found = {}
        for key, below in value.items():
            inner = [steps[1:] for steps in withheld if steps[:1] == (key,)] if withheld else withheld
            if () in inner:
                continue
            kept = self.simplify(below, meaning.child(key), inner)
            if kept is not None:
                found[key] = kept
        return found

    def _look_up(self, meaning: Meaning) -> _Field:
        default = None if meaning.default is None else canonical_value(meaning.default, meaning, self._semantics)
        counts = meaning.owner != "device" and not meaning.is_secret
        found = self._fields[meaning] = _Field(counts, default, meaning.get("order") not in ("words", "ranges"))
        return found
