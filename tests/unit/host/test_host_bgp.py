"""Hosts that learn their routes: what netplan still says, what FRR is told, and that static hosts have no FRR."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from host_fixture import DAEMONS, ROUTING, host, host_class, judge, render, write
from machine import under_networkd

from fabricgen.device.model import FabricPrefixes, Host, HostRouting
from fabricgen.intent.network import Routing
from fabricgen.plan.planner.routing import HOST_ASN, BothEnds, LinkSupport, build_routing

_ALL = LinkSupport(upper=True, lower=True)
POLICY = build_routing(Routing(), None, 0, BothEnds(_ALL, _ALL, _ALL), width=64, prefixes=96, asic_vendor="")
PREFIXES = FabricPrefixes("10.255.0.0/16", 32, "172.16.0.0/12", 26)


def learning(*, bfd: bool = True) -> Host:
    routing = HostRouting(HOST_ASN, 101, replace(POLICY, bfd_lower=bfd), PREFIXES)
    static = host_class()
    rails = tuple(replace(rail, table=rail.table + 1) for rail in static.rails)
    device = host(replace(static, bgp=routing, rails=rails))
    for number, rail in enumerate(device.rails):
        rail.peer_asn = 4_200_000_001 + number // 4
    return device


def test_what_is_bound_to_an_address_leaves_by_its_rail(tmp_path: Path) -> None:
    """RDMA names its rail and sees what BGP has there; TCP, bound to an address alone, leaves by the rail that has it.

    The kernel answers. BGP has a route by rail0 only, as after the leaf of rail1 has lost its uplinks: asked by an
    interface that no route has, Linux takes an address to be on the link (net/ipv4/route.c), so that ARP fails.
    """
    device = learning()
    device.rails = device.rails[:2]
    script = (
        "ip route add unreachable 172.16.0.0/12 table 101; ip route add 172.31.0.0/26 via 172.16.1.0 table 101; "
        "for how in 'from 172.16.1.1 oif rail0' "
        "'from 172.16.1.3 oif rail1' 'from 172.16.1.3'; do for to in 172.31.0.1 172.16.1.2; do "
        "ip -o route get $to $how; done; done"
    )
    done = under_networkd(device, tmp_path, script)
    ways = [line.partition(" uid ")[0] for line in done.stdout.splitlines()]
    assert ways == [
        "172.31.0.1 from 172.16.1.1 via 172.16.1.0 dev rail0 table 101",
        "172.16.1.2 from 172.16.1.1 dev rail0",
        "172.31.0.1 from 172.16.1.3 dev rail1",
        "172.16.1.2 from 172.16.1.3 dev rail1 table 101",
        "172.31.0.1 from 172.16.1.3 via 172.16.1.2 dev rail1 table 103",
        "172.16.1.2 from 172.16.1.3 via 172.16.1.2 dev rail1 table 103",
    ], done.stderr


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
