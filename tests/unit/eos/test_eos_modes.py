"""startup-config under other contracts and on other boxes: what must appear does, what must not is gone."""

from __future__ import annotations

import re

import pytest

from tests.judges.avd.__main__ import findings
from tests.unit.conformance_files import startup_configs, traced_lines

LEAF, SPINE, CORE, DRAINED = "leaf-p1-u01-r0", "spine-p01-01", "core-01", "spine-p02-02"
REASON = ("lossless", "reason")
MODE = ("lossless", "mode")


@pytest.fixture(scope="module")
def configs() -> dict[str, str]:
    return startup_configs()


def test_pfc_alone_marks_nothing() -> None:
    changes = {MODE: "pfc_only", REASON: "paced by the receiver"}
    text = startup_configs(changes, without=(("lossless", "ecn"), ("lossless", "dcqcn")))[LEAF]
    assert "random-detect" not in text
    assert "priority-flow-control priority 3 no-drop" in text


def test_ecn_alone_pauses_nothing() -> None:
    text = startup_configs({MODE: "ecn_only", REASON: "a lossy trial"})[LEAF]
    assert "priority-flow-control" not in text
    assert "random-detect ecn minimum-threshold 200000 bytes maximum-threshold 800000 bytes" in text


def test_a_port_guarantees_what_the_watchdog_needs_and_counts_marks(configs: dict[str, str]) -> None:
    """Lines of a port's queues, as show running-config all of a 7260CX3 has them: Batfish, arista_interface_*_3."""
    queue = "   uc-tx-queue {}\n      bandwidth guaranteed 100\n      random-detect ecn count\n"
    port = "   !\n".join(("", queue.format(3), queue.format(4))) + "vrf instance MGMT\n"
    assert configs[LEAF].count(port) == configs[LEAF].count("   service-profile ") > 0
    assert "random-detect ecn count" not in configs[LEAF].partition("\ninterface ")[0]


def test_watchdog_polls_twice_within_the_shorter_time_and_never_takes_the_port_down() -> None:
    dog = ("lossless", "watchdog")
    changes = {(*dog, "detection_ms"): 1000, (*dog, "restoration_ms"): 500, (*dog, "action"): "alert"}
    lines = startup_configs(changes)[LEAF].splitlines()
    found = [line.rpartition("watchdog ")[2] for line in lines if line.startswith("priority-flow-control pause")]
    assert found == [
        "default timeout 1.00",
        "default recovery-time 0.50",
        "default polling-interval 0.250",
        "action notify-only",
    ]


def test_a_drained_switch_says_so_to_all_and_all_listen(configs: dict[str, str]) -> None:
    drained, regular = configs[DRAINED], configs[SPINE]
    assert "! drained: optics are being replaced" in drained
    for route_map in ("UPPER_OUT permit 20", "LOWER_OUT permit 10"):
        block = drained.partition(f"route-map {route_map}\n")[2].partition("!")[0]
        assert "set community GSHUT additive" in block
    assert "set community GSHUT" not in regular


def test_jericho_has_other_queues_and_no_lanes() -> None:
    changes = {
        ("tiers", "core", "model"): "arista_7808r3",
        ("routing", "ecmp", "hash"): ["five_tuple"],
        ("lossless", "ecn"): {"kmin_bytes": 1000000, "kmax_bytes": 2000000, "pmax_pct": 5},
    }
    core = startup_configs(changes, without=(("expect",),))[CORE]
    assert re.search(r"^   tx-queue 3$", core, re.MULTILINE)
    assert "uc-tx-queue" not in core
    assert "\nhardware counter feature ecn out\n" in core
    assert "   tx-queue 4\n      random-detect ecn count\nvrf instance MGMT\n" in core
    assert "ip load-sharing" not in core, "nothing confirms a seed command of these boxes"
    assert "interface Ethernet3/1/1\n" in core
    assert "   speed " not in core
    assert findings(core) == []


def test_no_bfd_leaves_timers_and_sessions_without_it() -> None:
    assert "bfd" not in startup_configs({("routing", "bfd"): "off"})[SPINE]


def test_without_services_their_commands_are_gone() -> None:
    without = tuple(("operations", key) for key in ("ntp", "syslog", "dns", "snmp", "tacacs", "users"))
    text = startup_configs(without=without)[LEAF]
    for word in ("ntp ", "logging ", "name-server", "snmp-server", "tacacs", "username "):
        assert word not in text


def test_a_drained_link_is_a_last_resort_and_its_session_stays() -> None:
    links = [{"link": [LEAF, SPINE], "n": 1, "state": "drained", "reason": "a dirty connector"}]
    texts = startup_configs({("exceptions",): links}, without=(("expect",),))
    for name, group in ((LEAF, "UPPER"), (SPINE, "LOWER")):
        found = re.findall(rf"neighbor (\S+) route-map {group}_(?:IN|OUT)_DRAINED (in|out)", texts[name])
        assert sorted(way for _, way in found) == ["in", "out"]
        assert f"neighbor {found[0][0]} peer group {group}\n" in texts[name]
        assert findings(texts[name]) == []
    assert "_DRAINED" not in texts[CORE]


def test_route_maps_follow_the_place_of_the_switch_and_drained_ones_the_exception() -> None:
    links = [{"link": [LEAF, SPINE], "n": 1, "state": "drained", "reason": "a dirty connector"}]
    for name, group, place in ((LEAF, "UPPER", "has_upper"), (SPINE, "LOWER", "role")):
        lines = traced_lines({("exceptions",): links}, name)
        for way, word in (("IN", "in"), ("OUT", "out")):
            of_group = lines[f"neighbor {group} route-map {group}_{way} {word}"]
            assert {(read.owner, read.field) for read in of_group.direct} == {("SwitchClass", place)}
            (drained,) = [line for text, line in lines.items() if text.endswith(f" {group}_{way}_DRAINED {word}")]
            assert ("Port", "drained") in {(read.owner, read.field) for read in drained.direct}


def test_tiers_that_may_hash_alike_have_the_seed_of_the_leafs() -> None:
    off = {("routing", "ecmp", "decorrelate"): "off", ("tiers", "leaf", "ecmp", "decorrelate"): "off"}
    assert {*re.findall(r"(?m)^ip load-sharing trident (\d)$", "\n".join(startup_configs(off).values()))} == {"1"}
