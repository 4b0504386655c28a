"""Placeholders of `make new-check` and its like are filled in."""

from __future__ import annotations

from tests.meta.declarations import REPOSITORY
from tools.new import FILL_IN

ROOMS = ("fabricgen", "templates", "tests/cases", "tests/fabrics")
WRITTEN = (".py", ".yaml", ".md", ".j2")


def test_nothing_is_left_to_fill_in() -> None:
    """Every line that still holds the mark says what is wanted there."""
    files = [file for room in ROOMS for file in sorted((REPOSITORY / room).rglob("*")) if file.suffix in WRITTEN]
    assert len(files) > 500
    left = [
        f"{file.relative_to(REPOSITORY)}:{number}: {line.strip()}"
        for file in files
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if FILL_IN in line
    ]
    assert not left, "\n".join(left)
