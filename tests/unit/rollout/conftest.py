"""Fixtures of the rollout room: a deployed quickstart, a change of its intent, a bundle."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from rollout_site import QUICKSTART, change_time_servers, rolled_out

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
    return Path(shutil.copytree(rendered, tmp_path / "deployed"))


@pytest.fixture(scope="session")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The quickstart with a second time server; nobody writes into it."""
    folder = tmp_path_factory.mktemp("rollout") / "fabric"
    return change_time_servers(Path(shutil.copytree(QUICKSTART, folder)))


@pytest.fixture(scope="session")
def rendered_change(changed: Path) -> Path:
    """The tree of the changed inventory, as a collector has it once all is done; nobody writes into it."""
    out = changed.parent / "intended"
    assert render_here(changed, out) == []
    shutil.rmtree(out / "manifest")
    return out


@pytest.fixture(scope="session")
def planned(changed: Path, rendered: Path) -> Path:
    """The bundle of the change; nobody writes into it."""
    rolled_out(changed, rendered, changed.parent / "bundle")
    return changed.parent / "bundle"


@pytest.fixture
def inventory(changed: Path, tmp_path: Path) -> Path:
    """The changed inventory, of the test's own."""
    return Path(shutil.copytree(changed, tmp_path / "fabric"))


@pytest.fixture
def intended(rendered_change: Path, tmp_path: Path) -> Path:
    """The tree of the change, of the test's own."""
    return Path(shutil.copytree(rendered_change, tmp_path / "intended"))


@pytest.fixture
def bundle(planned: Path, inventory: Path, deployed: Path, tmp_path: Path) -> Path:
    """The bundle of the change, beside what it was planned from, all of the test's own."""
    return Path(shutil.copytree(planned, tmp_path / "bundle"))
