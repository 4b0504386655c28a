"""A bundle carried out by ansible-playbook on emulated switches over SSH: dry runs, waves, a check that fails."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.acceptance.laboratory import real as real
from tests.acceptance.playbook_site import running_eos
from tests.acceptance.run import INVENTORIES, REPOSITORY, render_here, run
from tests.command_line import write_program
from tests.emulated import eos_switch, sonic_commands, sonic_switch
from tests.emulated.ansible import play
from tests.emulated.answers import ANSWERS, write_answers
from tests.emulated.machine import Machine, make_key, put_commands, running
from tests.unit.lab.fabrics import plan_of
from tests.unit.state.bench import Bench, healthy

PLATFORMS = {"quickstart": "sonic", "dual-tor": "eos"}
SPINES = ("spine-01", "spine-02")
CHANGE = "\nlossless: {ecn: {kmin_bytes: 1000000, kmax_bytes: 2000000, pmax_pct: 20}}\n"
CONFIG_DB, STARTUP = "etc/sonic/config_db.json", "mnt/flash/startup-config"
EACH = pytest.mark.parametrize("inventory", ["quickstart", "dual-tor"])
"""SONiC switches and EOS switches."""
pytestmark = pytest.mark.nightly
QUICK = ("-e", "rollout_retries=1", "-e", "rollout_delay=0", "-e", "rollout_settle_seconds=0")


@dataclass(frozen=True)
class Site:
    """A fabric as it is deployed, the bundle of a change to its spines, and the switches."""

    folder: Path
    machines: tuple[Machine, ...]

    @property
    def bundle(self) -> Path:
        return self.folder / "bundle"

    @property
    def states(self) -> tuple[Path, ...]:
        return tuple(machine.folder / "state" for machine in self.machines)

    def play(self, *words: str) -> str:
        """Run a playbook with fabricgen at hand, and return what it printed; its exit status comes first."""
        words = (*words, "-e", f"rollout_fabricgen={write_program(self.folder)}")
        done = play(self.bundle, self.machines, words, self.folder)
        return f"{done.returncode}\n{done.stdout}{done.stderr}"


def plan_change(folder: Path, inventory: str) -> None:
    """Render a fabric, change its intent, and plan the rollout to the spines."""
    shutil.copytree(INVENTORIES / inventory, folder / "fabric")
    assert render_here(folder / "fabric", folder / "deployed") == []
    intent = folder / "fabric/fabric.yaml"
    intent.write_text(intent.read_text() + CHANGE)
    sides = [str(folder / "fabric"), str(folder / "deployed")]
    run("rollout", *sides, "-o", str(folder / "bundle"), "--only", "spine-*").exits(3)


def deployed(folder: Path, device: str) -> Path:
    return folder / "deployed/switches" / device


@contextmanager
def site(folder: Path, inventory: str, fault: str = "") -> Iterator[Site]:
    """Run the spines of a fabric as emulated switches for as long as the block lasts."""
    plan_change(folder, inventory)
    key = make_key(folder, "key")
    common = {"PYTHONPATH": str(REPOSITORY), "EMULATED_FAULT": fault}
    commands = put_commands(folder / "bin", sonic_commands.NAMES, [sys.executable, "-m", sonic_commands.__name__])
    with ExitStack() as stack:
        machines = []
        for number, name in enumerate(SPINES, 1):
            home = folder / name
            home.mkdir()
            env = {**common, "EMULATED_STATE": str(home / "state"), ANSWERS: str(home / "answers")}
            write_answers(home / "answers", PLATFORMS[inventory], *benches(inventory, name, fault))
            if (deployed(folder, name) / CONFIG_DB).exists():
                config = json.loads((deployed(folder, name) / CONFIG_DB).read_text())
                sonic_switch.install(home / "state", config)
                machine = stack.enter_context(running(name, number, home, key, commands=commands, env=env))
                shutil.copytree(deployed(folder, name) / "etc/sonic", machine.path("etc/sonic"), dirs_exist_ok=True)
            else:
                text = (deployed(folder, name) / STARTUP).read_text()
                switch = running_eos(folder, name, number, key, running=text, startup=text, fault=fault)
                machine = stack.enter_context(switch)
            machines.append(machine)
        yield Site(folder, tuple(machines))


def benches(inventory: str, name: str, fault: str) -> tuple[Bench, Bench]:
    """Return a spine before its change and after it."""
    plan = plan_of(inventory)
    before, after = healthy(plan, name), healthy(plan, name)
    if fault == "cables":
        after.neighbors.pop(next(iter(after.neighbors)))
    if fault == "sessions":
        after.sessions = {neighbor: (asn, "Idle", count) for neighbor, (asn, _, count) in after.sessions.items()}
    return before, after


def running_config(state: Path, inventory: str) -> str:
    """Return what a switch runs."""
    sonic = inventory == "quickstart"
    return json.dumps(sonic_switch.load(state).model.config) if sonic else eos_switch.load(state).running


def saved_config(machine: Machine, inventory: str) -> str:
    """Return what a switch would start with."""
    sonic = inventory == "quickstart"
    return machine.path(CONFIG_DB).read_text() if sonic else eos_switch.load(machine.folder / "state").startup


def log_of(state: Path, inventory: str) -> list[str]:
    return (sonic_switch if inventory == "quickstart" else eos_switch).load(state).log


def differences(folder: Path, configs: dict[str, str], inventory: str) -> int:
    """Return the exit status of ``diff`` between the intent and what switches run."""
    collected = folder / "collected"
    shutil.rmtree(collected, ignore_errors=True)
    for name, text in configs.items():
        shutil.copytree(deployed(folder, name), collected / "switches" / name)
        (collected / "switches" / name / (CONFIG_DB if inventory == "quickstart" else STARTUP)).write_text(text)
    return run("diff", str(folder / "fabric"), str(collected), "--only", "spine-*").returncode


@EACH
def test_waves_are_tried_and_then_carried_out(tmp_path: Path, inventory: str) -> None:
    with site(tmp_path, inventory) as spines:
        before = [running_config(state, inventory) for state in spines.states]
        tried = spines.play("site.yml", "--check")
        assert tried.startswith("0\n"), tried
        assert [running_config(state, inventory) for state in spines.states] == before
        word = "--dry-run" if inventory == "quickstart" else "show session-config diffs"
        assert all(any(word in line for line in log_of(state, inventory)) for state in spines.states)
        done = spines.play("site.yml", *QUICK)
        assert done.startswith("0\n"), done
        pairs = zip(spines.machines, spines.states, strict=True)
        after = {machine.name: running_config(state, inventory) for machine, state in pairs}
        assert list(after.values()) != before
        assert differences(tmp_path, after, inventory) == 0
        kept = {machine.name: saved_config(machine, inventory) for machine in spines.machines}
        assert differences(tmp_path, kept, inventory) == 0


@EACH
@pytest.mark.parametrize(("fault", "subject"), [("sessions", "sessions"), ("cables", "readings")])
def test_what_is_lost_stops_and_rolls_back(tmp_path: Path, inventory: str, fault: str, subject: str) -> None:
    with site(tmp_path, inventory, fault=fault) as spines:
        before = [running_config(state, inventory) for state in spines.states]
        done = spines.play("site.yml", *QUICK, "-e", "rollout_serial=1")
        assert done.startswith("2\n"), done
        assert f'"after: {subject}" failed, and the device was rolled back.' in done, done
        assert fault != "cables" or ("cables: " in done and "as planned" in done)
        first, second = spines.states
        assert changed_lines(first, inventory)
        assert not changed_lines(second, inventory)
        kept = {machine.name: saved_config(machine, inventory) for machine in spines.machines}
        assert [running_config(state, inventory) for state in spines.states] == before
        assert differences(tmp_path, kept, inventory) == 3


def changed_lines(state: Path, inventory: str) -> list[str]:
    begin = "config apply-patch" if inventory == "quickstart" else "commit timer"
    return [line for line in log_of(state, inventory) if line.startswith(begin) and "--dry-run" not in line]
