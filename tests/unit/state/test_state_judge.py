"""Judgement of devices whose answers are emulated: nothing found on healthy ones, every planted fault found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabricgen.state.expected import Expectations
from fabricgen.state.findings import CHECKS, Outcome
from fabricgen.state.judge import Observed, judge
from tests.unit.lab.fabrics import plan_of
from tests.unit.state.answers import WRITERS
from tests.unit.state.devices import device, wrong
from tests.unit.state.faults import FAULTS, PLATFORMS, Fault, darken_laser, dim_lane, overheat


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("name", ["leaf-u001-r0", "spine-02"])
def test_nothing_is_found_on_a_healthy_switch(platform: str, name: str) -> None:
    found = device(platform, name)
    results = found.judge(found.bench)
    assert wrong(results) == {}
    made = {check for check, result in results.items() if result.outcome is Outcome.expected}
    states = set(WRITERS[platform])
    assert made == {check for check in results if states.intersection(CHECKS[check])}
    assert all(results[check].examined for check in made)


@pytest.mark.sampled(50, of="check,fault,platform")
@pytest.mark.parametrize(
    ("check", "fault", "platform"), [(check, fault, each) for check, fault, those in FAULTS for each in those]
)
def test_planted_fault_is_found_at_its_place_and_nowhere_else(check: str, fault: Fault, platform: str) -> None:
    before, found = device(platform), device(platform)
    place = fault(found.bench)
    results = wrong(found.judge(before.bench))
    assert list(results) == [check]
    assert {finding.at for finding in results[check].findings} == {place}


def test_alias_of_a_neighbor_s_port_is_as_good_as_its_name() -> None:
    found = device("sonic")
    for link in found.expected.links:
        alias = next(iter(link.peer_names - {link.peer_port}), link.peer_port)
        found.bench.neighbors[link.port] = (link.peer, alias)
    assert found.judge()["cables"].outcome is Outcome.expected


def test_one_collection_judges_no_counter_that_needs_two() -> None:
    results = device("sonic").judge()
    single = {check for check, result in results.items() if result.outcome is Outcome.single}
    assert single == {"errors", "fec", "drops"}


def test_weakest_lane_is_named_with_its_threshold() -> None:
    found = device("sonic")
    port = dim_lane(found.bench)
    found.bench.optics[port]["rx"][3] = -40.0
    link = next(link for link in found.expected.links if link.port == port)
    (finding,) = found.judge()["optics"].findings
    assert finding == (
        port,
        "receive power within its alarms",
        "below its low alarm",
        f"lane 4 -40.0 dBm, alarm -11.9 dBm, to {link.peer} {link.peer_port}",
    )


def test_dark_lanes_of_a_cage_with_an_uncabled_port_are_no_finding() -> None:
    found = device("sonic")
    port = darken_laser(found.bench)
    found.expected = replace(found.expected, shared_cages=frozenset([port]))
    assert wrong(found.judge()) == {}
    overheat(found.bench)
    assert wrong(found.judge()).keys() == {"optics"}


def test_port_of_a_cage_that_is_half_cabled_is_known() -> None:
    """The irregular fabric leaves single ports without a cable; eight lanes, two ports, make a cage there."""
    plan = plan_of("irregular")
    found = 0
    for switch in plan.switches():
        expected = Expectations(plan, counts_prefixes=False).switch(switch)
        cabled = {link.port for link in expected.links}
        dark = {_cage(port) for port in expected.ports - cabled}
        assert expected.shared_cages == {port for port in cabled if _cage(port) in dark}
        found += len(expected.shared_cages)
    assert found


def _cage(port: str) -> int:
    """The cage of a port that is named by the first of its lanes."""
    return int(port.removeprefix("Ethernet")) // 8


def test_idle_fabric_neither_pauses_nor_marks() -> None:
    before, busy = device("eos"), device("eos")
    port = next(iter(busy.bench.pauses))
    busy.bench.pauses[port][3] += 5
    busy.bench.marks[port][3] += 5
    assert wrong(busy.judge(before.bench)) == {}
    found = wrong(busy.judge(before.bench, idle=True))
    places = {check: {each.at for each in result.findings} for check, result in found.items()}
    assert places == {"pfc": {port}, "ecn": {port}}


def test_what_was_not_collected_is_said_and_passes_nothing() -> None:
    found = device("sonic")
    lacking = {"lldp": (Outcome.unreadable, "it is not JSON")}
    results = judge(found.expected, Observed({}, lacking))
    outcomes = {result.check: (result.outcome, result.reason) for result in results}
    assert outcomes.pop("cables") == (Outcome.unreadable, "it is not JSON")
    assert {outcome for outcome, _ in outcomes.values()} == {Outcome.missing}


def test_firmware_of_a_nic_may_answer_with_its_mac_address() -> None:
    found = device("sonic")
    port = next(iter(found.bench.neighbors))
    found.bench.neighbors[port] = ("", "00:50:56:AA:00:01")
    links = tuple(
        replace(link, peer_names=link.peer_names | {"00:50:56:aa:00:01"}) if link.port == port else link
        for link in found.expected.links
    )
    assert wrong(found.judge()).keys() == {"cables"}
    found.expected = replace(found.expected, links=links)
    assert wrong(found.judge()) == {}
