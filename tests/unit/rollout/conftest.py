"""Fixtures of the rollout room: a deployed quickstart, a change of its intent, a bundle."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from rollout_site import QUICKSTART, change_time_servers, plan

from tests.acceptance.run import render_here


@pytest.fixture(scope="session")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The quickstart as a collector has it; nobody writes into it."""
    out = tmp_path_factory.mktemp("rollout") / "deployed"
    assert render_here(QUICKSTART, out) == []
    shutil.rmtree(out / "manifest")
    return out


@pytest.fixture
def deployed(rendered: Path, tmp_path: Path) -> Path:
    """A collection of the test's own."""
    return Path(shutil.copytree(rendered, tmp_path / "deployed"))


@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    """The quickstart with a second time server."""
    return change_time_servers(Path(shutil.copytree(QUICKSTART, tmp_path / "fabric")))


@pytest.fixture
def intended(inventory: Path, tmp_path: Path) -> Path:
    """The tree of the changed inventory, as a collector has it once all is done."""
    out = tmp_path / "intended"
    assert render_here(inventory, out) == []
    shutil.rmtree(out / "manifest")
    return out


@pytest.fixture
def bundle(inventory: Path, deployed: Path, tmp_path: Path) -> Path:
    """The bundle of the change."""
    planned, codes = plan(inventory, deployed, tmp_path / "bundle")
    assert planned is not None
    assert codes == set()
    return tmp_path / "bundle"
