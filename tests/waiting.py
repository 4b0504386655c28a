"""Waiting for what has to come: the one bound of time that tests have."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE_S = 600
"""The bound of every wait of a test, for a machine that is slow or busy: what works is ready long before."""


def wait(ready: Callable[[], object], every_s: float = 0.2) -> None:
    """Wait until a call returns something true and no assertion of it fails; the last failure is the test's."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            if ready():
                return
            assert time.monotonic() < deadline, f"not within {PATIENCE_S} seconds"
        except AssertionError:
            if time.monotonic() >= deadline:
                raise
        time.sleep(every_s)
