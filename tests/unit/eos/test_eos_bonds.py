"""Bonds of hosts over a pair of EOS leafs: what both say alike, and what each has to itself."""

from __future__ import annotations

import pytest

from fabricgen.platforms.eos import reader
from fabricgen.platforms.reading.reader import Tree
from tests.judges.avd.__main__ import findings
from tests.unit.conformance_files import startup_configs

PAIR = ("leaf-p1-u01-r0-1", "leaf-p1-u01-r0-2")
SPINE = "spine-p01-01"


@pytest.fixture(scope="module")
def configs() -> dict[str, str]:
    return startup_configs(shapes=("bonded",))


def section(tree: Tree, name: str) -> Tree:
    found = tree[name]
    assert isinstance(found, dict)
    return found


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


@pytest.mark.parametrize("families", [["ipv4"], ["ipv4", "ipv6"], ["ipv6"]])
def test_a_routed_bond_is_an_interface_that_is_the_same_on_both_leafs(families: list[str]) -> None:
    """No VLAN, nothing to flood, and no route that follows ARP; the MAC address is that of the LACP system."""
    pools = {name: pool if isinstance(pool, str) else {f: pool[f] for f in families} for name, pool in POOLS6.items()}
    changes = {("addressing",): {"families": families, **pools}, ("attachment", "bond"): "routed"}
    texts = [startup_configs(changes, shapes=("bonded",))[name] for name in PAIR]
    one, two = (section(reader.read(text), "interface Port-Channel1") for text in texts)
    assert {**one, "description": ""} == {**two, "description": ""}
    assert one["mac-address"] == one["lacp system-id"] == "0200.5e00.0101"
    assert one["switchport"] == "no"
    assert ("ip address" in one, any(key.startswith("ipv6 address") for key in one)) == tuple(
        family in families for family in ("ipv4", "ipv6")
    )
    for text in texts:
        assert text.count("redistribute connected route-map HOSTS") == len(families)
        assert not [word for word in ("interface Vlan", "attached-host", "arp aging", "storm-control") if word in text]
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
