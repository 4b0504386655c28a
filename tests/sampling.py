"""Samples: `make test` tries some of what `make test-all` tries whole, others whenever that changes."""

from __future__ import annotations

import hashlib
import os
import random
import re
import subprocess
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar

VARIABLE = "FABRICGEN_JUDGE_ALL"
EVERYTHING = bool(os.environ.get(VARIABLE))
"""True if this run leaves nothing out."""

T = TypeVar("T")


def _fresh_seed() -> int:
    """Return a random seed; in continuous integration the one of the commit, so that a red run can be repeated."""
    if os.environ.get("CI", "").lower() in ("", "0", "false"):
        return random.SystemRandom().randrange(1 << 32)
    git = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    commit = subprocess.run(git, capture_output=True, text=True, check=False).stdout
    return int(commit[:8] or "0", 16)


FRESH = int(os.environ.setdefault("FABRICGEN_FRESH_SEED", str(_fresh_seed())))
"""A seed of this run alone, the same in all its workers; the head of the report names it."""


def seed_of(paths: Iterable[Path]) -> str:
    """The environment's FABRICGEN_SEED, or a digest of files: their sample is another one whenever they change."""
    given = os.environ.get("FABRICGEN_SEED")
    return given or hashlib.sha256(b"".join(path.read_bytes() for path in sorted(paths))).hexdigest()[:8]


def sampled(items: Sequence[T], size: int, seed: str) -> list[T]:
    """Some items by lot, in their order; all of them where everything is asked for."""
    if EVERYTHING or size >= len(items):
        return list(items)
    return [items[at] for at in sorted(random.Random(seed).sample(range(len(items)), size))]


@cache
def changed_codes() -> frozenset[str]:
    """Codes on lines, or in names of files, that the last commit or the work since it changed."""
    git = ["git", "-C", str(Path(__file__).parent), "diff", "--unified=0", "HEAD~1"]
    done = subprocess.run(git, capture_output=True, text=True, errors="replace", check=False)
    return frozenset(re.findall(r"FG-[A-Z]{3}-\d{3}", done.stdout))
