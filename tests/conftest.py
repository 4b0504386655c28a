"""Options of the whole test run."""

from __future__ import annotations

import os

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--update-goldens``."""
    parser.addoption("--update-goldens", action="store_true", help="rewrite the golden files that differ and list them")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to rewrite goldens in continuous integration: there they are what the change is held to."""
    if config.getoption("--update-goldens") and os.environ.get("CI", "").lower() not in ("", "0", "false"):
        raise pytest.UsageError("goldens are not rewritten in continuous integration (CI is set)")
