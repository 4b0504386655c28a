"""Decisions of each table of config_db.json."""

from __future__ import annotations

from dataclasses import replace

import sonic_fabric as fabric
from sonic_render import config_db


def test_ingress_port_joins_the_hash() -> None:
    routing = replace(fabric.leaf().cls.routing, hash_fields=("five_tuple", "ingress_port"))
    fields = config_db(fabric.leaf(routing=routing))["SWITCH_HASH"]["GLOBAL"]["ecmp_hash"]
    assert fields == ["SRC_IP", "DST_IP", "IP_PROTOCOL", "L4_SRC_PORT", "L4_DST_PORT", "IN_PORT"]


def test_what_the_cpu_sends_is_strict_even_without_a_class() -> None:
    contract = fabric.leaf().cls.contract
    classes = (*contract.classes[:3], replace(contract.classes[3], priority=5))
    db = config_db(fabric.leaf(contract=replace(contract, classes=classes)))
    assert db["QUEUE"]["Ethernet0|7"] == {"scheduler": "cpu"}
    assert db["SCHEDULER"]["cpu"] == {"type": "STRICT"}


def test_breakouts_only_where_the_sku_has_other_modes() -> None:
    device = fabric.leaf()
    modes = {mode.port: {"brkout_mode": "2x400G(8)"} for mode in device.cls.modes if "2x400G" in mode.mode}
    assert config_db(device)["BREAKOUT_CFG"].items() >= modes.items() > set()
    assert "BREAKOUT_CFG" not in config_db(fabric.leaf(sku_is_exact=True))


def test_spectrum_lists_profiles_per_port() -> None:
    db = config_db(fabric.leaf(overlay="spectrum"))
    assert db["PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"] == {"AZURE": {"3": "3"}}
    assert db["PORT_QOS_MAP"]["Ethernet0"]["pfc_to_pg_map"] == "AZURE"
    assert db["BUFFER_PORT_INGRESS_PROFILE_LIST"]["Ethernet0"] == {
        "profile_list": "ingress_lossless_profile,ingress_lossy_profile"
    }
    assert db["BUFFER_PORT_EGRESS_PROFILE_LIST"]["Ethernet0"] == {
        "profile_list": "egress_lossless_profile,egress_lossy_profile"
    }
    assert db["BUFFER_QUEUE"]["Ethernet0|0-2"] == {"profile": "q_lossy_profile"}
    broadcom = config_db(fabric.leaf())
    assert not {"PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "BUFFER_PORT_INGRESS_PROFILE_LIST"} & broadcom.keys()


def test_spectrum_computes_headroom_and_pools_itself() -> None:
    """As SONiC's own dynamic template writes it: no size but the memory's, no headroom profile, NULL for a group."""
    db = config_db(fabric.leaf(overlay="spectrum"))
    assert db["DEVICE_METADATA"]["localhost"]["buffer_model"] == "dynamic"
    assert {name for name, pool in db["BUFFER_POOL"].items() if "size" in pool} == {"egress_lossless_pool"}
    assert not [name for name in db["BUFFER_PROFILE"] if name.startswith("pg_lossless")]
    assert {row["profile"] for key, row in db["BUFFER_PG"].items() if key.endswith("|3")} == {"NULL"}
    assert {row["profile"] for key, row in db["BUFFER_PG"].items() if key.endswith("|0")} == {"ingress_lossy_profile"}
    assert db["DEFAULT_LOSSLESS_BUFFER_PARAMETER"] == {"AZURE": {"default_dynamic_th": "0"}}
    assert db["LOSSLESS_TRAFFIC_PATTERN"] == {"AZURE": {"mtu": "1024", "small_packet_percentage": "50"}}
    assert set(db["CABLE_LENGTH"]["AZURE"].values()) == {"0m", "3m", "30m"}
    broadcom = config_db(fabric.leaf())
    assert broadcom["DEVICE_METADATA"]["localhost"]["buffer_model"] == "traditional"
    assert not {"DEFAULT_LOSSLESS_BUFFER_PARAMETER", "LOSSLESS_TRAFFIC_PATTERN"} & broadcom.keys()
    assert all("size" in pool for pool in broadcom["BUFFER_POOL"].values())


def test_one_pool_takes_one_profile() -> None:
    buffers = fabric.leaf(overlay="spectrum").cls.buffers
    profiles = tuple(
        replace(profile, pool="ingress_lossless_pool") if profile.name == "ingress_lossy_profile" else profile
        for profile in buffers.profiles
    )
    device = fabric.leaf(overlay="spectrum", buffers=replace(buffers, profiles=profiles))
    rows = config_db(device)["BUFFER_PORT_INGRESS_PROFILE_LIST"]
    assert rows["Ethernet0"] == {"profile_list": "ingress_lossless_profile"}


def test_nothing_samples_unless_asked() -> None:
    db = config_db(fabric.leaf(fabric.SERVICES))
    assert not {"SFLOW", "SFLOW_COLLECTOR", "SFLOW_SESSION"} & db.keys()
    assert "sflow" not in db["FEATURE"]
