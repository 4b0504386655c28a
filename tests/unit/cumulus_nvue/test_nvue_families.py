"""startup.yaml with IPv6, with both families, and over links without addresses."""

from __future__ import annotations

from typing import Any

import pytest
from nvue_render import settings, startup_texts

from tests.judges.nvue.__main__ import findings

LEAF = "leaf-p1-u01-r0"
SHAPES = [("dual",), ("unnumbered",), ("dual", "unnumbered")]


def speaker(text: str) -> dict[str, Any]:
    """BGP of the default VRF."""
    found: dict[str, Any] = settings(text)["vrf"]["default"]["router"]["bgp"]
    return found


def ipv6_alone() -> dict[str, str]:
    """Every switch's file in a fabric without IPv4."""
    own = {"loopbacks": "ff", "fabric_links": "1", "host_links": "2"}
    changes: dict[tuple[str, ...], Any] = {
        ("addressing", name): {"ipv6": f"fd3a:91c4:7e02:{word}::/64"} for name, word in own.items()
    }
    return startup_texts({**changes, ("addressing", "families"): ["ipv6"]})


@pytest.mark.parametrize("shapes", SHAPES, ids="+".join)
def test_every_object_is_one_of_nvues(shapes: tuple[str, ...]) -> None:
    texts = startup_texts(shapes=shapes)
    assert {name: findings(text) for name, text in texts.items()} == {name: [] for name in texts}


def test_each_numbered_link_has_a_session_in_each_family() -> None:
    bgp = speaker(startup_texts(shapes=("dual",))[LEAF])
    groups = {(":" in name, row["peer-group"], row["type"]) for name, row in bgp["neighbor"].items()}
    assert groups == {(False, "upper", "numbered"), (True, "upper6", "numbered")}
    assert bgp["peer-group"]["upper6"]["address-family"]["ipv4-unicast"] == {"state": "disabled"}
    policy = bgp["peer-group"]["upper6"]["address-family"]["ipv6-unicast"]["policy"]
    assert policy == {"inbound": {"route-map": "upper-in6"}, "outbound": {"route-map": "upper-out6"}}


def test_unnumbered_links_have_one_session_for_both_families() -> None:
    text = startup_texts(shapes=("dual", "unnumbered"))[LEAF]
    bgp, ports = speaker(text), settings(text)["interface"]
    assert all(row["type"] == "unnumbered" for row in bgp["neighbor"].values())
    assert not any({"ipv4", "ipv6"} & set(ports[name]) for name in bgp["neighbor"])
    group = bgp["peer-group"]["upper"]
    assert group["capabilities"] == {"extended-nexthop": "enabled"}
    assert {family: row["state"] for family, row in group["address-family"].items()} == {
        "ipv4-unicast": "enabled",
        "ipv6-unicast": "enabled",
    }


def test_ipv6_alone_turns_ipv4_off() -> None:
    text = ipv6_alone()[LEAF]
    assert findings(text) == []
    bgp = speaker(text)
    assert bgp["address-family"]["ipv4-unicast"] == {"state": "disabled"}
    assert settings(text)["router"]["bgp"]["router-id"].startswith("0.0.0.")
    assert "172.16" not in text
    assert "10.255" not in text


def test_management_has_the_family_of_its_pool() -> None:
    changes = {("addressing", "management", "pool"): "fd3a:91c4:7e02:f::/64"}
    text = startup_texts(changes, without=(("operations",), ("exceptions",), ("expect",)))[LEAF]
    assert findings(text) == []
    port = settings(text)["interface"]["eth0"]
    assert list(port["ipv6"]["gateway"]) == ["fd3a:91c4:7e02:f::1"]
    assert "ipv4" not in port
