"""Predictions of a rehearsed wave, and its verdict; nothing is booted here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import pytest
import typer

from fabricgen.analysis.outage.leaf_pairs import LeafPairs
from fabricgen.analysis.outage.surviving import Surviving
from fabricgen.cli.lab_rehearse import _conclude
from fabricgen.diagnostics import Bag
from fabricgen.lab.lifecycle.boot import list_lines
from fabricgen.lab.model.blueprint import Blueprint, LabNode
from fabricgen.lab.rehearsal import draft as drafting
from fabricgen.lab.rehearsal.bandwidth import Bandwidths
from fabricgen.lab.rehearsal.changes import LabChange
from fabricgen.lab.rehearsal.crossing import Crossing
from fabricgen.lab.rehearsal.draft import DeployedRouting, find_or_draft
from fabricgen.lab.rehearsal.judge import RehearsalLimits, WaveJudge
from fabricgen.lab.rehearsal.loss import Losses
from fabricgen.lab.rehearsal.run import ELSEWHERE, Rehearsed, limits_of
from fabricgen.lab.rehearsal.stages import Course, RehearsalStage, plan_course
from fabricgen.lab.rehearsal.trial import Happened, Measured
from fabricgen.lab.rehearsal.verdict import WaveResult
from fabricgen.lab.stages import BootRequest
from fabricgen.lab.verify.observe import Routes
from fabricgen.lab.verify.predict import FailedParts, predict
from fabricgen.lab.verify.reach import list_endpoints, pairs_of_leafs
from fabricgen.lab.verify.traffic import NO_PROBES, PacketLoss
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.rollout.bundle import PlannedWave
from tests.sampling import FRESH, sampled
from tests.unit.lab.fabrics import compiled, draft, lab_of, plan_of


def change(node: LabNode, disruption: str = "drain", *, drains: bool = True) -> LabChange:
    """A device that goes out and comes back as it was."""
    return LabChange(node, node, disruption, "", (), own=False, drains=drains)


def course_of(name: str, *devices: str, drains: bool = True) -> Course:
    """A wave that takes devices of a fabric out."""
    blueprint = lab_of(name)
    changes = [change(blueprint.node(device)) for device in devices]
    return plan_course(0, blueprint, changes, 0.0, drains=drains)


def wave_of(bandwidth: float) -> PlannedWave:
    """A wave as a bundle has it, without what the verdict does not read."""
    return PlannedWave(0, 0, "drain", "", bandwidth, (), (), ())


def went(
    course: Course, lost: Mapping[RehearsalStage, int] | None = None, tables: Mapping[str, Routes] | None = None
) -> Measured:
    """The wave as predicted, but for lost probes and the tables while it is out."""
    stages = []
    for each in course.stages:
        loss = PacketLoss(2000, (lost or {}).get(each.stage, 0), 1, 0.01)
        found = tables if tables is not None and each.stage is RehearsalStage.out else each.expected.interfaces
        stages.append(Happened(each, 0.0, 0.1, found, (), {}, PacketLoss(200, loss.lost, 1, 0.01), loss))
    pairs = tuple(pairs_of_leafs(list_endpoints(course.before)).values())
    return Measured(NO_PROBES, tuple(stages), "", pairs)


def judge(
    monkeypatch: pytest.MonkeyPatch, course: Course, measured: Measured, *, floor: str = "1/2", said: float = 0.5
) -> WaveResult:
    """The verdict, where all sessions are up."""
    monkeypatch.setattr("fabricgen.lab.rehearsal.judge.check_established", lambda *_: [])
    limits = RehearsalLimits(Fraction(floor), holds=True, whole=True)
    return WaveJudge(wave_of(said), course, measured, limits).judge(0.0)


@pytest.mark.sampled(0, of="name", always=("quickstart", "irregular"))
@pytest.mark.parametrize("name", ["quickstart", "rail-1k", "dual-plane", "irregular"])
def test_bandwidth_read_off_next_hops_is_what_waves_are_planned_with(name: str) -> None:
    """One climbs classes of a plan, the other follows the next hops that a walk over the lab's cables predicts."""
    plan = plan_of(name)
    blueprint, model = draft(plan, name), LeafPairs(plan)
    whole = predict(blueprint).interfaces
    found = Bandwidths(blueprint, whole)
    spines = [device for device in plan.switches() if device.tier]
    for number in range(3):
        out = sampled(spines, 1 + number, f"{FRESH} {name} {number}")
        names = frozenset(map(plan.device_name, out))
        nodes = [node for node in map(model.graph.node, out) if node is not None]
        expected, _ = Surviving(model, nodes).worst()
        assert found.worst(predict(blueprint, FailedParts(nodes=names)).interfaces, names).share == expected


