"""Judgement of devices whose answers are emulated: nothing found on healthy ones, every planted fault found."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.state.expected import Expectations, Expected
from fabricgen.state.findings import CHECKS, CheckResult, Outcome
from fabricgen.state.judge import Observed, judge
from tests.unit.lab.fabrics import plan_of
from tests.unit.state.answers import WRITERS
from tests.unit.state.bench import Bench, healthy
from tests.unit.state.faults import FAULTS, PLATFORMS, Fault, darken_laser, dim_lane, overheat
from tests.unit.state.readers import readers_of


def plan_on(platform: str) -> FabricPlan:
    """The quickstart with other software in the plan's words; ports keep the names of the catalog."""
    plan = plan_of("quickstart")
    return plan._replace(tiers=tuple(tier._replace(platform=platform) for tier in plan.tiers))


def observe(bench: Bench, platform: str) -> Observed:
    readers = readers_of(platform)
    return Observed({state: readers[state](write(bench).encode()) for state, write in WRITERS[platform].items()})


@dataclass
class Site:
    """One switch: what is expected of it, and a healthy one to spoil."""

    platform: str
    expected: Expected
    bench: Bench

    def judge(self, before: Bench | None = None, *, idle: bool = False) -> dict[str, CheckResult]:
        earlier = observe(before, self.platform) if before else None
        results = judge(self.expected, observe(self.bench, self.platform), earlier, idle=idle)
        return {result.check: result for result in results}


def site(platform: str, name: str = "leaf-u001-r0") -> Site:
    plan = plan_on(platform)
    expected = Expectations(plan).of(name)
    assert expected is not None
    return Site(platform, expected, healthy(plan, name))


def wrong(results: dict[str, CheckResult]) -> dict[str, CheckResult]:
    return {check: result for check, result in results.items() if result.findings}


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("name", ["leaf-u001-r0", "spine-02"])
def test_nothing_is_found_on_a_healthy_switch(platform: str, name: str) -> None:
    found = site(platform, name)
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
    before, found = site(platform), site(platform)
    place = fault(found.bench)
    results = wrong(found.judge(before.bench))
    assert list(results) == [check]
    assert {finding.at for finding in results[check].findings} == {place}


def test_alias_of_a_neighbor_s_port_is_as_good_as_its_name() -> None:
    found = site("sonic")
    for link in found.expected.links:
        alias = next(iter(link.peer_names - {link.peer_port}), link.peer_port)
        found.bench.neighbors[link.port] = (link.peer, alias)
    assert found.judge()["cables"].outcome is Outcome.expected


def test_one_collection_judges_no_counter_that_needs_two() -> None:
    results = site("sonic").judge()
    single = {check for check, result in results.items() if result.outcome is Outcome.single}
    assert single == {"errors", "fec", "drops"}


def test_weakest_lane_is_named_with_its_threshold() -> None:
    found = site("sonic")
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
    found = site("sonic")
    port = darken_laser(found.bench)
    found.expected = replace(found.expected, shared_cages=frozenset([port]))
    assert wrong(found.judge()) == {}
    overheat(found.bench)
    assert wrong(found.judge()).keys() == {"optics"}


def test_port_of_a_cage_that_is_half_cabled_is_known() -> None:
    """The irregular fabric leaves single ports without a cable; eight lanes, two ports, make a cage there."""
    plan = plan_of("irregular")
    found = 0
    for device in plan.switches():
        expected = Expectations(plan, counts_prefixes=False).switch(device)
        cabled = {link.port for link in expected.links}
        dark = {_cage(port) for port in expected.ports - cabled}
        assert expected.shared_cages == {port for port in cabled if _cage(port) in dark}
        found += len(expected.shared_cages)
    assert found


def _cage(port: str) -> int:
    """The cage of a port that is named by the first of its lanes."""
    return int(port.removeprefix("Ethernet")) // 8


def test_idle_fabric_neither_pauses_nor_marks() -> None:
    before, busy = site("eos"), site("eos")
    port = next(iter(busy.bench.pauses))
    busy.bench.pauses[port][3] += 5
    busy.bench.marks[port][3] += 5
    assert wrong(busy.judge(before.bench)) == {}
    found = wrong(busy.judge(before.bench, idle=True))
    assert {check: {each.at for each in result.findings} for check, result in found.items()} == {
        "pfc": {port},
        "ecn": {port},
    }


def test_what_was_not_collected_is_said_and_passes_nothing() -> None:
    found = site("sonic")
    lacking = {"lldp": (Outcome.unreadable, "it is not JSON")}
    results = judge(found.expected, Observed({}, lacking))
    outcomes = {result.check: (result.outcome, result.reason) for result in results}
    assert outcomes.pop("cables") == (Outcome.unreadable, "it is not JSON")
    assert {outcome for outcome, _ in outcomes.values()} == {Outcome.missing}


def test_firmware_of_a_nic_may_answer_with_its_mac_address() -> None:
    found = site("sonic")
    port = next(iter(found.bench.neighbors))
    found.bench.neighbors[port] = ("", "00:50:56:AA:00:01")
    links = tuple(
        replace(link, peer_names=link.peer_names | {"00:50:56:aa:00:01"}) if link.port == port else link
        for link in found.expected.links
    )
    assert wrong(found.judge()).keys() == {"cables"}
    found.expected = replace(found.expected, links=links)
    assert wrong(found.judge()) == {}
