"""Fixtures of the diff room."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from diff_site import Site, render_site


@pytest.fixture(scope="session")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The quickstart, rendered once; nobody writes into it."""
    return render_site(tmp_path_factory.mktemp("site"))


@pytest.fixture
def site(rendered: Site, tmp_path: Path) -> Site:
    """A tree of the test's own."""
    shutil.copytree(rendered.out, tmp_path / "out")
    return Site(tmp_path)
