"""Samples: `make test` tries some of what `make test-all` tries whole, the same ones in every run."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from typing import Any, TypeVar

VARIABLE = "FABRICGEN_JUDGE_ALL"
EVERYTHING = bool(os.environ.get(VARIABLE))
"""True if this run leaves nothing out."""

T = TypeVar("T")


_SEED = random.SystemRandom().randrange(1 << 32) if EVERYTHING else 1
FRESH = int(os.environ.setdefault("FABRICGEN_FRESH_SEED", str(_SEED)))
"""The seed of what is drawn: in `make test-all` another one in each run, in `make test` always the same, so that a
change alone turns it red. The head of the report names it, and all workers of a run have it."""


def sampled(items: Sequence[T], size: int, seed: str) -> list[T]:
    """Some items by lot, in their order; all of them where everything is asked for."""
    if EVERYTHING or size >= len(items):
        return list(items)
    return [items[at] for at in sorted(random.Random(seed).sample(range(len(items)), size))]


def shuffled(value: Any, dice: random.Random) -> Any:
    """The same data with the keys of every mapping in another order."""
    if isinstance(value, dict):
        keys = list(value)
        dice.shuffle(keys)
        return {key: shuffled(value[key], dice) for key in keys}
    return [shuffled(item, dice) for item in value] if isinstance(value, list) else value
