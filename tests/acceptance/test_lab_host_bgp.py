"""Hosts that speak BGP on real daemons: one table for all rails, each rail its own way, and no way where none is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.acceptance.laboratory import Lab, running, small_inventory
from tests.acceptance.laboratory import alone as alone
from tests.waiting import wait

SAID = """
routing: {hosts: bgp}
addressing: {loopbacks: 10.255.0.0/16, fabric_links: unnumbered, host_links: 172.16.0.0/12}
"""
HOST, LEAF, FAR_HOST = "gpu-u001-h01", "leaf-u001-r0", "gpu-u002-h01"


pytestmark = pytest.mark.nightly


@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    """The small fabric without addresses between its switches, whose hosts speak BGP."""
    return small_inventory(tmp_path, addressing=SAID)


def address(lab: Lab, host: str, rail: int) -> str:
    shown = json.loads(lab.on(host, "ip", "-j", "-4", "address", "show", "dev", f"rail{rail}"))
    return next(str(entry["local"]) for entry in shown[0]["addr_info"] if entry["scope"] == "global")


def way(lab: Lab, rail: int) -> str:
    """The interface by which the kernel sends what a queue pair of a rail sends to the other unit; empty for none."""
    far, own = address(lab, FAR_HOST, 5), address(lab, HOST, rail)
    asked = ("ip", "-j", "-4", "route", "get", far, "from", own, "oif", f"rail{rail}")
    found = json.loads(lab.on(HOST, *asked))[0]
    return str(found["dev"]) if "gateway" in found else ""


def next_hops(lab: Lab) -> set[str]:
    """Rails by which the table of the rails leads to the other unit."""
    far = address(lab, FAR_HOST, 5)
    routes = json.loads(lab.on(HOST, "ip", "-j", "-4", "route", "show", "table", "101", "match", far))
    learned = [route for route in routes if route.get("protocol") in ("bgp", "186")]
    return {hop["dev"] for route in learned for hop in route.get("nexthops", [route])}


def test_every_rail_has_its_own_way_until_its_leaf_has_none(inventory: Path) -> None:
    """All checks pass; a leaf that loses its uplinks stops telling, and the other leaf's rails go on alone."""
    rails = {f"rail{number}" for number in range(8)}
    with running(inventory, "hbgp") as lab:
        lab.judge().exits(0)
        assert next_hops(lab) == rails
        assert [way(lab, number) for number in range(8)] == sorted(rails)
        lab.configure(LEAF, "router bgp 4200000001", "neighbor UPPER shutdown")
        wait(lambda: next_hops(lab) == {f"rail{number}" for number in range(4, 8)})
        assert way(lab, 5) == "rail5"
        found = lab.judge().exits(1)
        assert HOST in {item["device"] for item in found["ecmp width"]}


def test_leaf_believes_nothing_a_host_says(inventory: Path) -> None:
    """A host that announces what it likes reaches nobody's tables."""
    with running(inventory, "hbgp") as lab:
        asn = "4294967294"
        said = ("ip route 172.31.0.0/27 blackhole", "no route-map LEAF_OUT", "route-map LEAF_OUT permit 10", "exit")
        lab.configure(HOST, *said, f"router bgp {asn}", "address-family ipv4 unicast", "network 172.31.0.0/27")

        def told() -> bool:
            sent = lab.show(HOST, "bgp ipv4 unicast neighbors 172.16.0.0 advertised-routes")
            return "172.31.0.0/27" in str(sent)

        wait(told)
        assert "172.31.0.0/27" not in lab.on(LEAF, "vtysh", "-c", "show bgp ipv4 unicast json")
        found = lab.judge().exits(1)
        places = {check: {item["device"] for item in items} for check, items in found.items() if items}
        assert places == {"configuration": {HOST}}
