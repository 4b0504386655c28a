"""agent.conf and bgpcpp.conf with IPv6 and with both families."""

from __future__ import annotations

from dataclasses import replace

import fboss_devices as fabric
import pytest

from fabricgen.device.model import Switch

POOLS = {"loopbacks": "ff", "fabric_links": "1", "host_links": "2"}
BOTH = "ipv4, ipv6"


def leaf(families: str) -> Switch:
    pools = ", ".join(f'{name}: {{ipv6: "fd3a:91c4:7e02:{word}::/64"}}' for name, word in POOLS.items())
    own = {
        BOTH: ", ".join(
            f'{name}: {{ipv4: {ipv4}, ipv6: "fd3a:91c4:7e02:{POOLS[name]}::/64"}}'
            for name, ipv4 in (
                ("loopbacks", "10.255.0.0/16"),
                ("fabric_links", "10.0.0.0/12"),
                ("host_links", "172.16.0.0/12"),
            )
        ),
        "ipv6": pools,
    }[families]
    return fabric.switches("meta_minipack3", more=f"addressing: {{families: [{families}], {own}}}")["leaf-u001-r0"]


@pytest.mark.parametrize("families", [BOTH, "ipv6"])
def test_judge_finds_nothing(families: str, tmp_path: pytest.TempPathFactory) -> None:
    assert fabric.findings(leaf(families), tmp_path) == []


def test_each_link_has_a_session_and_an_address_in_each_family() -> None:
    device = leaf(BOTH)
    peers = fabric.bgp(device)["peers"]
    links = [port for port in device.ports if port.peer_asn]
    assert len(peers) == 2 * len(links)
    for peer in peers:
        ipv6 = ":" in peer["peer_addr"]
        assert peer["peer_group_name"] == ("UPPER6" if ipv6 else "UPPER")
        hops = ("0.0.0.0", peer["local_addr"]) if ipv6 else (peer["local_addr"], "::")
        assert (peer["next_hop4"], peer["next_hop6"]) == hops
    rows = {row["name"]: row["ipAddresses"] for row in fabric.agent(device)["interfaces"]}
    for port in links:
        assert rows[port.shape.name] == [f"{port.address}/31", f"{port.address6}/127"]
    assert rows["loopback0"] == [f"{device.loopback}/32", f"{device.loopback6}/128"]


def test_groups_carry_one_family_and_share_their_policies() -> None:
    groups = {row["name"]: row for row in fabric.bgp(leaf(BOTH))["peer_groups"]}
    assert {name: (row["disable_ipv4_afi"], row["disable_ipv6_afi"]) for name, row in groups.items()} == {
        "UPPER": (False, True),
        "UPPER6": (True, False),
    }
    assert {row["egress_policy_name"] for row in groups.values()} == {"UPPER_OUT"}


def test_both_blocks_are_announced_and_discarded() -> None:
    device = leaf(BOTH)
    config = fabric.bgp(device)
    assert [row["prefix"] for row in config["networks4"]] == [device.aggregate, f"{device.loopback}/32"]
    assert [row["prefix"] for row in config["networks6"]] == [device.aggregate6, f"{device.loopback6}/128"]
    discarded = [row["prefix"] for row in fabric.agent(device)["staticRoutesToNull"]]
    assert discarded == [device.aggregate, device.aggregate6]


def test_routes_to_bonded_hosts_pass_a_spine() -> None:
    device = fabric.switches("meta_minipack3")["spine-01"]
    prefixes = replace(device.cls.prefixes, host_len=32)
    config = fabric.bgp(replace(device, cls=replace(device.cls, prefixes=prefixes)))
    (statement,) = (row for row in config["policies"]["bgp_policy_statements"] if row["name"] == "LOWER_IN")
    said = [
        (prefix["base_prefix"], prefix["prefix_len_ranges"][0]["value"])
        for entry in statement["policy_entries"][-1]["policy_match_entries"]["match_entries"]
        for prefix in entry["prefix_filters"]["prefixes"]
    ]
    assert (prefixes.host_links, 32) in said


def test_ipv6_alone_leaves_no_ipv4_behind() -> None:
    device = leaf("ipv6")
    config = fabric.bgp(device)
    assert config["networks4"] == []
    assert config["router_id"] == device.router_id
    assert all(":" in peer["peer_addr"] for peer in config["peers"])
    assert "172.16" not in str(config) + str(fabric.agent(device))
