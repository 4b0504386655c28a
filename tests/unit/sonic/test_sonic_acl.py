"""The control-plane ACL in config_db.json: whom the switch itself takes new connections from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sonic_fabric as fabric
from sonic_render import config_db

from fabricgen.device.model import FabricPrefixes, SwitchClass
from fabricgen.plan.model.contract import Access


def rules(data: dict[str, Any], table: str) -> list[dict[str, str]]:
    """The rules of a table as caclmgrd orders them: by priority as text, the highest first."""
    found = [row for key, row in data["ACL_RULE"].items() if key.partition("|")[0] == table]
    return sorted(found, key=lambda row: row["PRIORITY"], reverse=True)


def sources(data: dict[str, Any], table: str) -> list[tuple[str, str]]:
    """Sources and actions of a table's rules."""
    return [(row.get("SRC_IP") or row["SRC_IPV6"], row["PACKET_ACTION"]) for row in rules(data, table)]


def with_access(access: Access) -> SwitchClass:
    """The leaf with other access."""
    return replace(fabric.leaf_class(), services=replace(fabric.SERVICES, access=access))


def test_link_peers_are_let_in_and_management_reaches_its_services() -> None:
    data = config_db(fabric.leaf())
    assert {row["type"] for row in data["ACL_TABLE"].values()} == {"CTRLPLANE"}
    assert sources(data, "FABRIC") == [("10.0.0.0/12", "ACCEPT")]
    assert sources(data, "FABRIC6") == [("fe80::/10", "ACCEPT")]
    assert data["ACL_TABLE"]["FABRIC"]["services"] == ["ANY"]
    for table, service in (("ACCESS_SSH", "SSH"), ("ACCESS_SNMP", "SNMP"), ("ACCESS_GNMI", "EXTERNAL_CLIENT")):
        assert data["ACL_TABLE"][table]["services"] == [service]
        assert sources(data, table) == [
            ("10.200.0.0/24", "ACCEPT"), ("192.168.0.0/16", "ACCEPT"), ("0.0.0.0/0", "DROP")
        ]  # fmt: skip
        assert sources(data, table + "6") == [("2001:db8:1::/48", "ACCEPT"), ("::/0", "DROP")]
    assert {row.get("L4_DST_PORT") for row in rules(data, "ACCESS_GNMI")} == {"8080"}


def test_what_management_refuses_is_refused_before_the_fabric_accepts_everything() -> None:
    """The first rule that fits decides, and caclmgrd walks the tables in the order of their names."""
    names = sorted(config_db(fabric.leaf())["ACL_TABLE"])
    assert names[-2:] == ["FABRIC", "FABRIC6"]


def test_hosts_are_let_in_only_where_bfd_watches_them() -> None:
    cls = fabric.leaf_class()
    pools = FabricPrefixes("10.255.0.0/16", 32, "172.16.0.0/12", 24, "", 128, "fd00:2::/48", 64)
    hosts = replace(cls, hosts_bgp=True, prefixes=pools)
    assert sources(config_db(fabric.leaf(hosts)), "FABRIC") == [("172.16.0.0/12", "ACCEPT")]
    assert ("fd00:2::/48", "ACCEPT") in sources(config_db(fabric.leaf(hosts)), "FABRIC6")
    unwatched = replace(hosts, routing=replace(cls.routing, bfd_lower=False))
    assert "FABRIC" not in config_db(fabric.leaf(unwatched))["ACL_TABLE"]
    assert sources(config_db(fabric.leaf(unwatched)), "FABRIC6") == [("fe80::/10", "ACCEPT")]


def test_no_snmp_table_without_snmp() -> None:
    cls = replace(fabric.leaf_class(), services=replace(fabric.SERVICES, snmp_community=""))
    assert not [name for name in config_db(fabric.leaf(cls))["ACL_TABLE"] if "SNMP" in name]


def test_no_gnmi_table_without_gnmi() -> None:
    cls = replace(fabric.leaf_class(), services=replace(fabric.SERVICES, gnmi=None))
    data = config_db(fabric.leaf(cls))
    assert not [name for name in (*data["ACL_TABLE"], *data["ACL_RULE"]) if "GNMI" in name]
    assert "8080" not in {row.get("L4_DST_PORT") for row in data["ACL_RULE"].values()}


def test_an_intent_without_acl_has_no_rule() -> None:
    data = config_db(fabric.leaf(with_access(Access(acl=False))))
    assert not {"ACL_TABLE", "ACL_RULE"} & data.keys()
