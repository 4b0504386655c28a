"""A bundle of playbooks whose devices are folders of this machine, run by ansible-playbook."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from fabricgen.api.rollout_automation import read_tasks
from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.load import load_platforms
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.rollout.ansible import write_files
from fabricgen.rollout.bundle import (
    SUMS,
    PlannedCheck,
    PlannedDevice,
    PlannedPlatform,
    PlannedStep,
    PlannedWave,
    Rollout,
)
from fabricgen.rollout.bundle_files import write_sums
from fabricgen.rollout.expectation import EXPECTED, Judged, StateReading, write_expectation
from fabricgen.state.expected import Expectations
from tests.acceptance.run import REPOSITORY
from tests.command_line import Done
from tests.emulated.ansible import find_ansible
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


class Site:
    """A bundle whose devices are folders of this machine, each with a log of what was done on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.waves: list[PlannedWave] = []
        self.judged: dict[str, Judged] = {}
        self.connection = "local"
        self.remote: tuple[str, ...] = ()
        self.timeout_s = PATIENCE_S
        self.shell = SHELL

    def device(self, name: str, sessions: Any, *, drains: bool = False, change: str = "true") -> PlannedDevice:
        """Return a device that is changed and saved, if its sessions are established."""
        steps = [step("back up", noted(name, "copied"))]
        steps += [step("drain", noted(name, "drained"))] if drains else []
        steps += [step("apply", noted(name, word)) for word in ("changed", "loaded")]
        steps += [step("apply", change), step("verify", "true", "look")]
        steps += [step("confirm", noted(name, "confirmed")), step("save", noted(name, "saved"))]
        back = [step("apply", noted(name, word)) for word in ("restored", "reloaded")]
        values = {"neighbors": [{"neighbor": "n"}]}
        check = PlannedCheck("after", "sessions", f"echo '{json.dumps(sessions)}'", "json", "up", values)
        return PlannedDevice(
            name, "switches", "spine", 0, "sonic", "hitless", "", "", "", (), tuple(steps), tuple(back), (), (check,),
        )  # fmt: skip

    def wave(self, *devices: PlannedDevice, hosts: tuple[str, ...] = ()) -> None:
        number = len(self.waves)
        placed = tuple(each._replace(folder=f"waves/{number:02d}/{each.name}") for each in devices)
        self.waves.append(PlannedWave(number, 0, "hitless", "", 1.0, (), hosts, f"waves/{number:02d}", placed))

    def play(self, *words: str, **variables: Any) -> Done:
        """Run all waves."""
        made, bundle = find_ansible(), self.folder / "bundle"
        rollout = Rollout("fabricgen-rollout/1", "", "", None, None, 0.0, 0, True, "", "hitless", (), tuple(self.waves))  # type: ignore[arg-type]
        rollout = rollout._replace(platforms=(self.shell, EOS))
        expected = {
            f"{device.folder}/{EXPECTED}": write_expectation(self.judged[device.name], "hitless")
            for device in rollout.devices
            if device.name in self.judged
        }
        files = {**write_files(rollout, expected, read_tasks(platforms())), **expected}
        for path, data in {**files, SUMS: write_sums(files)}.items():
            file = bundle / path
            file.parent.mkdir(parents=True, exist_ok=True)
            if file.name == "actions.json":
                for part in ("apply", "rollback"):
                    (file.parent / part).mkdir(exist_ok=True)
                actions = json.loads(data)
                actions["folder"] = str(self.folder / "remote" / actions["device"])
                data = json.dumps(actions).encode()
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
                "ANSIBLE_COLLECTIONS_PATH": str(made / "collections"),
            },
        )  # fmt: skip
        return Done.of(done)

    def list_groups(self) -> str:
        """Return the groups of the inventory with their hosts, as Ansible reads it."""
        words = [find_ansible() / "bin/ansible-inventory", "-i", "inventory.yml", "--graph"]
        env = {**os.environ, "HOME": str(self.folder)}
        done = subprocess.run(
            words, cwd=self.folder / "bundle/ansible", capture_output=True, text=True, check=True, env=env
        )
        return done.stdout

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
        assert expected is not None
        readings = [StateReading(state, f"cat {now}/{state}", "json") for state in WRITERS["sonic"]]
        self.judged[name] = Judged("posix", tuple(readings), expected)
        return f"ln -sfn after {now}"

    def install(self) -> str:
        """Write a command that is fabricgen, and return its path."""
        file = self.folder / "fabricgen"
        file.write_text(f'#!/bin/sh\nPYTHONPATH={REPOSITORY} exec {sys.executable} -m fabricgen "$@"\n')
        file.chmod(0o755)
        return str(file)

    def log(self, name: str) -> list[str]:
        """Return what was done on a device, in order."""
        file = self.folder / f"{name}.log"
        return file.read_text().split() if file.exists() else []
