"""config_db.json under other contracts and with less management: what must disappear does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import sonic_fabric as fabric
import sonic_render
from sonic_render import config_db

from fabricgen.device.model import SwitchClass
from fabricgen.plan.model.contract import Services, TrafficClass

BARE = Services((), (), (), "", "", "", (), "", (), "UTC")
PAUSE_TABLES = {"MAP_PFC_PRIORITY_TO_QUEUE", "PFC_WD"}
SERVICE_TABLES = {
    "NTP", "NTP_SERVER", "SYSLOG_CONFIG", "SYSLOG_SERVER", "DNS_NAMESERVER", "SNMP", "SNMP_COMMUNITY",
    "SNMP_AGENT_ADDRESS_CONFIG", "AAA", "TACPLUS", "TACPLUS_SERVER",
}  # fmt: skip


def pfc_only() -> SwitchClass:
    """A leaf that pauses and never marks."""
    return replace(fabric.leaf_class(), contract=fabric.contract("pfc_only"), ecn=())


def ecn_only() -> SwitchClass:
    """A leaf that marks and never pauses."""
    cls = fabric.leaf_class()
    ports = tuple(replace(port, headroom=None) for port in cls.ports)
    return replace(cls, contract=fabric.contract("ecn_only"), ports=ports)


def two_lossless() -> SwitchClass:
    """A leaf with two neighbouring lossless priorities."""
    storage = TrafficClass("storage", (34,), 4, 4, lossless=True, strict=False, weight_pct=30)
    return replace(fabric.leaf_class(), contract=fabric.contract(classes=(*fabric.CLASSES, storage)))


def bare() -> SwitchClass:
    """A leaf without any management service."""
    return replace(fabric.leaf_class(), services=BARE)


@pytest.mark.parametrize("build", [ecn_only, two_lossless, bare])
def test_judge_finds_nothing(build: Callable[[], SwitchClass], tmp_path: Path) -> None:
    assert sonic_render.config_db_findings(fabric.leaf(build()), tmp_path) == []


def test_judge_misses_only_the_marks_that_pfc_only_forbids(tmp_path: Path) -> None:
    device = fabric.leaf(pfc_only())
    findings = sonic_render.config_db_findings(device, tmp_path)
    missing = "lint: no ECN profile on a lossless queue"
    assert findings == [f"QUEUE|{port.shape.name}|3|wred_profile: {missing}" for port in device.ports]


def test_pfc_only_ignores_thresholds_it_is_given() -> None:
    db = config_db(fabric.leaf(replace(pfc_only(), ecn=fabric.ECN)))
    assert not [name for name in db["FLEX_COUNTER_TABLE"] if name.startswith("WRED")]
    assert "WRED_PROFILE" not in db
    assert not [row for row in db["QUEUE"].values() if "wred_profile" in row]


def test_ecn_only_never_pauses() -> None:
    db = config_db(fabric.leaf(ecn_only()))
    assert not PAUSE_TABLES & db.keys()
    assert not [row for row in db["PORT_QOS_MAP"].values() if {"pfc_enable", "pfc_to_queue_map"} & row.keys()]
    assert {row["profile"] for row in db["BUFFER_PG"].values()} == {"ingress_lossy_profile"}
    assert {row["profile"] for row in db["BUFFER_QUEUE"].values()} == {"egress_lossy_profile"}
    assert "PFCWD" not in db["FLEX_COUNTER_TABLE"]
    assert db["QUEUE"]["Ethernet0|3"]["wred_profile"] == "roce_400g"
    assert db["CABLE_LENGTH"]["AZURE"]["Ethernet48"] == "30m"


def test_neighbouring_lossless_priorities_share_a_row() -> None:
    db = config_db(fabric.leaf(two_lossless()))
    assert db["PORT_QOS_MAP"]["Ethernet0"]["pfc_enable"] == "3,4"
    groups = {key.partition("|")[2]: row["profile"] for key, row in db["BUFFER_PG"].items() if key[:10] == "Ethernet0|"}
    assert groups == {"0": "ingress_lossy_profile", "3-4": "pg_lossless_400000_5m_profile"}
    queues = [key for key in db["BUFFER_QUEUE"] if key.startswith("Ethernet0|")]
    assert queues == ["Ethernet0|0-2", "Ethernet0|3-4", "Ethernet0|5-7"]


def test_services_nobody_asked_for_are_absent() -> None:
    db = config_db(fabric.leaf(bare()))
    assert not SERVICE_TABLES & db.keys()


@pytest.mark.parametrize(("location", "contact"), [("hall 2", ""), ("", "netops"), ("", "")])
def test_snmp_facts_stand_alone(location: str, contact: str) -> None:
    services = replace(BARE, snmp_community="fabric-ro", snmp_location=location, snmp_contact=contact)
    db = config_db(fabric.leaf(replace(fabric.leaf_class(), services=services)))
    expected = {name for name, value in (("LOCATION", location), ("CONTACT", contact)) if value}
    assert set(db.get("SNMP", {})) == expected
