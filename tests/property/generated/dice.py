"""Drawing of parts of an intent, and runs of a judge over what is drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st


def by_lot(number: int, examples: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Let a judge look at so many fabrics, which a number decides; none is shrunk, and however long each takes."""
    chosen = settings(
        max_examples=examples,
        deadline=None,
        database=None,
        print_blob=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    return lambda judge: seed(number)(chosen(judge))


class Dice:
    """Choices of one fabric."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def one_of(self, *items: Any) -> Any:
        """One of these; what should come more often stands there more often."""
        return self._draw(st.sampled_from(items))

    def once_in(self, times: int) -> bool:
        """True so often."""
        return self.between(1, times) == times

    def between(self, least: int, most: int) -> int:
        return int(self._draw(st.integers(least, most)))

    def up_to(self, most: int) -> int:
        """A number from 1 on."""
        return self.between(1, max(1, most))

    def count(self, count: int, most: int, step: int = 1) -> Any:
        """A count with or without a maximum, which is a multiple of the step."""
        if self.once_in(2):
            return count
        return {"count": count, "max": step * self.between(count // step, max(count // step, most // step))}
