"""agent.conf and bgpcpp.conf of the three boards: judged as a whole, and what each table decides."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import fboss_devices as fabric
import pytest

NAMES = ("leaf-u001-r0", "spine-01", "spine-04")


@pytest.mark.sampled(3, of="model,mode")
@pytest.mark.parametrize("mode", ["dcqcn", "pfc_only", "ecn_only"])
@pytest.mark.parametrize("model", fabric.BOARDS)
def test_judge_finds_nothing(model: str, mode: str, tmp_path: Path) -> None:
    for name in NAMES:
        found = fabric.findings(fabric.switches(model, mode)[name], tmp_path)
        if found is None:
            pytest.skip(f"{fabric.CHECKER} is not in the folder that FABRICGEN_JUDGES names")
        assert found == [], name


@pytest.mark.parametrize("word", ["flowlet", "per_packet"])
def test_judge_finds_nothing_about_dynamic_balancing(word: str, tmp_path: Path) -> None:
    device = fabric.with_balancing(fabric.switches("meta_minipack3")["leaf-u001-r0"], word)
    found = fabric.findings(device, tmp_path)
    if found is None:
        pytest.skip(f"{fabric.CHECKER} is not in the folder that FABRICGEN_JUDGES names")
    assert found == []


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


def test_headroom_makes_a_group_lossless_and_its_name_tells_the_side() -> None:
    switch = fabric.agent(fabric.switches("meta_wedge400")["leaf-u001-r0"])
    configs = switch["portPgConfigs"]
    assert {name.partition("_")[0] for name in configs} == {"uplink", "downlink"}
    for name, cells in (("uplink", 1668), ("downlink", 1156)):
        rows = next(rows for key, rows in configs.items() if key.startswith(name))
        assert {row["id"]: row["headroomLimitBytes"] for row in rows} == {0: 0, 3: cells * 254}


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


def test_who_hears_a_graceful_shutdown_uses_the_route_last() -> None:
    config = fabric.bgp(fabric.switches("meta_minipack3")["leaf-u001-r0"])
    heard = next(row for row in config["policies"]["bgp_policy_statements"] if row["name"] == "UPPER_IN")
    first = heard["policy_entries"][0]
    assert first["policy_match_entries"]["match_entries"][0]["communities_filter"]["communities"] == ["65535:0"]
    assert first["policy_action_entries"][0]["set_local_pref"]["local_pref"] == 0
    assert first["policy_action_entries"][-1] == {"type": 5}


def test_tiers_have_seeds_of_their_own() -> None:
    found = fabric.switches("meta_minipack3")
    seeds = [fabric.agent(found[name])["loadBalancers"][0]["seed"] for name in ("leaf-u001-r0", "spine-01")]
    assert len(set(seeds)) == 2


def test_expected_neighbours_have_a_port_only_where_it_is_called_the_same() -> None:
    ports = fabric.agent(fabric.switches("meta_minipack3")["leaf-u001-r0"])["ports"]
    expected = {port["expectedLLDPValues"]["5"]: port["expectedLLDPValues"] for port in ports if port["state"] == 2}
    assert set(expected["spine-01"]) == {"5", "2"}
    assert set(expected["gpu-u001-h01"]) == {"5"}


def test_samples_go_to_the_collector_by_one_mirror() -> None:
    device = fabric.switches("meta_minipack3")["leaf-u001-r0"]
    assert "mirrors" not in fabric.agent(device)
    services = replace(device.cls.services, sflow_collector="192.0.2.10", sflow_rate=50000)
    device = replace(device, cls=replace(device.cls, services=services))
    switch = fabric.agent(device)
    (mirror,) = switch["mirrors"]
    assert mirror["destination"]["tunnel"]["sflowTunnel"]["ip"] == "192.0.2.10"
    assert mirror["destination"]["tunnel"]["srcIp"] == device.loopback
    sampled = {(p["sFlowIngressRate"], p["ingressMirror"], p["sampleDest"]) for p in switch["ports"] if p["state"] == 2}
    assert sampled == {(50000, "sflow", 1)}


def test_judge_finds_nothing_about_samples(tmp_path: Path) -> None:
    device = fabric.switches("meta_minipack3")["leaf-u001-r0"]
    services = replace(device.cls.services, sflow_collector="192.0.2.10", sflow_rate=50000)
    found = fabric.findings(replace(device, cls=replace(device.cls, services=services)), tmp_path)
    if found is None:
        pytest.skip(f"{fabric.CHECKER} is not in the folder that FABRICGEN_JUDGES names")
    assert found == []


def test_a_drained_link_has_policies_of_its_own_session(tmp_path: Path) -> None:
    device = fabric.switches("meta_minipack3")["leaf-u001-r0"]
    first = next(port for port in device.ports if port.peer_asn)
    ports = [replace(port, drained=port is first) for port in device.ports]
    device = replace(device, ports=ports)
    config = fabric.bgp(device)
    named = {peer["peer_addr"]: peer.get("egress_policy_name") for peer in config["peers"]}
    assert named[first.peer_address] == "UPPER_OUT_DRAINED"
    assert [name for address, name in named.items() if address != first.peer_address] == [None] * (len(named) - 1)
    policies = {row["name"]: row["policy_entries"] for row in config["policies"]["bgp_policy_statements"]}
    assert set(policies) == {"UPPER_IN", "UPPER_OUT", "UPPER_IN_DRAINED", "UPPER_OUT_DRAINED"}
    demoted = policies["UPPER_IN_DRAINED"][0]["policy_action_entries"][0]
    assert demoted["set_local_pref"]["local_pref"] == 0
    assert "65535:0" in str(policies["UPPER_OUT_DRAINED"])
    assert "65535:0" not in str(policies["UPPER_OUT"])
    assert fabric.findings(device, tmp_path) in ([], None)


def test_the_cpu_is_guarded_as_in_the_current_samples() -> None:
    """facebook/fboss 14ec47ec, oss/link_test_configs/montblanc.materialized_JSON."""
    found = fabric.agent(next(iter(fabric.switches("meta_minipack3").values())))
    assert [(queue["id"], queue["scheduling"]) for queue in found["cpuQueues"]] == [(9, 1), (2, 1), (1, 1), (0, 1)]
    assert not any("weight" in queue for queue in found["cpuQueues"]), "a strict queue has none"
    entries = found["aclTableGroups"][0]["aclTables"][0]["aclEntries"]
    named = {entry["name"]: entry for entry in entries}
    queues = {row["matcher"]: row["action"] for row in found["cpuTrafficPolicy"]["trafficPolicy"]["matchToAction"]}
    assert list(queues) == [entry["name"] for entry in entries if entry["name"].startswith("cpuPolicing-")]
    for name, action in queues.items():
        wanted = {"CPU": None, "high": 9, "mid": 2}[name.split("-")[1]]
        assert action.get("userDefinedTrap", {}).get("queueId") == wanted
        assert (named[name].get("dscp") == 48) == (wanted == 9)
        assert ("srcPort" in named[name]) == (wanted is None)
