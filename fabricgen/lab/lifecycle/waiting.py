"""Waiting for something that happens by itself."""

from __future__ import annotations

import time
from collections.abc import Callable


def wait_for(done: Callable[[], bool], patience_s: float, pause_s: float = 0.2) -> bool:
    """Ask again until it is so or patience ends; whether it was so."""
    deadline = time.monotonic() + patience_s
    while not done():
        if time.monotonic() > deadline:
            return False
        time.sleep(pause_s)
    return True
