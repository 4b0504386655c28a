"""Switches that do not honour graceful shutdown until their own change are named, unless that change is hitless."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from rollout_site import plan

from tests.acceptance.run import INVENTORIES, render_here

CONFIG = "mnt/flash/startup-config"
LEAF = "leaf-u001-r0-1"
POLICY = r"^ip community-list DRAINED .*\n"
RESTART = r"^service routing protocols model .*\n"


@pytest.fixture(scope="module")
def dual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The inventory dual-tor with its tree, as a collector has it."""
    folder = tmp_path_factory.mktemp("dual")
    shutil.copytree(INVENTORIES / "dual-tor", folder / "fabric")
    assert render_here(folder / "fabric", folder / "deployed") == []
    shutil.rmtree(folder / "deployed/manifest")
    return folder


@pytest.mark.parametrize(
    ("gone", "codes"), [((POLICY, RESTART), {"FG-ROL-059"}), ((POLICY,), set()), ((RESTART,), set())]
)
def test_switch_that_gets_the_policy_too_late_is_named(
    gone: tuple[str, ...], codes: set[str], dual: Path, tmp_path: Path
) -> None:
    deployed = Path(shutil.copytree(dual / "deployed", tmp_path / "deployed"))
    file = deployed / "switches" / LEAF / CONFIG
    text = file.read_text()
    for pattern in gone:
        text, count = re.subn(pattern, "", text, flags=re.MULTILINE)
        assert count, pattern
    file.write_text(text)
    planned, found = plan(dual / "fabric", deployed, tmp_path / "bundle")
    assert planned is not None
    assert {code for code in found if code.startswith("FG-ROL-05")} == codes
