"""The control-plane ACL in config_db.json: whom the switch itself takes new connections from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import sonic_fabric as fabric
from sonic_render import config_db

from fabricgen.device.model import FabricPrefixes

BARE: fabric.Change = ("addressing", "fabric_links"), "unnumbered"
UPLINKS = [f"Ethernet{number}" for number in range(448, 512, 4)]


def rules(data: dict[str, Any], table: str) -> list[dict[str, str]]:
    """The rules of a table as caclmgrd orders them: by priority as text, the highest first."""
    found = [row for key, row in data["ACL_RULE"].items() if key.partition("|")[0] == table]
    return sorted(found, key=lambda row: row["PRIORITY"], reverse=True)


def sources(data: dict[str, Any], table: str) -> list[tuple[str, str]]:
    """Sources and actions of a table's rules."""
    return [(row.get("SRC_IP") or row["SRC_IPV6"], row["PACKET_ACTION"]) for row in rules(data, table)]


def test_hosts_are_let_in_only_where_bfd_watches_them() -> None:
    routing = fabric.leaf().cls.routing
    pools = FabricPrefixes("10.255.0.0/16", 32, "172.16.0.0/12", 24, "", 128, "fd00:2::/48", 64)
    watched, unwatched = (
        config_db(fabric.leaf(hosts_bgp=True, prefixes=pools, routing=replace(routing, bfd_lower=lower)))
        for lower in (True, False)
    )
    assert sources(watched, "FABRIC") == [("172.16.0.0/12", "ACCEPT")]
    assert ("fd00:2::/48", "ACCEPT") in sources(watched, "FABRIC6")
    assert not {"FABRIC", "FABRIC6"} & set(unwatched["ACL_TABLE"])


@pytest.mark.parametrize(("release", "ports"), [("202411", [None]), ("202505", UPLINKS), ("202605", UPLINKS)])
def test_link_local_sources_come_in_by_links_without_addresses_only(release: str, ports: list[str | None]) -> None:
    """A numbered fabric has none of them; before 202505 caclmgrd heeds no port."""
    chosen: fabric.Change = ("tiers", "leaf", "release"), release
    numbered, bare = (config_db(fabric.leaf(chosen, *each, overlay="spectrum")) for each in ((), (BARE,)))
    assert "FABRIC6" not in numbered["ACL_TABLE"]
    assert {row["SRC_IPV6"] for row in rules(bare, "FABRIC6")} == {"fe80::/10"}
    assert [row.get("IN_PORTS") for row in rules(bare, "FABRIC6")] == ports
    assert ("ACCESS_NTP" in bare["ACL_TABLE"]) == (release == "202411")
    unwatched = fabric.leaf(chosen, BARE, (("routing", "bfd"), "off"), overlay="spectrum")
    assert "FABRIC6" not in config_db(unwatched)["ACL_TABLE"]
    assert numbered["FEATURE"]["mgmt-framework"] == {"state": "disabled"}
    assert "config qos reload" in numbered["BANNER_MESSAGE"]["global"]["motd"]


def test_no_snmp_table_without_snmp() -> None:
    """Quickstart asks for none."""
    assert not [name for name in config_db(fabric.leaf())["ACL_TABLE"] if "SNMP" in name]
