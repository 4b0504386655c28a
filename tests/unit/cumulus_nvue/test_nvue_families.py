"""startup.yaml with IPv6, with both families, and over links without addresses."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from tests.judges.nvue.__main__ import RELEASES, findings, schema
from tests.unit.conformance_files import settings, startup_texts

LEAF = "leaf-p1-u01-r0"


def speaker(text: str) -> dict[str, Any]:
    found: dict[str, Any] = settings(text)["vrf"]["default"]["router"]["bgp"]
    return found


def ipv6_alone() -> dict[str, str]:
    """Every switch's file in a fabric without IPv4."""
    own = {"loopbacks": "ff", "fabric_links": "1", "host_links": "2"}
    changes: dict[tuple[str, ...], Any] = {
        ("addressing", name): {"ipv6": f"fd3a:91c4:7e02:{word}::/64"} for name, word in own.items()
    }
    return startup_texts({**changes, ("addressing", "families"): ["ipv6"]})


def test_ipv6_alone_turns_ipv4_off() -> None:
    text = ipv6_alone()[LEAF]
    assert findings(text) == []
    assert speaker(text)["address-family"]["ipv4-unicast"] == {"state": "disabled"}
    assert settings(text)["router"]["bgp"]["router-id"].startswith("0.0.0.")
    assert "172.16" not in text
    assert "10.255" not in text


@pytest.mark.parametrize("release", RELEASES)
def test_a_session_over_its_prefix_limit_returns_after_five_minutes(release: str) -> None:
    models = sys.modules[schema(release).__module__]
    limits = models.NvueConfigVrfEntryRouterBgpPeerGroupEntryAddressFamilyIpv4UnicastPrefixLimitsInbound
    assert "time in minutes" in limits.model_fields["reestablish_wait"].description
    changes = {("tiers", tier, "release"): release for tier in ("leaf", "spine", "core")}
    (group,) = speaker(startup_texts(changes)[LEAF])["peer-group"].values()
    assert group["address-family"]["ipv4-unicast"]["prefix-limits"]["inbound"]["reestablish-wait"] == 5


@pytest.mark.parametrize("release", ["5.17", "5.18"])
def test_planes_that_do_not_meet_announce_lost_prefixes_and_leafs_send_them_to_nics(release: str) -> None:
    changes: dict[tuple[str, ...], Any] = {("tiers", tier, "release"): release for tier in ("leaf", "spine", "core")}
    changes[("routing", "unreachability")] = "on"
    texts = startup_texts(changes, without=(("exceptions",), ("expect",)), shapes=("wide",))
    assert [found for text in texts.values() for found in findings(text, release)] == []
    for name, text in texts.items():
        own, lldp = speaker(text), settings(text)["system"]["lldp"]
        family = own["address-family"]["ipv4-unreachability"]
        assert {group["address-family"]["ipv4-unreachability"]["state"] for group in own["peer-group"].values()} == {
            "enabled"
        }
        assert ("export-lldp" in family) == ("tlv" in lldp) == name.startswith("leaf")
        if name.startswith("leaf"):
            (block,) = family["advertise-unreach"]["interfaces-match"]
            assert block in own["address-family"]["ipv4-unicast"]["network"]


def test_management_has_the_family_of_its_pool() -> None:
    changes = {("addressing", "management", "pool"): "fd3a:91c4:7e02:f::/64"}
    text = startup_texts(changes, without=(("operations",), ("exceptions",), ("expect",)))[LEAF]
    assert findings(text) == []
    port = settings(text)["interface"]["eth0"]
    assert list(port["ipv6"]["gateway"]) == ["fd3a:91c4:7e02:f::1"]
    assert "ipv4" not in port
