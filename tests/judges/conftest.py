"""The seed of the samples that a run takes."""

from __future__ import annotations

import os
import random

import pytest

SEED = int(os.environ.get("FABRICGEN_SEED") or random.randrange(10**6))
"""Another one in each run, unless the environment names it."""


@pytest.fixture
def seed() -> int:
    """The seed; the report of a failure says how to take the same sample again."""
    print(f"the same sample again: FABRICGEN_SEED={SEED}")  # noqa: T201 - part of the report of a failure
    return SEED
