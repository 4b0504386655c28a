"""Hosts that learn their routes: what netplan still says, what FRR is told, and that static hosts have no FRR."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from host_fixture import DAEMONS, NETPLAN, ROUTING, host, host_class, judge, render, write

from fabricgen.device.model import FabricPrefixes, Host, HostRouting
from fabricgen.intent.network import Routing
from fabricgen.plan.planner.routing import HOST_ASN, BothEnds, LinkSupport, build_routing

_ALL = LinkSupport(upper=True, lower=True)
POLICY = build_routing(Routing(), None, 0, BothEnds(_ALL, _ALL, _ALL), width=64, prefixes=96, asic_vendor="")
PREFIXES = FabricPrefixes("10.255.0.0/16", 32, "172.16.0.0/12", 26)


def learning(*, bfd: bool = True) -> Host:
    routing = HostRouting(HOST_ASN, 101, replace(POLICY, bfd_lower=bfd), PREFIXES)
    static = host_class()
    rails = tuple(replace(rail, table=101) for rail in static.rails)
    device = host(replace(static, bgp=routing, rails=rails))
    for number, rail in enumerate(device.rails):
        rail.peer_asn = 4_200_000_001 + number // 4
    return device


def test_netplan_keeps_the_leaf_within_reach_of_the_rails_rule(tmp_path: Path) -> None:
    """A session's packets have the rail's address, so the rule sends them into the table that BGP is yet to fill."""
    write({NETPLAN: render(learning())[NETPLAN]}, tmp_path)
    done = subprocess.run([judge("netplan"), "generate", "--root-dir", str(tmp_path)], check=False, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    text = (tmp_path / "run/systemd/network/10-netplan-rail3.network").read_text()
    route = text.partition("[Route]")[2].partition("[")[0].split()
    assert sorted(route) == ["Destination=172.16.1.6/32", "Scope=link", "Table=101"]
    assert "From=172.16.1.7/32" in text.split()


@pytest.mark.parametrize("bfd", [True, False])
def test_frr_takes_what_it_is_told(bfd: bool, tmp_path: Path) -> None:
    files = render(learning(bfd=bfd))
    write({path: files[path] for path in (ROUTING, DAEMONS)}, tmp_path)
    done = subprocess.run([judge("vtysh"), "-C", "-f", str(tmp_path / ROUTING)], check=False, capture_output=True)
    assert (done.returncode, done.stdout) == (0, b""), done.stdout
    lines = [line.strip() for line in files[ROUTING].splitlines()]
    assert lines.count("neighbor LEAF bfd profile FABRIC") == bfd
    assert (f"bfdd={'yes' if bfd else 'no'}" in files[DAEMONS].split()) is True
    assert sum(line.endswith("peer-group LEAF") for line in lines) == 8
    assert f"router bgp {HOST_ASN}" in lines
    assert "maximum-paths 8" in lines
    assert "bgp router-id 172.16.1.1" in lines


def test_a_host_without_cables_has_nobody_to_speak_to() -> None:
    """Without a rail there is no router id either, and a line without it would be refused."""
    device = learning()
    device.rails = []
    assert ROUTING not in render(device)