def test_drained_spine_is_crossed_by_nothing_and_an_undrained_one_by_its_share() -> None:
    course = course_of("quickstart", "spine-01")
    pairs = list(pairs_of_leafs(list_endpoints(course.before)).values())
    drained = predict(course.before, FailedParts(drained=frozenset({"spine-01"})))
    assert Crossing(course.before, course.whole, {"spine-01"}).share(pairs) == pytest.approx(0.5)
    assert Crossing(course.before, drained, {"spine-01"}).share(pairs) == 0
    assert [each.stage.name for each in course.stages] == ["drain", "out", "change", "undrain"]
    assert Losses(course, pairs).share == 0
    bare = course_of("quickstart", "spine-01", drains=False)
    assert [each.stage for each in bare.stages] == [RehearsalStage.out, RehearsalStage.change]
    losses = Losses(bare, pairs)
    out, back = went(bare).stages
    # Half of the 200 probes that were sent meanwhile, and what chance adds to 512 flows.
    assert 100 < losses.most(out) < 130
    assert losses.most(back) == 0


def test_wave_as_predicted_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    course = course_of("quickstart", "spine-01")
    verdict = judge(monkeypatch, course, went(course))
    assert verdict.findings == ()
    line, row = verdict.to_line(), verdict.to_row()
    assert (line["bandwidth"], line["next hops left"]) == ("50.0%", "leaf up 8 of 16")
    assert (row["lost_most"], row["lost"], row["drained"]) == (0, 0, "spine-01")


def test_probe_that_a_drained_wave_loses_is_reported_and_one_that_an_undrained_loses_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    course = course_of("quickstart", "spine-01")
    (found,) = judge(monkeypatch, course, went(course, {RehearsalStage.out: 1})).findings
    assert (found.device, found.reason) == ("spine-01", "1 of 2000 probes were lost at stage out, predicted are none")
    bare = course_of("quickstart", "spine-01", drains=False)
    assert judge(monkeypatch, bare, went(bare, {RehearsalStage.out: 90})).findings == ()
    (found,) = judge(monkeypatch, bare, went(bare, {RehearsalStage.out: 500})).findings
    assert "500 of 2000 probes were lost" in found.reason


