"""Bonds of hosts over a pair of EOS leafs: what both say alike, and what each has to itself."""

from __future__ import annotations

import re

import pytest
from eos_render import startup_configs

from fabricgen.platforms.eos import reader
from fabricgen.platforms.reading.reader import Tree
from tests.judges.avd.__main__ import findings

PAIR = ("leaf-p1-u01-r0-1", "leaf-p1-u01-r0-2")
SPINE = "spine-p01-01"


@pytest.fixture(scope="module")
def configs() -> dict[str, str]:
    return startup_configs(shapes=("bonded",))


def section(tree: Tree, name: str) -> Tree:
    found = tree[name]
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("name", [*PAIR, SPINE])
def test_arista_prints_the_same(name: str, configs: dict[str, str]) -> None:
    pytest.importorskip("pyavd", reason="Arista's generator, pyavd, is not installed")
    assert findings(configs[name]) == []


def test_both_leafs_are_one_lacp_system_and_one_gateway(configs: dict[str, str]) -> None:
    one, two = (reader.read(configs[name]) for name in PAIR)
    bonds = [name for name in one if name.startswith("interface Port-Channel")]
    assert bonds == [name for name in two if name.startswith("interface Port-Channel")]
    assert len(bonds) == 8
    for name in bonds:
        assert section(one, name)["lacp system-id"] == section(two, name)["lacp system-id"] == "0000.5e00.0101"
        ports = [str(section(tree, name)["description"]).split(":") for tree in (one, two)]
        assert [port[0] for port in ports] == [ports[0][0]] * 2
        assert [port[1][-2:] for port in ports] == ["p0", "p1"]
    assert one["ip virtual-router mac-address"] == two["ip virtual-router mac-address"]
    first, second = (section(tree, "interface Vlan10") for tree in (one, two))
    assert first.pop("ip address") != second.pop("ip address")
    assert first == second


def test_port_ids_of_the_pair_never_meet(configs: dict[str, str]) -> None:
    ranges = [tuple(map(int, str(reader.read(configs[name])["lacp port-id range"]).split())) for name in PAIR]
    assert ranges == [(1, 300), (301, 600)]


def test_only_hosts_of_the_own_subnet_become_routes(configs: dict[str, str]) -> None:
    text = configs[PAIR[0]]
    subnet = re.search(r"ip address (172\.\S+)\.2/(\d+)", text)
    assert subnet is not None
    inside = f"{subnet[1]}.0/{subnet[2]} ge 32 le 32"
    assert f"ip prefix-list HOSTS\n   seq 10 permit {inside}\n" in text
    assert f"   seq 30 permit {inside}\n" in text
    assert "redistribute attached-host route-map HOSTS" in text
    assert "Null0" not in text, "the subnet is there as long as a host's port is up"
    assert "seq 30 permit 172.16.0.0/12 ge 32 le 32" in configs[SPINE], "routes to hosts pass the spine"


def test_hosts_leave_a_leaf_without_uplinks(configs: dict[str, str]) -> None:
    tree = reader.read(configs[PAIR[0]])
    said = {name: value for name, value in tree.items() if name.startswith(("interface Eth", "interface Port"))}
    groups = {
        name: section(tree, name).get("link tracking group UPLINKS")
        for name in said
        if section(tree, name)["shutdown"] == "no"
    }
    assert set(groups.values()) == {"upstream", "downstream", None}
    assert all(
        ("ip address" in section(tree, name)) == (word == "upstream") for name, word in groups.items()
    )  # fmt: skip
    assert all(word == "downstream" for name, word in groups.items() if "Port-Channel" in name)


POOLS6 = {
    "loopbacks": {"ipv4": "10.255.0.0/16", "ipv6": "2001:db8:0:ff::/64"},
    "host_links": {"ipv4": "172.16.0.0/12", "ipv6": "2001:db8:0:2::/64"},
    "fabric_links": "unnumbered",
}


@pytest.mark.parametrize("families", [["ipv4", "ipv6"], ["ipv6"]])
def test_hosts_are_not_sent_past_the_gateway_in_any_family(families: list[str]) -> None:
    pools = {name: pool if isinstance(pool, str) else {f: pool[f] for f in families} for name, pool in POOLS6.items()}
    text = startup_configs({("addressing",): {"families": families, **pools}}, shapes=("bonded",))[PAIR[0]]
    assert ("no ip icmp redirect\n" in text) == ("ipv4" in families)
    assert "no ipv6 icmp redirect\n" in text
    pytest.importorskip("pyavd", reason="Arista's generator, pyavd, is not installed")
    assert findings(text) == []


def test_leafs_that_have_nothing_above_them_track_nothing() -> None:
    above = [("tiers", name) for name in ("spine", "core")] + [("links", name) for name in ("leaf-spine", "spine-core")]
    text = startup_configs(without=tuple(above), shapes=("bonded",))[PAIR[0]]
    assert "interface Port-Channel1\n" in text
    assert "link tracking" not in text


def test_a_host_with_one_port_stands_in_the_same_subnet(configs: dict[str, str]) -> None:
    trees = [reader.read(configs[name]) for name in PAIR]
    alone = [
        section(tree, name)
        for tree in trees
        for name in tree
        if name.startswith("interface Eth") and str(section(tree, name).get("description", "")).startswith("storage-")
    ]
    assert len(alone) == 1, "it meets one leaf of the pair"
    assert alone[0]["switchport access vlan"] == section(trees[0], "interface Port-Channel1")["switchport access vlan"]
    assert "channel-group" not in alone[0]
    assert "ip address" not in alone[0]


def test_no_neighbour_outlives_its_mac_entry(configs: dict[str, str]) -> None:
    for families in (configs[PAIR[0]], startup_configs(shapes=("bonded", "dual"))[PAIR[0]]):
        tree = reader.read(families)
        vlan = section(tree, "interface Vlan10")
        aging = int(str(tree["mac address-table aging-time"]))
        assert int(str(vlan["arp aging timeout"])) < aging
        if "ipv6 nd cache expire" in vlan or families is not configs[PAIR[0]]:
            assert int(str(vlan["ipv6 nd cache expire"])) < aging
