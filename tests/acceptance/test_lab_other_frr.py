"""The fabric on the FRR of another system, which is newer than that of this machine."""

from __future__ import annotations

import json

import pytest

from tests.acceptance import frr_roots
from tests.acceptance.laboratory import alone as alone
from tests.acceptance.laboratory import machine_state, processes_of, running
from tests.acceptance.run import INVENTORIES


@pytest.mark.parametrize("root", frr_roots.OTHERS or [pytest.param("", marks=pytest.mark.skip(frr_roots.MISSING))])
def test_quickstart_on_another_frr(root: str) -> None:
    """Boot, prove, drill, boot a switch again; the machine and the other system are then as they were."""
    before = machine_state()
    with running(INVENTORIES / "quickstart", "other", "--frr", root) as lab:
        lab.judge().exits(0)
        version = lab.on("spine-01", "vtysh", "-c", "show version").split()[1]
        assert int(version.split(".")[0]) >= 10
        assert "mgmtd" in " ".join(processes_of(lab.name))
        done = lab.ask("drill", "--only", "silent-drop", "--only", "switch-death", "--format", "json").exits(0)
        assert all(drill["sent"] > 0 for drill in json.loads(done.stdout))
        lab.judge().exits(0)
    assert processes_of(lab.name) == []
    assert machine_state() == before
