"""Rows of tables all of whose fields may be shown; of rows with the same fields one is judged."""

from __future__ import annotations

from typing import Any

from fabricgen.platforms.reading.semantics import Meaning
from fabricgen.platforms.reading.shown import Shown

_PLAIN = frozenset((str, int, float, bool, type(None)))
_KEPT_MAX = 4096
"""Shapes of rows that are remembered."""
Shape = tuple[Meaning, Shown, tuple[str, ...]]


class OpenRows:
    """Rows that may be shown as they are."""

    def __init__(self) -> None:
        """Know no shape yet."""
        self._known: dict[Shape, bool] = {}

    def holds(self, value: Any, meaning: Meaning, shown: Shown) -> bool:
        """Return whether a value is a row of plain fields that may all be shown.

        Args:
            value: A part of a tree.
            meaning: Meaning of its path.
            shown: What of the path is known.
        """
        if not isinstance(value, dict) or not _PLAIN.issuperset(map(type, value.values())):
            return False
        shape = meaning, shown, tuple(value)
        found = self._known.get(shape)
        if found is None:
            found = not meaning.hides_keys and all(
                (below := shown.child(key)).is_known and is_public(meaning.child(key), below) for key in value
            )
            if len(self._known) < _KEPT_MAX:
                self._known[shape] = found
        return found


def is_public(meaning: Meaning, shown: Shown) -> bool:
    """Return whether a value may be shown."""
    return shown.has_value and not meaning.is_secret and not meaning.hides_keys
