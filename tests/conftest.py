"""Options of the whole test run."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--update-goldens``."""
    parser.addoption("--update-goldens", action="store_true", help="rewrite the golden files that differ")
