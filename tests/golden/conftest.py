"""``--update-goldens`` rewrites what differs and lists it; never in continuous integration."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "expected"
Compare = Callable[[str, str], None]


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Compare:
    """Compare a text with the golden of that name, or rewrite the golden."""
    update = bool(request.config.getoption("--update-goldens"))
    if update and os.environ.get("CI"):
        pytest.fail("goldens are not rewritten where CI is set")

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        known = path.read_text(encoding="utf-8") if path.is_file() else None
        if update and known != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"rewritten: {path}")  # noqa: T201 - the list is what the option promises
            return
        assert known is not None, f"{path} does not exist; run make goldens and review it"
        assert text == known

    return compare
