"""Hosts whose NICs spread over planes, with some of their cables missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.device.lower import Lowering
from tests.acceptance.run import INVENTORIES, plan_of

INVENTORY = INVENTORIES / "dual-plane" / "fabric.yaml"


@pytest.mark.parametrize("plane", ["a", "b"])
def test_a_rail_stays_while_one_of_its_ports_is_cabled(plane: str, tmp_path: Path) -> None:
    missing = f"leaf-u001-r0{plane}"
    cut = f"{{link: [gpu-u001-h01, {missing}], state: absent, reason: dead optics}}"
    text = INVENTORY.read_text(encoding="utf-8").replace("host: separate", "host: nic")
    (tmp_path / "fabric.yaml").write_text(f"{text}exceptions: [{cut}]\n", encoding="utf-8")
    plan = plan_of(tmp_path)
    host, lowering = next(plan.all_hosts()), Lowering(plan)
    assert plan.host_name(host) == "gpu-u001-h01"
    rails, regular = (lowering.lower_host(each).rails for each in (host, host._replace(host=1)))
    assert {rail.shape.interface: [link.peer for link in rail.links] for rail in rails} == {
        rail.shape.interface: [link.peer for link in rail.links if link.peer != missing] for rail in regular
    }
