"""A bundle of playbooks whose devices are folders of this machine, run by ansible-playbook."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir
from typing import Any, NamedTuple

from fabricgen.api.rollout_automation import read_tasks
from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.load import load_platforms
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.rollout.ansible import list_actions, write_files
from fabricgen.rollout.bundle import (
    SUMS,
    PlannedCheck,
    PlannedDevice,
    PlannedNeighbor,
    PlannedPlatform,
    PlannedProcedure,
    PlannedStep,
    PlannedWave,
    RolloutPlan,
)
from fabricgen.rollout.bundle_files import write_sums
from fabricgen.rollout.checks import Check
from fabricgen.rollout.expectation import DEVICE_FORMAT, DeviceExpectation, StateReading
from fabricgen.rollout.json_text import write_json
from fabricgen.state.expected import Expectations
from tests.acceptance.run import REPOSITORY
from tests.command_line import Done
from tests.emulated import eos_switch
from tests.emulated.ansible import find_ansible
from tests.emulated.answers import ANSWERS
from tests.emulated.machine import Machine, running
from tests.unit.lab.fabrics import plan_of
from tests.unit.state.answers import WRITERS
from tests.unit.state.bench import Bench
from tests.waiting import PATIENCE_S

SHELL = PlannedPlatform("sonic", "posix", neighbors=("peers",), state="state", established="Established")
EOS = PlannedPlatform("eos", "cli", "arista.eos.eos", "commit", "abort")
UP, DOWN = ({"peers": {"n": {"state": state}}} for state in ("Established", "Idle"))
NOBODY = "127.0.0.9"
"""Address at which nobody answers."""
INVENTORY = ("-i", "inventory.yml")
QUICK = {"rollout_retries": 1, "rollout_delay": 0, "rollout_settle_seconds": 0, "rollout_drain_seconds": 0}


def platforms() -> dict[str, PlatformSpec]:
    return load_platforms({"eos": ()}, "switch", Bag())


def step(phase: str, command: str, action: str = "run") -> PlannedStep:
    return PlannedStep(phase, action, command, "", "hitless", reason="do it" if action == "note" else "")  # type: ignore[arg-type]


def noted(name: str, word: str) -> str:
    """Return a command that notes that it was run on a device."""
    return f"echo {word} >> ../../../{name}.log"


@contextmanager
def running_eos(folder: Path, name: str, number: int, key: Path, **switch: str) -> Iterator[Machine]:
    """Run a switch with EOS in a new folder below one; its answers and its fault are those of the environment."""
    home = folder / name
    home.mkdir(exist_ok=True)
    env = {"PYTHONPATH": str(REPOSITORY), "EMULATED_STATE": str(home / "state")}
    env |= {"EMULATED_FAULT": switch.pop("fault", "")}
    env |= {ANSWERS: str(home / "answers")} if (home / "answers").exists() else {}
    eos_switch.save(home / "state", eos_switch.Switch(name, **{"running": f"hostname {name}\n", **switch}))
    shell = [sys.executable, "-m", "tests.emulated.eos_shell"]
    with running(name, number, home, key, env=env, shell=shell) as machine:
        yield machine


class SiteDevice(NamedTuple):
    """A device with a procedure of its own."""

    name: str
    steps: tuple[PlannedStep, ...]
    rollback: tuple[PlannedStep, ...]
    checks: tuple[Check, ...]
    platform: str = "sonic"
    address: str = ""
    moves_to: str = ""


class Site:
    """A bundle whose devices are folders of this machine, each with a log of what was done on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.waves: list[tuple[tuple[SiteDevice, ...], tuple[str, ...]]] = []
        self.judged: dict[str, DeviceExpectation] = {}
        self.connection = "local"
        self.remote: tuple[str, ...] = ()
        self.timeout_s = PATIENCE_S
        self.shell = SHELL
        self.gate, self.max_failures = "", 0

    def device(self, name: str, sessions: Any, *, drains: bool = False, change: str = "true") -> SiteDevice:
        steps = [step("back up", noted(name, "copied"))]
        steps += [step("drain", noted(name, "drained"))] if drains else []
        steps += [step("apply", noted(name, word)) for word in ("changed", "loaded")]
        steps += [step("apply", change), step("verify", "true", "look")]
        steps += [step("confirm", noted(name, "confirmed")), step("save", noted(name, "saved"))]
        back = [step("apply", noted(name, word)) for word in ("restored", "reloaded")]
        if name in self.judged:
            sessions = {"peers": {e.neighbor: sessions["peers"]["n"] for e in self.judged[name].expected.sessions}}
        check = PlannedCheck("after", "sessions", f"echo '{json.dumps(sessions)}'", "json", "up", {"planned": True})
        return SiteDevice(name, tuple(steps), tuple(back), (Check(check),))

    def wave(self, *devices: SiteDevice, hosts: tuple[str, ...] = ()) -> None:
        self.waves.append((devices, hosts))

    def play(self, *words: str, **variables: Any) -> Done:
        """Run all waves."""
        made, bundle = find_ansible(), self.folder / "bundle"
        rollout = self._plan()
        platforms_by_name = {each.name: each for each in rollout.platforms}
        files = write_files(rollout, read_tasks(platforms()))
        for procedure in rollout.procedures:
            remote = {"folder": str(self.folder / "remote" / procedure.name)}
            actions = {**list_actions(procedure, platforms_by_name), **remote}
            files[f"procedures/{procedure.name}.json"] = write_json(actions)
        for number, (devices, _) in enumerate(self.waves):
            for device in devices:
                files[f"devices/{device.name}.json"] = write_json(self._describe(device, number))
        for path, data in {**files, SUMS: write_sums(files)}.items():
            file = bundle / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        local = self.folder / "local.yml"
        hosts = {name: {"ansible_connection": "ssh"} for name in self.remote}
        group = {"vars": {"ansible_connection": self.connection}, "hosts": hosts}
        local.write_text(json.dumps({"all": {"children": {"sonic": group}}}))
        told = {**QUICK, "ansible_python_interpreter": sys.executable, **variables}
        done = subprocess.run(
            [made / "bin/ansible-playbook", *INVENTORY, "-i", local, "site.yml", "-e", json.dumps(told), *words],
            cwd=bundle / "ansible", capture_output=True, text=True, check=False, timeout=self.timeout_s,
            env={
                **os.environ, "HOME": str(self.folder), "ANSIBLE_NOCOLOR": "1", "ANSIBLE_LOCALHOST_WARNING": "0",
                "ANSIBLE_COLLECTIONS_PATH": str(made / "collections"), "ANSIBLE_SSH_CONTROL_PATH_DIR": gettempdir(),
            },
        )  # fmt: skip
        return Done.of(done)

    def _plan(self) -> RolloutPlan:
        waves, procedures, neighbors = [], [], {}
        for number, (devices, hosts) in enumerate(self.waves):
            planned = []
            for each in devices:
                judged = self.judged.get(each.name)
                readings = judged.readings if judged is not None else ()
                what = ("switches", "spine", each.platform, "hitless")
                checks = tuple(check.planned for check in each.checks)
                procedures.append(
                    PlannedProcedure(each.name, *what, each.steps, each.rollback, (), checks, readings)  # type: ignore[arg-type]
                )
                own = (each.platform, "hitless", each.name, "", "", "", ())
                device = PlannedDevice(each.name, number, "switches", "spine", 0, *own)  # type: ignore[arg-type]
                planned.append(device._replace(address=each.address, moves_to=each.moves_to))
                places = (place for check in each.checks for place in check.at)
                neighbors |= {at.device: PlannedNeighbor(at.device, at.platform, at.address) for at in places}
            wave = PlannedWave(number, 0, "hitless", "", 1.0, (), hosts, tuple(planned))
            waves.append(wave._replace(max_failures=self.max_failures))
        head = ("fabricgen-rollout/1", "", "", None, None, 0.0, "hitless", ())
        rollout = RolloutPlan(*head, tuple(procedures), tuple(waves))  # type: ignore[arg-type]
        rollout = rollout._replace(gate=self.gate)
        return rollout._replace(platforms=(self.shell, EOS), neighbors=tuple(neighbors.values()))

    def _describe(self, device: SiteDevice, wave: int) -> dict[str, Any]:
        judged = self.judged.get(device.name)
        expected = judged.expected if judged is not None else {"sessions": [{"neighbor": "n"}]}
        own = {
            "procedure": device.name, "patch": "", "moves_to": device.moves_to, "values": {}, "expected": 0,
            "neighbors": 0,
        }  # fmt: skip
        neighbors = {
            check.planned.command: [{"device": at.device, "neighbor": at.neighbor} for at in check.at]
            for check in device.checks
        }
        return {"format": DEVICE_FORMAT, "waves": {wave: own}, "neighbors": [neighbors], "expected": [expected]}

    def list_groups(self) -> str:
        """Return the groups of the inventory with their hosts, as Ansible reads it."""
        words = [find_ansible() / "bin/ansible-inventory", "-i", "inventory.yml", "--graph"]
        env = {**os.environ, "HOME": str(self.folder)}
        cwd = self.folder / "bundle/ansible"
        return subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=True, env=env).stdout

    def answer(self, name: str, before: Bench, after: Bench) -> str:
        """Let a device answer as one bench before its change and as another after it; returns what changes it."""
        for word, bench in (("before", before), ("after", after)):
            folder = self.folder / name / word
            folder.mkdir(parents=True)
            for state, write in WRITERS["sonic"].items():
                (folder / state).write_text(write(bench))
        now = self.folder / name / "now"
        now.symlink_to("before")
        expected = Expectations(plan_of("quickstart"), counts_prefixes=False).of(name)
        readings = [StateReading(state, f"cat {now}/{state}", "json") for state in WRITERS["sonic"]]
        self.judged[name] = DeviceExpectation(tuple(readings), expected)
        return f"ln -sfn after {now}"

    def log(self, name: str) -> list[str]:
        """Return what was done on a device, in order."""
        file = self.folder / f"{name}.log"
        return file.read_text().split() if file.exists() else []
