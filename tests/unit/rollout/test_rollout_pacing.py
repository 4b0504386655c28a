"""Soak, gate and failures of the intent: in the plan, in the runbook and in the playbook, with the same words."""

from __future__ import annotations

import json
from pathlib import Path

from rollout_site import edit_intent, rolled_out

from fabricgen.api import compile_inventory
from fabricgen.diagnostics import Bag
from fabricgen.plan.model.rollout import RolloutLimits
from tests.acceptance.run import INVENTORIES
from tests.rollouts import hitless_rollout
from tests.unit.lab.fabrics import plan_of


def test_plan_runbook_and_playbook_have_the_pace_of_the_intent(inventory: Path, deployed: Path, tmp_path: Path) -> None:
    edit_intent(inventory, more="rollout: {soak: 10m, gate: 'ask --wave {wave}', max_failures: 2, steps: [1]}\n")
    planned = rolled_out(inventory, deployed, tmp_path / "bundle")
    data = json.loads(planned.files["plan.json"])
    assert (data["soak_seconds"], data["gate"]) == (600, "ask --wave {wave}")
    assert {wave["max_failures"] for wave in data["waves"]} == {2}
    assert [len(wave["devices"]) for wave in data["waves"]] == [2, *[1] * (len(planned.rollout.devices) - 2)]
    told = " ".join(planned.files["runbook.md"].decode().split())
    assert (
        "After each wave, `{wave}` is its number: wait 10 minutes, then run: `ask --wave {wave}` in `ansible`;" in told
    )
    assert "In every wave go on past devices that failed and run as before, 2 of a wave at most" in told
    wave = planned.files["ansible/wave-00.yml"].decode()
    assert 'rollout_planned: {"soak_seconds": 600, "gate": "ask --wave {wave}", "max_failures": 2}' in wave


def test_nothing_is_said_of_a_pace_that_is_not_stated(inventory: Path, deployed: Path, tmp_path: Path) -> None:
    runbook = rolled_out(inventory, deployed, tmp_path / "bundle").files["runbook.md"].decode()
    assert "After each wave" not in runbook
    assert "past devices" not in runbook


def test_a_phase_that_another_one_rests_on_lets_no_device_fail() -> None:
    fabric = plan_of("quickstart")._replace(rollout=RolloutLimits(max_failures=3))
    waves = hitless_rollout(fabric, phases=2).waves
    assert {(wave.phase, wave.max_failures) for wave in waves} == {(0, 0), (1, 3)}


def test_a_stated_floor_refuses_no_emergency_drain(tmp_path: Path) -> None:
    """Of 16 spines 15 keep 15/16; with one of them drained, 14 of 15 would be less."""
    text = (INVENTORIES / "rail-1k/fabric.yaml").read_text()
    for number, (floor, drains) in enumerate({"15/16": 1, "1": 0}.items()):
        folder = tmp_path / str(number)
        folder.mkdir()
        drained = "\nexceptions: [{device: spine-02, state: drained, reason: optics}]" * drains
        (folder / "fabric.yaml").write_text(f"{text}\nrollout: {{floor: {floor}}}{drained}\n")
        bag = Bag()
        compile_inventory(folder, (), bag)
        assert ("FG-ROL-001" in {each.code for each in bag}) is (floor == "1")
