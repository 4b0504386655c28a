"""The seed of the samples that a run takes."""

from __future__ import annotations

import pytest

from tests.sampling import FRESH


@pytest.fixture
def seed() -> int:
    """The seed of this run."""
    return FRESH
