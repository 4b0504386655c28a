"""startup-config with IPv6, with both families, and over links without addresses."""

from __future__ import annotations

import re

import pytest

from tests.judges.avd.__main__ import findings
from tests.unit.conformance_files import startup_configs

LEAF, SPINE, CORE, DRAINED = "leaf-p1-u01-r0", "spine-p01-01", "core-01", "spine-p02-02"
UNNUMBERED = ("dual", "unnumbered")
DRAIN = [{"link": [LEAF, SPINE], "n": 1, "state": "drained", "reason": "a dirty connector"}]


@pytest.fixture(scope="module")
def dual() -> dict[str, str]:
    return startup_configs(shapes=("dual",))


def test_each_family_hashes_on_the_fields_in_the_order_of_eos(dual: dict[str, str]) -> None:
    assert re.findall(r"^ip load-sharing trident fields (.*)$", dual[LEAF], re.MULTILINE) == [
        "ip source-ip source-port destination-ip destination-port",
        "ipv6 destination-port source-ip destination-ip source-port",
    ]


def test_ipv6_alone_leaves_no_ipv4_behind() -> None:
    own = {"loopbacks": "ff", "fabric_links": "1", "host_links": "2"}
    changes = {("addressing", name): {"ipv6": f"fd3a:91c4:7e02:{word}::/64"} for name, word in own.items()}
    changes[("addressing", "families")] = ["ipv6"]
    text = startup_configs(changes)[LEAF]
    assert "ip routing" not in text
    assert "address-family ipv4" not in text
    assert re.findall(r"^ip (?:prefix-list|route) .*", text, re.MULTILINE) == [
        "ip route vrf MGMT 0.0.0.0/0 192.168.0.1",
    ]
    assert re.search(r"^   router-id 0\.0\.0\.\d+$", text, re.MULTILINE)
    assert findings(text) == []


def test_management_has_the_family_of_its_pool() -> None:
    changes = {("addressing", "management", "pool"): "fd3a:91c4:7e02:f::/64"}
    text = startup_configs(changes, without=(("operations",), ("exceptions",), ("expect",)))[LEAF]
    assert re.search(r"^   ipv6 address fd3a:91c4:7e02:f::\w+/64$", text, re.MULTILINE)
    assert "ipv6 route vrf MGMT ::/0 fd3a:91c4:7e02:f::1\n" in text
    assert findings(text) == []


def test_a_drained_unnumbered_link_has_a_group_of_its_own() -> None:
    configs = startup_configs({("exceptions",): DRAIN}, without=(("expect",),), shapes=UNNUMBERED)
    for name, group in ((LEAF, "UPPER"), (SPINE, "LOWER")):
        text = configs[name]
        assert len(re.findall(rf"neighbor interface \S+ peer-group {group}_DRAINED ", text)) == 1
        for suffix in ("", "6"):
            assert f"      neighbor {group}_DRAINED route-map {group}_IN_DRAINED{suffix} in\n" in text
        assert findings(text) == []
    assert "_DRAINED" not in configs[CORE]
