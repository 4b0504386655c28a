"""config_db.json under other contracts and with less management: what must disappear does."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
import sonic_fabric as fabric
from sonic_render import config_db, render

from fabricgen.device.model import Switch
from fabricgen.plan.model.contract import Services
from tests.unit.judged import findings

BARE = Services((), (), (), "", "", "", (), "", (), "UTC")
PAUSE_TABLES = {"MAP_PFC_PRIORITY_TO_QUEUE", "PFC_WD"}
SERVICE_TABLES = {
    "NTP", "NTP_SERVER", "SYSLOG_CONFIG", "SYSLOG_SERVER", "DNS_NAMESERVER", "SNMP", "SNMP_COMMUNITY",
    "SNMP_AGENT_ADDRESS_CONFIG", "AAA", "TACPLUS", "TACPLUS_SERVER",
}  # fmt: skip
PFC_ONLY, ECN_ONLY = (
    fabric.leaf((("lossless",), {"mode": mode, "reason": "a trial"})) for mode in ("pfc_only", "ecn_only")
)
DEVICES = {
    "all services": fabric.leaf(fabric.SERVICES),
    "no service": fabric.leaf(services=BARE),
    "spectrum": fabric.leaf(overlay="spectrum"),
    "ecn_only": ECN_ONLY,
}


@pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES)
def test_judge_finds_nothing(device: Switch, tmp_path: Path) -> None:
    files = {path: re.sub("@fabricgen-secret:[^@]+@", "secret", text) for path, text in render(device).items()}
    assert findings(files, tmp_path, "config_db") == []


def test_judge_misses_only_the_marks_that_pfc_only_forbids(tmp_path: Path) -> None:
    *found, _ = findings(render(PFC_ONLY), tmp_path, "config_db")
    missing = "lint: no ECN profile on a lossless queue"
    assert found == [f"QUEUE|{port.shape.name}|3|wred_profile: {missing}" for port in PFC_ONLY.ports]


def test_pfc_only_ignores_thresholds_it_is_given() -> None:
    db = config_db(replace(PFC_ONLY, cls=replace(PFC_ONLY.cls, ecn=ECN_ONLY.cls.ecn)))
    assert not [name for name in db["FLEX_COUNTER_TABLE"] if name.startswith("WRED")]
    assert "WRED_PROFILE" not in db
    assert not [row for row in db["QUEUE"].values() if "wred_profile" in row]


def test_ecn_only_never_pauses() -> None:
    db = config_db(ECN_ONLY)
    assert not PAUSE_TABLES & db.keys()
    assert not [row for row in db["PORT_QOS_MAP"].values() if {"pfc_enable", "pfc_to_queue_map"} & row.keys()]
    assert {row["profile"] for row in db["BUFFER_PG"].values()} == {"ingress_lossy_profile"}
    assert {row["profile"] for row in db["BUFFER_QUEUE"].values()} == {"egress_lossy_profile"}
    assert "PFCWD" not in db["FLEX_COUNTER_TABLE"]
    assert db["QUEUE"]["Ethernet0|3"]["wred_profile"] == "roce_400g"
    assert db["CABLE_LENGTH"]["AZURE"][ECN_ONLY.ports[-1].shape.name] == "30m"


def test_services_nobody_asked_for_are_absent() -> None:
    assert not SERVICE_TABLES & config_db(DEVICES["no service"]).keys()


@pytest.mark.parametrize(("location", "contact"), [("hall 2", ""), ("", "netops"), ("", "")])
def test_snmp_facts_stand_alone(location: str, contact: str) -> None:
    services = replace(BARE, snmp_community="fabric-ro", snmp_location=location, snmp_contact=contact)
    expected = {name for name, value in (("LOCATION", location), ("CONTACT", contact)) if value}
    assert set(config_db(fabric.leaf(services=services)).get("SNMP", {})) == expected