def test_wave_that_breaks_the_floor_is_named_with_the_pair_that_keeps_too_little(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    course = course_of("quickstart", "spine-01", "spine-02")
    verdict = judge(monkeypatch, course, went(course, {RehearsalStage.out: 2000}))
    floor, plan = verdict.findings
    assert floor.device == "spine-01, spine-02"
    assert floor.reason == "the leafs keep 0.0% of their bandwidth meanwhile, the floor is 50.0%"
    assert floor.link.count("leaf-u00") == 2
    assert plan.reason == "the plan has 50.0% of the bandwidth left, the lab's cabling 0.0%"


def test_wave_whose_own_plan_breaks_the_floor_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    course = course_of("quickstart", "leaf-u001-r0")
    found = judge(monkeypatch, course, went(course), said=0.25).findings
    assert found[0].reason == "the plan has 25.0% of the bandwidth left, the floor is 50.0%"


def test_narrower_choice_in_the_kernel_is_a_difference_in_width_and_bandwidth(monkeypatch: pytest.MonkeyPatch) -> None:
    course = course_of("quickstart", "spine-01")
    out = next(each for each in course.stages if each.stage is RehearsalStage.out).expected.interfaces
    tables: dict[str, Routes] = {name: dict(table) for name, table in out.items()}
    leaf, other = (course.before.node(name) for name in ("leaf-u001-r0", "leaf-u002-r4"))
    for prefix in other.prefixes:
        tables[leaf.name][prefix] = frozenset(sorted(tables[leaf.name][prefix])[1:])
    reasons = [found.reason for found in judge(monkeypatch, course, went(course, tables=tables)).findings]
    assert reasons == [
        "the leafs keep 43.8% of their bandwidth meanwhile, the floor is 50.0%",
        "bandwidth: measured 43.8%, predicted 50.0%",
        "next hops left: measured leaf up 7 of 16, predicted leaf up 8 of 16",
    ]


def test_cut_of_spines_leaves_the_floor_to_the_plan() -> None:
    class Floor:
        floor = 0.5

    class Bundle:
        rollout = Floor()

    plan = plan_of("rail-1k")
    asked = {cut: limits_of(Bundle(), plan, cut) for cut in ("", "hosts_per_unit=1", "units=2", "spines=4")}  # type: ignore[arg-type]
    assert {cut: (each.holds, each.whole) for cut, each in asked.items()} == {
        "": (True, True),
        "hosts_per_unit=1": (True, True),
        "units=2": (True, False),
        "spines=4": (False, False),
    }


def test_kernel_is_changed_where_the_configuration_differs_and_nowhere_else() -> None:
    host = lab_of("quickstart").hosts[0]
    first, *others = host.interfaces
    end = replace(first, mtu_bytes=1500, addresses=("192.0.2.1/31",))
    after = replace(host, interfaces=(end, *others), commands=(*host.commands[1:], "route add 198.51.100.0/24 dev lo"))
    lines = list(list_lines(host, after))
    assert lines == [
        host.commands[0].replace(" add ", " del "),
        f"link set {first.name} mtu 1500",
        *(f"address del {address} dev {first.name}" for address in first.addresses),
        f"address add 192.0.2.1/31 dev {first.name}",
        "route add 198.51.100.0/24 dev lo",
    ]
    assert list(list_lines(host, host)) == []


def run_draft(routing: DeployedRouting | None, bag: Bag) -> Blueprint | None:
    """The lab of a deployed quickstart."""
    found = compiled("quickstart")
    plan: FabricPlan = plan_of("quickstart")
    drafted = find_or_draft(plan, found.platforms or {}, BootRequest("test-rehearsal", "none"), routing, bag)
    return drafted.blueprint if drafted else None


def test_side_that_is_no_inventory_gives_its_routing_configurations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafting.state, "load", lambda _: None)
    text = b"frr defaults datacenter\nhostname spine-01\n"
    bag = Bag()
    blueprint = run_draft(DeployedRouting({"spine-01": text}, frozenset({"spine-01"})), bag)
    assert blueprint.node("spine-01").config.startswith("frr defaults datacenter\n")
    assert "router bgp" not in blueprint.node("spine-01").config
    assert "router bgp" in blueprint.node("spine-02").config


def test_changed_switch_without_a_routing_configuration_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafting.state, "load", lambda _: None)
    bag = Bag()
    assert run_draft(DeployedRouting({}, frozenset({"spine-01"})), bag) is None
    (found,) = bag
    assert (found.code, "spine-01" in found.message, "spine-02" in found.message) == ("FG-LAB-047", True, False)


def test_lab_of_something_else_that_runs_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    other = draft(plan_of("dual-plane"), "dual-plane")
    monkeypatch.setattr(drafting.state, "load", lambda _: other)
    bag = Bag()
    assert run_draft(None, bag) is None
    assert [item.code for item in bag] == ["FG-LAB-044"]


def test_rollout_that_has_no_device_in_the_lab_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit):
        _conclude(Rehearsed([WaveResult(wave_of(1.0), note=ELSEWHERE)], []), "small", drains=True)
    said = capsys.readouterr().err
    assert "FG-LAB-048" in said
    assert "0 of 1 waves rehearsed" in said
