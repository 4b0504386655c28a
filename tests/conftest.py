"""Options of the whole test run, and what `make test` leaves to `make test-all`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.sampling import EVERYTHING, FRESH, VARIABLE


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--update-goldens``."""
    parser.addoption("--update-goldens", action="store_true", help="rewrite the golden files that differ and list them")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to rewrite goldens in continuous integration: there they are what the change is held to."""
    config.addinivalue_line("markers", f"nightly: minutes long; runs with {VARIABLE} set or when its file is named")
    if config.getoption("--update-goldens") and os.environ.get("CI", "").lower() not in ("", "0", "false"):
        raise pytest.UsageError("goldens are not rewritten in continuous integration (CI is set)")


def pytest_report_header() -> str:
    """Say how this run is repeated."""
    return f"the same samples again: FABRICGEN_FRESH_SEED={FRESH}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect tests marked ``nightly``, unless everything is asked for or the command names their file."""
    if EVERYTHING:
        return
    named = {Path(argument.split("::")[0]).resolve() for argument in config.args}
    left_out = [item for item in items if item.get_closest_marker("nightly") and item.path not in named]
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=left_out)
