"""``fabricgen lab collect``: what runs in a lab is what the inventory says, and a change by hand is seen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fabricgen.collect.readings import read_record
from fabricgen.lab.lifecycle import state
from fabricgen.lab.model.blueprint import LabNode
from tests.acceptance.laboratory import alone as alone
from tests.acceptance.laboratory import running
from tests.acceptance.run import INVENTORIES, run

QUICKSTART = INVENTORIES / "quickstart"


@pytest.mark.nightly
def test_what_is_collected_from_the_lab_is_what_the_inventory_says(tmp_path: Path) -> None:
    root = tmp_path / "collected"
    with running(QUICKSTART, "collect") as lab:
        blueprint = state.load(lab.name)
        assert blueprint is not None
        lab.judge().exits(0)
        done = lab.ask("collect", "-o", str(root)).exits(0)
        assert "14 of 14 devices collected" in done.stderr
        lab.configure("spine-01", "router bgp 4200000000", "timers bgp 3 10")
        found = lab.judge().exits(1)
        assert [(item["device"], item["link"]) for item in found["configuration"]] == [("spine-01", "router bgp")]
        lab.ask("collect", "-o", str(tmp_path / "changed"), "--only", "spine-*").exits(0)
    compared = run("diff", QUICKSTART, root)
    assert (compared.returncode, compared.stdout.strip()) == (0, "no difference on 14 devices"), compared.stdout
    checked = run("check", QUICKSTART, root).exits(0)
    assert "not judged, as a lab does not have it: speed, FEC and RDMA devices of ports on 14 devices" in checked.stderr
    for node in blueprint.nodes:
        judge_states(root, node)
    changed = run("diff", QUICKSTART, tmp_path / "changed", "--only", "spine-*").exits(3)
    assert "timers bgp" in changed.stdout


def judge_states(root: Path, node: LabNode) -> None:
    """Compare the states of a device with the lab: sessions of switches, cables of all."""
    kind = "switches" if node.is_switch else "hosts"
    record = read_record(root, kind, node.name)
    assert record.via == "lab"
    heard = json.loads((root / record.answers["lldp"].file).read_text())["lldp"][0]["interface"]
    assert {interface["name"] for interface in heard} == {interface.name for interface in node.interfaces}
    if node.is_switch:
        sessions = json.loads((root / record.answers["sessions"].file).read_text())
        peers = sessions["ipv4Unicast"]["peers"]
        assert peers
        assert {peer["state"] for peer in peers.values()} == {"Established"}
