"""The control-plane ACL in config_db.json: whom the switch itself takes new connections from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sonic_fabric as fabric
from sonic_render import config_db

from fabricgen.device.model import FabricPrefixes


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
    assert "FABRIC" not in unwatched["ACL_TABLE"]
    assert sources(unwatched, "FABRIC6") == [("fe80::/10", "ACCEPT")]


def test_no_snmp_table_without_snmp() -> None:
    """Quickstart asks for none."""
    assert not [name for name in config_db(fabric.leaf())["ACL_TABLE"] if "SNMP" in name]
