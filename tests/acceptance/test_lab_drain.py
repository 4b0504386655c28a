"""Draining by graceful shutdown moves traffic without loss; a spine that just goes costs packets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.acceptance.laboratory import alone as alone
from tests.acceptance.laboratory import running, small_inventory

pytestmark = pytest.mark.nightly


def test_a_drain_loses_no_packet_and_a_death_does(tmp_path: Path) -> None:
    with running(small_inventory(tmp_path / "drain"), "drain") as lab:
        done = lab.ask("drill", "--only", "drain", "--only", "silent-drop", "--format", "json").exits(0)
        drain, drop = json.loads(done.stdout)
        assert "by graceful shutdown" in drain["note"]
        assert drain["sent"] > 0
        assert drain["healing_sent"] > 0
        assert (drain["lost"], drain["healing_lost"]) == (0, 0)
        assert drop["lost"] > 0
        lab.judge().exits(0)
