"""IPv6 on real daemons: both families over numbered links, and over links without addresses (RFC 8950)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.acceptance.laboratory import alone as alone
from tests.acceptance.laboratory import running, small_inventory
from tests.waiting import wait

NUMBERED = '{ipv4: 10.0.0.0/12, ipv6: "fd3a:91c4:7e02:1::/64"}'
BOTH = (
    'addressing: {{families: [ipv4, ipv6], loopbacks: {{ipv4: 10.255.0.0/16, ipv6: "fd3a:91c4:7e02:ff::/64"}}, '
    'fabric_links: {links}, host_links: {{ipv4: 172.16.0.0/12, ipv6: "fd3a:91c4:7e02:2::/64"}}}}\n'
)


pytestmark = pytest.mark.nightly


SERIES = """addressing: {host_links: 172.16.0.0/16, fabric_links: 10.1.0.0/16, series: {leaf: {
  host_links: {first: 172.16.0.1, order: [unit, host, port, group]},
  fabric_links: {first: 10.1.1.0, order: [port, unit, group], strides: {port: 256}}}}}
routing: {asn: {series: {spine: {first: 4200100000, order: [index]}}}}
"""
"""Servers before rails with the leaf odd, link addresses by spine, an AS number for each spine."""


def test_numbers_in_another_order_do_what_their_plan_says(tmp_path: Path) -> None:
    with running(small_inventory(tmp_path, addressing=SERIES, per_pair="1"), "order") as lab:
        lab.judge().exits(0)
        routes = lab.on("spine-01", "ip", "-4", "route", "show", "proto", "186")
        assert "172.16.0.16/31" in routes


@pytest.mark.parametrize("links", [NUMBERED, "unnumbered"])
def test_both_families_do_what_their_plan_says(links: str, tmp_path: Path) -> None:
    """All checks pass, over parallel links of equal link-local addresses too; then IPv6 alone fails, and is named."""
    pairs = "8" if links == "unnumbered" else "1"
    with running(small_inventory(tmp_path, addressing=BOTH.format(links=links), per_pair=pairs), "six") as lab:
        lab.judge().exits(0)
        leaf, group = "leaf-u001-r0", "UPPER" if links == "unnumbered" else "UPPER6"
        ports = json.loads(lab.on(leaf, "ip", "-json", "link", "show", "type", "veth"))
        assert len(ports) > len({port["address"] for port in ports}) == 1, "a SONiC switch has one MAC address"
        routes = lab.on(leaf, "ip", "-6", "route", "show", "proto", "186")
        assert "fd3a:91c4:7e02:2::" in routes
        routes = lab.on(leaf, "ip", "-4", "route", "show", "proto", "186")
        assert ("onlink" in routes) == (links == "unnumbered")
        lab.configure(leaf, "router bgp 4200000001", "address-family ipv6 unicast", f"no neighbor {group} activate")
        # A session that carries both families is reset when one leaves it.
        wait(lambda: "fd3a:" not in lab.on(leaf, "ip", "-6", "route", "show", "proto", "186"))
        words, count = ("ip", "-4", "route", "show", "proto", "186"), routes.count("nexthop")
        wait(lambda: lab.on(leaf, *words).count("nexthop") == count)
        found = lab.judge().exits(1)
        wrong = {item["link"].split()[0] for item in found["ecmp width"] if item["device"] == leaf}
        assert wrong, found
        assert all(prefix.startswith("fd3a:") for prefix in wrong)
        assert found["reachability"]
        assert not found["cabling"]
