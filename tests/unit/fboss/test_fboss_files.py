"""agent.conf and bgpcpp.conf of the three boards: judged as a whole, and what each table decides."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from pathlib import Path

import fboss_devices as fabric
import pytest

from fabricgen.diagnostics import Bag
from fabricgen.platforms.fboss.buffers import ASICS
from fabricgen.platforms.fboss.view import ecmp_width
from fabricgen.platforms.manifest.load import load_platforms

NAMES = ("leaf-u001-r0", "spine-01", "spine-04")


BOUNDED = ("meta_wedge400", "meta_minipack2", "meta_minipack3")
"""Boards with published pools, from which marking is computed."""


@pytest.mark.sampled(3, of="model,mode")
@pytest.mark.parametrize(
    ("model", "mode"),
    [
        *product(BOUNDED, ["dcqcn", "pfc_only", "ecn_only"]),
        ("meta_icecube800bc", "pfc_only"),
        ("meta_minipack3n", "pfc_only"),
    ],
)
def test_judge_finds_nothing(model: str, mode: str, tmp_path: Path) -> None:
    for name in NAMES:
        assert fabric.findings(fabric.switches(model, mode)[name], tmp_path) == [], name


@pytest.mark.parametrize("word", ["flowlet", "per_packet"])
def test_judge_finds_nothing_about_dynamic_balancing(word: str, tmp_path: Path) -> None:
    device = fabric.with_balancing(fabric.switches("meta_minipack3")["leaf-u001-r0"], word)
    assert fabric.findings(device, tmp_path) == []


def test_judge_finds_nothing_about_sampling_and_a_drained_link(tmp_path: Path) -> None:
    device = fabric.switches("meta_minipack3")["leaf-u001-r0"]
    services = replace(device.cls.services, sflow_collector="192.0.2.10", sflow_rate=50000)
    ports = [replace(port, drained=port is device.ports[0]) for port in device.ports]
    assert fabric.findings(replace(device, cls=replace(device.cls, services=services), ports=ports), tmp_path) == []


@pytest.mark.parametrize(("word", "mode"), [("flowlet", 0), ("per_packet", 1)])
def test_dynamic_balancing_has_its_tables_flag_and_access_list(word: str, mode: int) -> None:
    device = fabric.with_balancing(fabric.switches("meta_minipack3")["leaf-u001-r0"], word)
    switch = fabric.agent(device)
    assert switch["flowletSwitchingConfig"]["switchingMode"] == mode
    assert {port["flowletConfigName"] for port in switch["ports"] if port["state"] == 2} == {"fabric"}
    assert [row["matcher"] for row in switch["dataPlaneTrafficPolicy"]["matchToAction"]] == ["roce"]
    entries = switch["aclTableGroups"][0]["aclTables"][0]["aclEntries"]
    assert [(row["name"], row["proto"], row["l4DstPort"]) for row in entries if row["name"] == "roce"] == [
        ("roce", 17, 4791)
    ]
    assert '"flowletSwitchingEnable": "true"' in fabric.render(device)[fabric.AGENT]


def test_static_balancing_has_none_of_them() -> None:
    switch = fabric.agent(fabric.switches("meta_minipack3")["leaf-u001-r0"])
    assert "flowletSwitchingConfig" not in switch
    assert not any("flowletConfigName" in port for port in switch["ports"])


@pytest.mark.parametrize(
    ("model", "profiles"),
    [("meta_wedge400", {24, 26}), ("meta_minipack2", {25}), ("meta_minipack3", {45, 38})],
)
def test_profiles_follow_from_speed_and_medium(model: str, profiles: set[int]) -> None:
    ports = fabric.agent(fabric.switches(model)["leaf-u001-r0"])["ports"]
    assert {port["profileID"] for port in ports if port["state"] == 2} == profiles


def test_ports_are_in_front_panel_order_with_their_own_numbers() -> None:
    ports = fabric.agent(fabric.switches("meta_minipack3")["leaf-u001-r0"])["ports"]
    by_name = {port["name"]: port["logicalID"] for port in ports}
    assert (by_name["eth1/1/1"], by_name["eth1/1/5"], by_name["eth1/2/1"], by_name["eth1/65/1"]) == (9, 10, 1, 351)
    cages = [int(port["name"].split("/")[1]) for port in ports]
    assert cages == sorted(cages)


def test_pool_is_that_of_one_memory() -> None:
    pool = fabric.agent(fabric.switches("meta_minipack3")["leaf-u001-r0"])["bufferPoolConfigs"]
    assert pool == {"ingress_lossless_pool": {"sharedBytes": 281188 * 254, "headroomBytes": 36720 * 254}}


def test_nothing_pauses_under_ecn_only() -> None:
    switch = fabric.agent(fabric.switches("meta_minipack3", "ecn_only")["leaf-u001-r0"])
    assert "portPgConfigs" not in switch
    assert not any("pfc" in port for port in switch["ports"])
    queues = next(iter(switch["portQueueConfigs"].values()))
    assert [row["id"] for row in queues if "aqms" in row] == [3]


def test_nothing_marks_under_pfc_only() -> None:
    switch = fabric.agent(fabric.switches("meta_minipack3", "pfc_only")["leaf-u001-r0"])
    assert not any("aqms" in row for rows in switch["portQueueConfigs"].values() for row in rows)
    assert all("pfc" in port for port in switch["ports"] if port["state"] == 2)


def test_a_drained_switch_says_so_in_both_files_and_to_its_neighbours() -> None:
    device = fabric.switches("meta_minipack3")["spine-04"]
    assert fabric.agent(device)["config_version"].endswith("drained: optics are being replaced")
    config = fabric.bgp(device)
    assert config["drain_state"] == 1
    said = next(row for row in config["policies"]["bgp_policy_statements"] if row["name"] == "LOWER_OUT")
    actions = said["policy_entries"][-1]["policy_action_entries"]
    assert actions[0]["community_action"]["communities"] == ["65535:0"]
    other = fabric.bgp(fabric.switches("meta_minipack3")["spine-01"])
    assert other["drain_state"] == 0
    assert "65535:0" not in str(next(s for s in other["policies"]["bgp_policy_statements"] if s["name"] == "LOWER_OUT"))


@pytest.mark.parametrize(("model", "number"), [("meta_icecube800bc", 18), ("meta_minipack3n", 17)])
def test_a_board_without_published_pools_names_its_asic(model: str, number: int) -> None:
    """AsicType of facebook/fboss, switch_config.thrift: TOMAHAWK6 18, CHENAB 17; 0 is none, and no agent starts."""
    switch = fabric.agent(fabric.switches(model, "pfc_only")["leaf-u001-r0"])
    assert switch["switchSettings"]["switchIdToSwitchInfo"]["0"]["asicType"] == number


def test_manifest_lists_the_numbered_asics() -> None:
    spec = load_platforms({"fboss": ()}, "switch", Bag())["fboss"]
    assert set(spec.switch.numbered_asics) == set(ASICS)


def test_one_width_for_good_whatever_the_plan() -> None:
    """A running agent refuses another width: ValidateStateUpdate.cpp, isEcmpWidthUpdateValid, of facebook/fboss."""
    found = {(8, False): 64, (64, False): 64, (65, False): 128, (65, True): 65, (200, False): 256}
    routing = fabric.switches("meta_minipack3")["leaf-u001-r0"].cls.routing
    for (paths, stated), width in found.items():
        assert ecmp_width(replace(routing, max_paths=paths, paths_stated=stated)) == width
    config = json.loads(fabric.render(fabric.switches("meta_minipack3")["leaf-u001-r0"])[fabric.AGENT])
    flags, settings = config["defaultCommandLineArgs"], config["sw"]["switchSettings"]
    assert (flags["ecmp_width"], flags["multi_switch"], settings["ecmpWidth"]) == ("64", "true", 64)
