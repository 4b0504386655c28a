"""Hosts that bond over a pair of leafs, on real daemons: routing only, since no LACP runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.acceptance.laboratory import alone as alone
from tests.acceptance.laboratory import running
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


ROUTED = FABRIC.replace("bond: lacp", "bond: routed").replace(
    "arista_7060x6_64pe, platform: eos", "nvidia_sn5600, platform: frr"
)
"""The same fabric with a prefix for each bond, whose routing configuration the lab runs as it is rendered."""

pytestmark = pytest.mark.nightly


def test_a_leaf_of_a_pair_may_die(tmp_path: Path) -> None:
    """Every check passes; a cable and a leaf are lost, and their hosts are reached over the twin."""
    (tmp_path / "fabric.yaml").write_text(FABRIC, encoding="utf-8")
    with running(tmp_path, "bond") as lab:
        lab.judge().exits(0)
        (name,) = (name.rpartition(".")[2] for name in lab.namespaces() if "gpu-u001" in name)
        address = lab.on(name, "ip", "-o", "-4", "address", "show", "dev", "rail0p0").split()[3]
        host = address.removesuffix("/32")
        assert host != address
        assert lab.on("spine-01", "ip", "route", "show", host).count("nexthop") == 2
        done = lab.ask("drill", "--only", "leaf-death", "--format", "json").exits(0)
        (drilled,) = json.loads(done.stdout)
        assert "LACP not proven" in drilled["note"]
        assert drilled["sent"] > 0
        assert drilled["lost"] < drilled["sent"] / 10
        assert drilled["healing_lost"] < drilled["healing_sent"] / 10
        lab.on(drilled["victim"], "ip", "link", "set", "Ethernet1_1", "down")
        wait(lambda: "nexthop" not in lab.on("spine-01", "ip", "route", "show", address))
        found = lab.judge().exits(1)
        assert {item["link"] for item in found["ecmp width"] if item["device"] == "spine-01"} == {address}
        assert not found["reachability"], "the host is reached over the other leaf"


def test_a_leaf_withdraws_the_prefix_of_a_routed_bond_that_lost_its_port(tmp_path: Path) -> None:
    """The rendered configuration announces the prefix of each bond that is up; the twin stands in for a lost one."""
    (tmp_path / "fabric.yaml").write_text(ROUTED, encoding="utf-8")
    with running(tmp_path, "routed") as lab:
        lab.judge().exits(0)
        (name,) = (name.rpartition(".")[2] for name in lab.namespaces() if "gpu-u001" in name)
        address = lab.on(name, "ip", "-o", "-4", "address", "show", "dev", "rail0p0").split()[3].removesuffix("/32")
        port = lab.on("leaf-u001-1", "ip", "-o", "-4", "route", "get", address).split(" dev ")[1].split()[0]
        prefix = lab.on("leaf-u001-1", "ip", "-4", "route", "show", "dev", port).split()[0]
        assert prefix.endswith("/31")
        assert lab.on("spine-01", "ip", "route", "show", prefix).count("nexthop") == 2
        done = lab.ask("drill", "--only", "leaf-death", "--format", "json").exits(0)
        (drilled,) = json.loads(done.stdout)
        assert drilled["sent"] > 0
        assert drilled["lost"] < drilled["sent"] / 10
        lab.on("leaf-u001-1", "ip", "link", "set", port, "down")
        wait(lambda: "nexthop" not in lab.on("spine-01", "ip", "route", "show", prefix))
        found = lab.judge().exits(1)
        assert {item["link"] for item in found["ecmp width"] if item["device"] == "spine-01"} == {prefix}
        assert not found["reachability"], "the host is reached over the other leaf"
        assert "via" in lab.on("leaf-u001-1", "ip", "route", "show", prefix), "by way of the spines to its twin"
        lab.on("leaf-u001-1", "ip", "link", "set", port, "up")
        wait(lambda: "nexthop" in lab.on("spine-01", "ip", "route", "show", prefix))
        lab.judge().exits(0)
