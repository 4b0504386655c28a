"""Proofs of a drain by address family: what the sessions of an unnumbered link carry decides, not their names."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from rollout_site import CONFIG_DB, rolled_out

from tests.acceptance.run import INVENTORIES, render_here

POOLS = """addressing:
  families: [ipv4, ipv6]
  loopbacks: {ipv4: 10.255.0.0/16, ipv6: "fdb5:2f60:c81d:ff::/64"}
  fabric_links: unnumbered
  host_links: {ipv4: 172.16.0.0/12, ipv6: "fdb5:2f60:c81d:1::/64"}
"""


@pytest.mark.parametrize("families", [["ipv6"], ["ipv4", "ipv6"]], ids=["IPv6 alone", "both"])
def test_neighbor_over_an_unnumbered_link_is_asked_for_each_family(families: list[str], tmp_path: Path) -> None:
    fabric, deployed = Path(shutil.copytree(INVENTORIES / "dual-plane", tmp_path / "fabric")), tmp_path / "deployed"
    file = fabric / "fabric.yaml"
    if len(families) > 1:
        text, count = re.subn(r"(?ms)^addressing:\n.*?(?=^  management)", POOLS, file.read_text())
        assert count
        file.write_text(text)
    file.write_text(file.read_text() + "rollout: {floor: 0.5}\n")
    assert render_here(fabric, deployed) == []
    shutil.rmtree(deployed / "manifest")
    config = min((deployed / "switches").glob("leaf-*")) / CONFIG_DB
    config.write_text(re.sub(r'"size": *"\d+"', '"size": "1000000"', config.read_text(), count=1))
    planned = rolled_out(fabric, deployed, tmp_path / "bundle")
    ((device,),) = (wave.devices for wave in planned.rollout.waves)
    for when in ("drained", "undrained"):
        checks = [check for check in planned.rollout.procedure_of(device).checks if check.when == when]
        assert [check.command for check in checks] == [
            f"vtysh -c 'show bgp {family} unicast neighbors {{neighbor}} routes json'" for family in families
        ]
        places = json.loads(planned.files[f"devices/{device.name}.json"])["neighbors"][0]
        assert [*places] == [check.command for check in checks]
        assert all(re.fullmatch(r"Ethernet\d+", place["neighbor"]) for at in places.values() for place in at)
        assert len({str(at) for at in places.values()}) == 1
