"""The playbook of a bundle, run by ansible-playbook on this machine: order of what is done, failures, who goes on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fabricgen.api.rollout_automation import read_tasks
from fabricgen.rollout.ansible import write_files
from fabricgen.rollout.bundle import (
    PlannedCheck,
    PlannedDevice,
    PlannedPlatform,
    PlannedStep,
    PlannedWave,
    Rollout,
)
from tests.acceptance.laboratory import skip_if_told
from tests.emulated.ansible import find_ansible

SHELL = PlannedPlatform("sonic", "posix", neighbors=("peers",), state="state", established="Established")
UP, DOWN = ({"peers": {"n": {"state": state}}} for state in ("Established", "Idle"))
QUICK = {"rollout_retries": 1, "rollout_delay": 0, "rollout_settle_seconds": 0, "rollout_drain_seconds": 0}


@pytest.fixture(autouse=True)
def _real() -> None:
    skip_if_told()


def step(phase: str, command: str, action: str = "run") -> PlannedStep:
    return PlannedStep(phase, action, command, "", "hitless", reason="do it" if action == "note" else "")  # type: ignore[arg-type]


def noted(name: str, word: str) -> str:
    """Return a command that notes that it was run on a device."""
    return f"echo {word} >> ../../../{name}.log"


class Bench:
    """A bundle whose devices are folders of this machine, each with a log of what was done on it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.waves = folder, []  # type: ignore[var-annotated]

    def device(self, name: str, sessions: Any, *, drains: bool = False, **more: Any) -> PlannedDevice:
        """Return a device that is changed and saved, if its sessions are established."""
        steps = [step("back up", noted(name, "copied"))]
        steps += [step("drain", noted(name, "drained"))] if drains else []
        steps += [step("apply", noted(name, word)) for word in ("changed", "loaded")]
        steps += [step("confirm", noted(name, "confirmed")), step("save", noted(name, "saved"))]
        back = [step("apply", noted(name, word)) for word in ("restored", "reloaded")]
        values = {"neighbors": [{"neighbor": "n"}]}
        check = PlannedCheck("after", "sessions", f"echo '{json.dumps(sessions)}'", "json", "up", values)
        return PlannedDevice(
            name, "switches", "spine", 0, "sonic", "hitless", "", "", "", (), tuple(steps), tuple(back), (), (check,),
            **more,
        )  # fmt: skip

    def wave(self, *devices: PlannedDevice) -> None:
        number = len(self.waves)
        placed = tuple(each._replace(folder=f"waves/{number:02d}/{each.name}") for each in devices)
        self.waves.append(PlannedWave(number, 0, "hitless", "", 1.0, (), (), f"waves/{number:02d}", placed))

    def play(self, *words: str, **variables: Any) -> subprocess.CompletedProcess[str]:
        """Run all waves."""
        made, bundle = find_ansible(), self.folder / "bundle"
        rollout = Rollout("fabricgen-rollout/1", "", "", None, None, 0.0, 0, True, "", "hitless", (), tuple(self.waves))  # type: ignore[arg-type]
        rollout = rollout._replace(platforms=(SHELL,))
        for path, data in write_files(rollout, {}, read_tasks({})).items():
            file = bundle / path
            file.parent.mkdir(parents=True, exist_ok=True)
            if file.name == "actions.json":
                for part in ("apply", "rollback"):
                    (file.parent / part).mkdir()
                actions = json.loads(data)
                actions["folder"] = str(self.folder / "remote" / actions["device"])
                data = json.dumps(actions).encode()
            file.write_bytes(data)
        told = {**QUICK, "ansible_connection": "local", "ansible_python_interpreter": sys.executable, **variables}
        return subprocess.run(
            [made / "bin/ansible-playbook", "-i", "inventory.yml", "site.yml", "-e", json.dumps(told), *words],
            cwd=bundle / "ansible", capture_output=True, text=True, check=False, timeout=300,
            env={**os.environ, "HOME": str(self.folder), "ANSIBLE_NOCOLOR": "1", "ANSIBLE_LOCALHOST_WARNING": "0"},
        )  # fmt: skip

    def log(self, name: str) -> list[str]:
        """Return what was done on a device, in order."""
        file = self.folder / f"{name}.log"
        return file.read_text().split() if file.exists() else []


def test_device_of_a_wave_that_fails_is_rolled_back_and_stops_the_next_wave(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.wave(bench.device("spine-01", UP, drains=True), bench.device("spine-02", DOWN), bench.device("spine-03", UP))
    bench.wave(bench.device("spine-04", UP))
    done = bench.play()
    assert done.returncode == 2, done.stdout + done.stderr
    assert '"after: sessions" failed, and the device was rolled back.' in done.stdout
    assert "the rollout stops after wave_00: spine-02 not done" in done.stdout
    assert bench.log("spine-01") == ["copied", "drained", "changed", "loaded", "confirmed", "saved"]
    assert bench.log("spine-02") == ["copied", "changed", "loaded", "restored", "reloaded"]
    assert bench.log("spine-03") == ["copied", "changed", "loaded", "confirmed", "saved"]
    assert bench.log("spine-04") == []
