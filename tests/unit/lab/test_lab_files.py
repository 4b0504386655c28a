"""Rendered files as the lab applies them."""

from __future__ import annotations

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.lab.model.configuration import adapt_commands, adapt_routing, read_settings, translate_netplan
from tests.unit.lab.fabrics import lab_of

NETPLAN = """\
network:
  version: 2
  ethernets:
    rail0:
      renderer: networkd
      mtu: 9000
      link-local: []
      addresses: [172.16.0.1/31, "2001:db8::1/127"]
      routes:
        - {to: 172.16.0.0/12, via: 172.16.0.0, table: 101, metric: 5}
        - {to: "2001:db8::/32", via: "2001:db8::", on-link: true}
      routing-policy:
        - {from: 172.16.0.1/32, table: 101, priority: 101}
"""


def test_a_network_file_becomes_ip_commands() -> None:
    bag = Bag()
    network = translate_netplan(NETPLAN.encode(), "h1", bag)
    assert len(bag) == 0
    assert network.addresses == {"rail0": ("172.16.0.1/31", "2001:db8::1/127")}
    assert network.mtu_bytes == {"rail0": 9000}
    assert network.commands == [
        "route add 172.16.0.0/12 via 172.16.0.0 table 101 metric 5 dev rail0",
        "-6 route add 2001:db8::/32 via 2001:db8:: onlink dev rail0",
        "rule add from 172.16.0.1/32 table 101 priority 101",
    ]


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("mtu: 9000", "wakeonlan: true", "rail0.wakeonlan"),
        ("metric: 5", "congestion-window: 5", "rail0.routes.congestion-window"),
        ("priority: 101", "type-of-service: 1", "routing-policy.type-of-service"),
        ("ethernets:", "wifis:", "network.wifis"),
    ],
)
def test_what_the_lab_cannot_apply_is_told(old: str, new: str, key: str) -> None:
    bag = Bag()
    translate_netplan(NETPLAN.replace(old, new).encode(), "h1", bag)
    assert [(found.code, key in found.message) for found in bag] == [("FG-LAB-030", True)]


def test_settings_of_a_host_are_those_of_its_network() -> None:
    text = "# no\n-net.ipv4.conf.rail0.arp_ignore = 1\nvm.swappiness = 1\nnet.ipv4.conf.all.rp_filter=2\n"
    assert read_settings(text) == {"net/ipv4/conf/rail0/arp_ignore": 1, "net/ipv4/conf/all/rp_filter": 2}


def test_only_what_needs_hardware_is_left_out_of_the_routing_configuration() -> None:
    """And each change is told."""
    node = lab_of("quickstart").node("leaf-u001-r0")
    assert any(text.startswith("left out: fpm") for text in node.adapted)
    head, tail = "frr defaults traditional\n{}hostname x\n", "router bgp 1\n{}end\n"
    left_out = head.format(""), "log syslog informational\nfpm address 127.0.0.1\n", " bgp suppress-fib-pending\n"
    adapted = adapt_routing(left_out[0] + left_out[1] + tail.format(left_out[2]))
    assert adapted.text == head.format("no zebra nexthop kernel enable\n") + tail.format("")
    assert len(adapted.adapted) == 4


def test_commands_for_running_daemons_lack_what_the_configuration_lacks() -> None:
    text = "router bgp 1\n no bgp suppress-fib-pending\n neighbor UPPER password @fabricgen-secret:key@\nexit\n"
    made = adapt_commands(text)
    assert made.splitlines()[0::2] == ["router bgp 1", "exit"]
    assert made.splitlines()[1] in adapt_routing(text).text


def test_hosts_have_what_their_files_say() -> None:
    host = lab_of("quickstart").node("gpu-u001-h01")
    assert [end.addresses for end in host.interfaces][:2] == [("172.16.0.1/31",), ("172.16.0.3/31",)]
    assert len(host.commands) == 17, "a route and a rule of each rail, and one for the pool that no rail's address uses"
    assert ("net/ipv4/conf/rail0/arp_ignore", 1) in host.settings
