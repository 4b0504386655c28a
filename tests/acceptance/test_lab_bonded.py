"""Hosts that bond over a pair of leafs, on real daemons: routing only, since no LACP runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.acceptance.laboratory import alone as alone
from tests.acceptance.laboratory import running
from tests.command_line import run_here
from tests.waiting import wait

FABRIC = """\
fabric: bonded
operations: {tacacs: {servers: [192.168.0.12], key: {secret: env:TACACS_KEY}}}
hosts: {server: dgx_h100_8, nic: connectx7_2x200g, per_unit: 1}
units: {count: 2, max: 4}
attachment: {rails_per_leaf: 8, leafs_per_group: 2, bond: lacp}
tiers:
  leaf: {model: arista_7060x6_64pe, platform: eos}
  spine: {model: arista_7060x6_64pe, platform: eos, per: fabric, count: 2}
links:
  host-leaf: {speed: 200G, cable: {media: dac, length_m: 3}}
  leaf-spine: {speed: 400G, cable: {media: smf, length_m: 30}}
addressing: {host_links: 172.16.0.0/12}
"""


ROUTED = FABRIC.replace("bond: lacp", "bond: routed").replace("arista_7060x6_64pe", "nvidia_sn5600")
ROUTED = ROUTED.replace("platform: eos", "platform: frr")
"""The same fabric with a prefix for each bond, whose routing configuration the lab runs as it is rendered."""

LEAF = "leaf-u001-1"
pytestmark = pytest.mark.nightly


@pytest.mark.parametrize("fabric", [FABRIC, ROUTED], ids=["lacp", "routed"])
def test_a_leaf_of_a_pair_or_a_cable_of_its_bond_may_fail(fabric: str, tmp_path: Path) -> None:
    """Hosts are reached over the twin; the rendered configuration announces a routed bond while its port is up."""
    (tmp_path / "fabric.yaml").write_text(fabric, encoding="utf-8")
    with running(tmp_path, "bond") as lab:
        lab.judge().exits(0)
        (name,) = (name.rpartition(".")[2] for name in lab.namespaces() if "gpu-u001" in name)
        address = lab.on(name, "ip", "-o", "-4", "address", "show", "dev", "rail0p0").split()[3].partition("/")[0]
        port = lab.on(LEAF, "ip", "-o", "-4", "route", "get", address).split(" dev ")[1].split()[0]
        routes = json.loads(lab.on("spine-01", "ip", "-j", "route", "show", "match", address))
        prefix = max((route["dst"] for route in routes), key=lambda prefix: int(prefix.partition("/")[2] or 32))
        assert lab.on("spine-01", "ip", "route", "show", prefix).count("nexthop") == 2
        (drilled,) = json.loads(lab.ask("drill", "--only", "leaf-death", "--format", "json").exits(0).stdout)
        assert "LACP not proven" in drilled["note"]
        for sent, lost in (("sent", "lost"), ("healing_sent", "healing_lost")):
            assert drilled[lost] < drilled[sent] / 10
        if fabric == ROUTED:
            (port_down,) = json.loads(lab.ask("drill", "--only", "port-down", "--format", "json").exits(0).stdout)
            shown = json.loads(run_here("analyze", str(tmp_path), "failures", "--format", "json").exits(0).stdout)
            (limit,) = (row["healed_ms"] for row in shown["recovery"] if row["failure"] == "NIC port dead")
            assert 0 < port_down["lost"] < port_down["sent"] / 10
            assert port_down["converged_s"] * 1000 <= limit, "as the table of failures has it"
        lab.on(LEAF, "ip", "link", "set", port, "down")
        wait(lambda: "nexthop" not in lab.on("spine-01", "ip", "route", "show", prefix))
        found = lab.judge().exits(1)
        (wrong,) = {item["link"] for item in found["ecmp width"] if item["device"] == "spine-01"}
        assert wrong.partition("/")[0] == prefix.partition("/")[0]
        assert not found["reachability"], "the host is reached over the other leaf"
        if fabric == ROUTED:
            assert "via" in lab.on(LEAF, "ip", "route", "show", prefix), "by way of the spines to its twin"
        lab.on(LEAF, "ip", "link", "set", port, "up")
        wait(lambda: "nexthop" in lab.on("spine-01", "ip", "route", "show", prefix))
        wait(lambda: lab.judge().exits(0))
