"""Addresses and AS numbers change over drained switches: both ends of a session agree in every state, or it is out."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from rollout_site import FLOOR, QUICKSTART, edit_intent, other_classes, plan_and_tell

from fabricgen.api import compile_inventory
from fabricgen.api.rollout import PlannedRollout
from fabricgen.device.model import Port, Switch
from fabricgen.device.transition import lower_plan
from fabricgen.diagnostics import Bag, Diagnostic
from fabricgen.plan.model.fabric import FabricPlan, Transition
from fabricgen.rollout.bundle import PlannedWave
from fabricgen.rollout.digests import digest_bytes
from fabricgen.rollout.passes import find_moving
from tests.acceptance.run import render_here

pytestmark = pytest.mark.sampled(2, of="")
LINKS = ("fabric_links: 10.0.0.0/12", "fabric_links: 10.64.0.0/12")
NUMBERS = (FLOOR, FLOOR + "routing: {asn: {base: 4200001000}}\n")
GPUS = ("gpus: 64", "gpus: 96")
SWAPPED = [("10.255.0.0/16", "POOL"), ("10.0.0.0/12", "10.255.0.0/16"), ("POOL", "10.0.0.0/16")]
DRAINED = "exceptions:\n  - {device: spine-02, state: drained, reason: optics}\n"
UNITS = ("units: {count: 2,", "units: {count: 3,")
LOOPBACKS = ("loopbacks: 10.255.0.0/16", "loopbacks: 10.254.0.0/16")


def change(folder: Path, *edits: tuple[str, str]) -> tuple[Path, Path]:
    """The quickstart, one of whose two spines may be out, and the same after some edits."""
    deployed = edit_intent(Path(shutil.copytree(QUICKSTART, folder / "deployed")), more=FLOOR)
    return deployed, edit_intent(Path(shutil.copytree(deployed, folder / "intended")), *edits)


def roll_out(deployed: Path, intended: Path, *overlays: str) -> tuple[PlannedRollout | None, list[Diagnostic]]:
    """The rollout between two inventories, and what is said of it."""
    return plan_and_tell(intended, deployed, intended.parent / "bundle", base="", overlays=overlays)


def steps_of(planned: PlannedRollout) -> dict[str, list[PlannedWave]]:
    """Waves by the step of their pass, the last word of a title."""
    found: dict[str, list[PlannedWave]] = {}
    for wave in planned.rollout.waves:
        found.setdefault(planned.rollout.phases[wave.phase].title.rpartition(": ")[2], []).append(wave)
    return found


@pytest.mark.parametrize("edit", [LINKS, NUMBERS], ids=["links", "numbers"])
@pytest.mark.parametrize("overlay", ["", "frr", "nvue", "eos"])
def test_neighbors_follow_while_the_changed_switches_are_drained(
    overlay: str, edit: tuple[str, str], tmp_path: Path
) -> None:
    planned, bag = roll_out(*change(tmp_path, edit), *filter(None, [overlay]))
    assert planned is not None, list(bag)
    steps = steps_of(planned)
    for wave in steps["change"]:
        for device in wave.devices:
            procedure = planned.rollout.procedure_of(device)
            assert procedure.drains, device.name
            # Maintenance mode of EOS ends, and its policies keep the switch drained.
            assert overlay == "eos" or "undrain" not in {step.phase for step in procedure.steps}, device.name
            moments = {check.when for check in procedure.checks}
            assert "drained" in moments
            assert "undrained" not in moments
            assert "sessions" not in {check.subject for check in procedure.checks}
            looks = [step.command for step in procedure.steps if step.phase == "verify"]
            assert not [command for command in looks if "bgp" in command or "bfd" in command], device.name
    assert {device.disruption for wave in steps["neighbors"] for device in wave.devices} == {"hitless"}
    for wave in steps["return"]:
        assert {device.name for device in wave.devices} <= {
            each.name for out in steps["change"] for each in out.devices
        }
        for device in wave.devices:
            subjects = {(check.when, check.subject) for check in planned.rollout.procedure_of(device).checks}
            assert {("undrained", "neighbors"), ("after", "sessions"), ("after", "next hops")} <= subjects
    out = {device.name for wave in steps["change"] for device in wave.devices}
    assert len(out) == (2 if edit is LINKS else 6)


def test_bandwidth_and_jobs_are_those_of_the_switches_that_are_out(tmp_path: Path) -> None:
    planned, _ = roll_out(*change(tmp_path, NUMBERS))
    assert {each.device for each in planned.rollout.stranded} == {
        f"leaf-u00{n}-r{rail}" for n in (1, 2) for rail in (0, 4)
    }
    out: dict[str, PlannedWave] = {}
    for wave in planned.rollout.waves:
        title = planned.rollout.phases[wave.phase].title
        number, _, step = title.partition(": ")
        first = out.setdefault(number, wave)
        assert (wave.bandwidth, wave.hosts, wave.n_minus_1) == (first.bandwidth, first.hosts, first.n_minus_1), title
        assert step != "change" or wave.kind == "drain"


def test_first_wave_has_one_device_of_each_tier(tmp_path: Path) -> None:
    planned, _ = roll_out(*change(tmp_path, NUMBERS))
    assert [device.tier for device in planned.rollout.waves[0].devices] == ["spine", "leaf"]


def test_files_end_as_intended(tmp_path: Path) -> None:
    deployed, intended = change(tmp_path, LINKS)
    planned, _ = roll_out(deployed, intended)
    assert render_here(intended, tmp_path / "tree") == []
    last = {(device.kind, device.name, file.path): file for device in planned.rollout.devices for file in device.files}
    for (kind, name, path), file in last.items():
        assert file.after.sha256 == digest_bytes((tmp_path / "tree" / kind / name / path).read_bytes())


@pytest.mark.parametrize(
    ("edits", "overlays", "words"),
    [
        pytest.param([(FLOOR, FLOOR + "routing: {asn: {base: 4200000001}}\n")], (), "rejects the routes", id="moved"),
        pytest.param([LINKS], ("mixed-fboss",), "of its neighbors, here spine-01, at start", id="read at start"),
        pytest.param([("host_links: 172.16.0.0/12", "host_links: 172.32.0.0/12")], (), "hosts get other", id="hosts"),
        pytest.param([LINKS, UNITS, GPUS], (), "together with switches", id="growth"),
        pytest.param([LINKS, (FLOOR, FLOOR + DRAINED)], (), "together with what is drained", id="drained"),
        pytest.param([LINKS, (FLOOR, FLOOR + other_classes())], (), "marks or MTU", id="classes"),
        pytest.param([(LINKS[0], "fabric_links: unnumbered")], (), "links get or lose addresses", id="unnumbered"),
        pytest.param(SWAPPED, (), "takes the address of another", id="moved address"),
    ],
)
def test_what_no_pass_carries_is_refused(
    edits: list[tuple[str, str]], overlays: tuple[str, ...], words: str, tmp_path: Path
) -> None:
    planned, bag = roll_out(*change(tmp_path, *edits), *overlays)
    assert planned is None
    refused = [item for item in bag if item.code == "FG-ROL-060"]
    assert [words in item.message for item in refused] == [True], list(bag)
    assert refused[0].hint


@pytest.mark.parametrize("edit", [LINKS, NUMBERS], ids=["links", "numbers"])
def test_deployed_intent_has_to_be_known(edit: tuple[str, str], tmp_path: Path) -> None:
    deployed, intended = change(tmp_path, edit)
    assert render_here(deployed, tmp_path / "tree") == []
    planned, bag = roll_out(tmp_path / "tree", intended)
    assert planned is None
    assert "FG-ROL-064" in {item.code for item in bag}


def sides(folder: Path, *edits: tuple[str, str]) -> tuple[FabricPlan, FabricPlan]:
    former, plan = (compile_inventory(path, (), Bag()).plan for path in change(folder, *edits))
    return former, plan


def ends(switches: dict[str, Switch]) -> Iterator[tuple[Switch, Port, Switch, Port]]:
    for switch in switches.values():
        for port in (port for port in switch.ports if port.peer in switches):
            other, there = switches[port.peer], (switch.hostname, port.shape.name)
            yield switch, port, other, next(end for end in other.ports if (end.peer, end.peer_port) == there)


@pytest.mark.parametrize("edit", [LINKS, NUMBERS, LOOPBACKS], ids=["links", "numbers", "loopbacks"])
def test_both_ends_agree_whoever_has_passed(edit: tuple[str, str], tmp_path: Path) -> None:
    former, plan = sides(tmp_path, edit)
    assert find_moving(former, plan, ())
    chance = random.Random(7)
    for _ in range(3):
        passed = frozenset(device for device in plan.switches() if chance.random() < 0.5)
        lowering = lower_plan(plan._replace(transition=Transition(former, passed)))
        switches = {plan.device_name(device): lowering.lower_switch(device) for device in plan.switches()}
        for switch, port, other, back in ends(switches):
            assert (port.address, port.peer_asn) == (back.peer_address, other.asn), (switch.hostname, port.peer)
        for device, switch in zip(plan.switches(), switches.values(), strict=True):
            side = plan if device in passed else former
            assert switch.asn == side.asn_of(device)


def test_nothing_has_to_pass_where_nothing_is_renumbered(tmp_path: Path) -> None:
    former, plan = sides(tmp_path, UNITS, GPUS)
    assert find_moving(former, plan, ()) == ()
