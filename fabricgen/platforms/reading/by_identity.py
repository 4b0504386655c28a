"""Results of slow questions about parts of trees, asked once for a part that many devices share."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

R = TypeVar("R")


class ByIdentity(Generic[R]):
    """Results by the identity of what they are of; it is kept alive meanwhile, and never changed."""

    def __init__(self, most: int = 4096) -> None:
        """Know nothing yet.

        Args:
            most: Results that are kept; those not asked for the longest go first.
        """
        self._most = most
        self._known: OrderedDict[tuple[int, Hashable], tuple[Any, R]] = OrderedDict()

    def get(self, part: Any, question: Hashable, answer: Callable[[], R]) -> R:
        """Return the result of a question about a part; those about a mapping are remembered."""
        if not isinstance(part, dict):
            return answer()
        key = id(part), question
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = part, answer()
            if len(self._known) > self._most:
                self._known.popitem(last=False)
        else:
            self._known.move_to_end(key)
        return known[1]
