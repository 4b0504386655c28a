"""The playbook of a bundle, run by ansible-playbook on this machine: order of what is done, failures, who goes on."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from fabricgen.api.rollout_automation import read_tasks
from fabricgen.diagnostics import Bag
from fabricgen.platforms.eos import drain as eos_drain
from fabricgen.platforms.families.vtysh import drain as vtysh
from fabricgen.platforms.manifest.load import load_platforms
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.platforms.patching.rollout import DrainProof
from fabricgen.rollout.ansible import write_files
from fabricgen.rollout.bundle import (
    SUMS,
    PlannedCheck,
    PlannedDevice,
    PlannedPlace,
    PlannedPlatform,
    PlannedStep,
    PlannedWave,
    Rollout,
)
from fabricgen.rollout.bundle_files import write_sums
from fabricgen.rollout.expectation import EXPECTED, Judged, StateReading, write_expectation
from fabricgen.state.expected import Expectations
from tests.acceptance.laboratory import skip_if_told
from tests.acceptance.run import REPOSITORY
from tests.emulated import eos_switch
from tests.emulated.ansible import find_ansible
from tests.emulated.answers import ANSWERS, spell
from tests.emulated.machine import make_key, running
from tests.unit.lab.fabrics import plan_of
from tests.unit.state.answers import WRITERS
from tests.unit.state.bench import Bench, healthy

SHELL = PlannedPlatform("sonic", "posix", neighbors=("peers",), state="state", established="Established")
EOS = PlannedPlatform("eos", "cli", "arista.eos.eos", "commit", "abort")
UP, DOWN = ({"peers": {"n": {"state": state}}} for state in ("Established", "Idle"))
NOBODY = "127.0.0.9"
"""Address at which nobody answers."""
INVENTORY = ("-i", "inventory.yml")
QUICK = {"rollout_retries": 1, "rollout_delay": 0, "rollout_settle_seconds": 0, "rollout_drain_seconds": 0}


@pytest.fixture(autouse=True)
def _real() -> None:
    skip_if_told()


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

    def wave(self, *devices: PlannedDevice) -> None:
        number = len(self.waves)
        placed = tuple(each._replace(folder=f"waves/{number:02d}/{each.name}") for each in devices)
        self.waves.append(PlannedWave(number, 0, "hitless", "", 1.0, (), (), f"waves/{number:02d}", placed))

    def play(self, *words: str, **variables: Any) -> subprocess.CompletedProcess[str]:
        """Run all waves."""
        made, bundle = find_ansible(), self.folder / "bundle"
        rollout = Rollout("fabricgen-rollout/1", "", "", None, None, 0.0, 0, True, "", "hitless", (), tuple(self.waves))  # type: ignore[arg-type]
        rollout = rollout._replace(platforms=(SHELL, EOS))
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
        return subprocess.run(
            [made / "bin/ansible-playbook", *INVENTORY, "-i", local, "site.yml", "-e", json.dumps(told), *words],
            cwd=bundle / "ansible", capture_output=True, text=True, check=False, timeout=300,
            env={
                **os.environ, "HOME": str(self.folder), "ANSIBLE_NOCOLOR": "1", "ANSIBLE_LOCALHOST_WARNING": "0",
                "ANSIBLE_COLLECTIONS_PATH": str(made / "collections"),
            },
        )  # fmt: skip

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


def test_device_of_a_wave_that_fails_is_rolled_back_and_stops_the_next_wave(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.wave(site.device("spine-01", UP, drains=True), site.device("spine-02", DOWN), site.device("spine-03", UP))
    site.wave(site.device("spine-04", UP))
    done = site.play()
    assert done.returncode == 2, done.stdout + done.stderr
    assert '"after: sessions" failed, and the device was rolled back.' in done.stdout, done.stdout + done.stderr
    assert "the rollout stops after wave_00: spine-02 not done" in done.stdout
    assert site.log("spine-01") == ["copied", "drained", "changed", "loaded", "confirmed", "saved"]
    assert site.log("spine-02") == ["copied", "changed", "loaded", "restored", "reloaded"]
    assert site.log("spine-03") == ["copied", "changed", "loaded", "confirmed", "saved"]
    assert site.log("spine-04") == []


@pytest.mark.nightly
def test_switch_with_a_command_line_restarts_and_is_waited_for(tmp_path: Path) -> None:
    """The one comes back with a later start, the other does not restart and is given up."""
    site, key, faults = Site(tmp_path), make_key(tmp_path, "key"), {"spine-01": "", "spine-02": "restart"}
    shell = [sys.executable, "-m", "tests.emulated.eos_shell"]
    (tmp_path / ".ssh").mkdir()
    with ExitStack() as stack:
        devices, homes = [], {name: tmp_path / name for name in faults}
        for number, (name, fault) in enumerate(faults.items(), 1):
            homes[name].mkdir()
            eos_switch.save(homes[name] / "state", eos_switch.Switch(name, f"hostname {name}\n"))
            env = {"PYTHONPATH": str(REPOSITORY), "EMULATED_STATE": str(homes[name] / "state"), "EMULATED_FAULT": fault}
            machine = stack.enter_context(running(name, number, homes[name], key, env=env, shell=shell))
            with (tmp_path / ".ssh/known_hosts").open("a") as known:
                known.write(machine.known_hosts.read_text())
            steps = (step("save", "write memory"), step("restart", "reload now"), step("save", "write memory"))
            devices.append(
                site.device(name, UP)._replace(platform="eos", steps=steps, address=machine.address, checks=())
            )
        site.wave(*devices)
        login = {"ansible_user": "root", "ansible_private_key_file": str(key), "rollout_restart_seconds": 3}
        done = site.play(**login)
        switches = [eos_switch.load(home / "state") for home in homes.values()]
    told = done.stdout + done.stderr
    assert done.returncode == 2, told
    assert "the rollout stops after wave_00: spine-02 not done" in told, told
    assert "it has not come back within 3 seconds" in told
    assert [switch.boots for switch in switches] == [2, 1]
    saved = [switch.log.count("write memory") for switch in switches]
    assert saved == [2, 1], "what comes after the restart is done once the switch is back"


@pytest.mark.nightly
def test_device_is_checked_again_after_its_restart(tmp_path: Path) -> None:
    """The restart of the test gives the machine the number of another start, as a kernel would."""
    site, home, key, start = Site(tmp_path), tmp_path / "machine", make_key(tmp_path, "key"), tmp_path / "start"
    home.mkdir()
    start.write_text("first\n")
    restart = tmp_path / "restart"
    restart.write_text(f"#!/bin/sh\necho second > {start}\necho restarted >> {tmp_path}/spine-01.log\n")
    restart.chmod(0o755)
    with running("spine-01", 1, home, key, mounts={"/proc/sys/kernel/random/boot_id": start}) as machine:
        device = site.device("spine-01", UP)
        steps = (*device.steps, step("restart", str(restart)), step("undrain", noted("spine-01", "undrained")))
        site.wave(device._replace(steps=steps, address=machine.address))
        words = shlex.join(machine.options)
        login, site.connection = {"ansible_user": "root", "ansible_ssh_common_args": words}, "ssh"
        tried = site.play("--check", **login)
        logged = site.log("spine-01")
        done = site.play(**login)
    assert tried.returncode == 0, tried.stdout + tried.stderr
    assert logged == []
    assert done.returncode == 0, done.stdout + done.stderr
    assert site.log("spine-01") == ["copied", "changed", "loaded", "confirmed", "saved", "restarted", "undrained"]
    assert done.stdout.count("after: sessions") == 2


def test_reading_that_is_worse_than_before_rolls_its_device_back(tmp_path: Path) -> None:
    """Cable, watchdog and counters: what was wrong before the change stays without consequence, and is named."""
    site = Site(tmp_path)
    plan = plan_of("quickstart")
    names = ("spine-01", "spine-02", "leaf-u001-r0")
    lost, faulty, worn = (healthy(plan, name) for name in names)
    del lost.neighbors["Ethernet0"]
    lost.watchdogs["Ethernet0"] = ["operational", 4, 4]
    faulty.neighbors["Ethernet0"] = ("leaf-99", "Ethernet1")
    worn.errors["Ethernet0"] += 9
    before, after = [healthy(plan, "spine-01"), faulty, healthy(plan, "leaf-u001-r0")], [lost, faulty, worn]
    changes = {name: site.answer(name, *pair) for name, *pair in zip(names, before, after, strict=True)}
    site.wave(*(site.device(name, UP, change=change) for name, change in changes.items()))
    done = site.play(rollout_fabricgen=site.install())
    told = done.stdout + done.stderr
    assert done.returncode == 2, told
    assert told.count('"after: readings" failed, and the device was rolled back.') == 2, told
    assert "cables: Ethernet0: expected leaf-" in told
    assert "as before, cables: Ethernet0" in told
    assert "watchdog: Ethernet0: expected no PFC storm, actual a storm came and went (priority 3, " in told
    assert "errors: Ethernet0: expected" in told
    assert "9 more" in told
    assert [site.log(name)[-1:] for name in names] == [["reloaded"], ["saved"], ["reloaded"]]
    kept = tmp_path / "bundle/readings/00/spine-01"
    assert {path.parts[-1] for path in kept.glob("*/state/switches/spine-01/lldp.json")} == {"lldp.json"}


def proof_of(proof: DrainProof | None, command: str, place: PlannedPlace, when: str = "drained") -> PlannedCheck:
    """Return the check that a neighbor takes other paths, or that it is back."""
    assert proof is not None
    values = {key: getattr(proof, key) for key in ("routes", "preference", "paths", "via", "used")}
    text = proof.expected if when == "drained" else proof.returned
    return PlannedCheck(when, "neighbors", command, "json", text, values, (place,))


def frr(preference: int | None, used: str = "bestpath") -> dict[str, Any]:
    """Return routes of a neighbor as FRR 8.4.4 shows them; without a preference there is no key for it."""
    path = {"valid": True, "pathFrom": "external", "peerId": "10.0.0.0", "path": "65001"}
    path |= ({used: True} if used else {}) | ({} if preference is None else {"locPrf": preference})
    return {"routes": {"10.1.0.0/24": [path], "10.255.0.1/32": [{**path, "bestpath": True}]}}


def eos(preferences: dict[str, int], used: str = "active") -> dict[str, Any]:
    """Return routes as EOS shows them, each next hop with its preference."""
    flags = {key: key == used for key in ("valid", "active", "ecmp", "ecmpHead", "ecmpContributor")}
    paths = [{"nextHop": hop, "localPreference": value, "routeType": flags} for hop, value in preferences.items()]
    return {"vrfs": {"default": {"bgpRouteEntries": {"10.1.0.0/24": {"bgpRoutePaths": paths}}}}}


NEIGHBORS = {
    "eos-returns": tuple(eos({"10.0.0.0": own, "10.0.0.2": 100}, "ecmp") for own in (100, 0, 100)),
    "no-drain": (frr(None), frr(None), frr(None)),
    "no-end": (frr(None), frr(0, ""), frr(0, "")),
    "no-use": (frr(None), frr(0, ""), frr(None, "")),
}
"""What neighbors show of devices before a drain, in it, and after it."""


def asked(site: Site, name: str, answers: tuple[dict[str, Any], ...]) -> PlannedDevice:
    """Return a device that is drained and back, as its neighbor shows it by reading a file."""
    folder = site.folder / f"shown-{name}"
    folder.mkdir()
    for word, answer in zip(("before", "drained", "undrained"), answers, strict=True):
        (folder / word).write_text(json.dumps(answer))
    (folder / "now").symlink_to("before")
    device = site.device(name, UP, drains=True)
    steps = list(device.steps)
    for phase, at in (("drain", 2), ("undrain", -1)):
        steps.insert(at, step(phase, f"ln -sfn {phase}ed {folder}/now"))
    steps.insert(-1, step("undrain", noted(name, "undrained")))
    proof = (vtysh if "routes" in answers[0] else eos_drain).show_drained("10.0.0.0")
    place = PlannedPlace("leaf-01", "10.0.0.0", "sonic")
    checks = (proof_of(proof, f"cat {folder}/now", place, when) for when in ("drained", "undrained"))
    return device._replace(steps=tuple(steps), checks=(*device.checks, *checks))


def test_neighbors_decide_whether_a_drain_has_begun_and_ended(tmp_path: Path) -> None:
    """Without its begin nothing is changed; without its end the change stays, and the rollout stops and says so."""
    site = Site(tmp_path)
    site.wave(*(asked(site, name, answers) for name, answers in NEIGHBORS.items()))
    site.wave(site.device("next", UP))
    done = site.play()
    told = done.stdout
    assert done.returncode == 2, told + done.stderr
    assert told.count('"drained: neighbors" failed, and the device was rolled back.') == 1, told
    assert told.count('"undrained: neighbors" failed, but the change is kept') == 2, told
    assert "leaf-01, expected: paths have no locPrf 0, and are bestpath or multipath as before" in told
    stopped = "no-drain not done; no-end, no-use changed, but traffic is not back"
    assert f"the rollout stops after wave_00: {stopped}" in told, told
    kept = ["copied", "drained", "changed", "loaded", "confirmed", "undrained", "saved"]
    assert {name: site.log(name) for name in NEIGHBORS} == {
        name: ["copied", "drained", "restored", "reloaded"] if name == "no-drain" else kept for name in NEIGHBORS
    }
    assert site.log("next") == []
    assert site.list_groups() == (
        "@all:\n  |--@ungrouped:\n  |--@sonic:\n"
        + "".join(f"  |  |--{name}\n" for name in (*NEIGHBORS, "next", "leaf-01"))
        + "  |--@wave_00:\n"
        + "".join(f"  |  |--{name}\n" for name in NEIGHBORS)
        + "  |--@wave_01:\n  |  |--next\n"
    )


@pytest.mark.nightly
def test_neighbors_with_a_command_line_are_asked_over_ssh(tmp_path: Path) -> None:
    """Two devices ask one neighbor on EOS: the one is drained there, the other is not. Two more get no answer."""
    site, home, key = Site(tmp_path), tmp_path / "leaf-01", make_key(tmp_path, "key")
    home.mkdir()
    proofs = {"spine-01": "10.0.0.0", "spine-02": "10.0.0.2", "spine-03": "10.0.0.4", "spine-04": "10.0.0.6"}
    site.remote = ("leaf-03",)
    shown = json.dumps(eos({"10.0.0.0": 0, "10.0.0.2": 100}))
    (home / "answers").write_text(json.dumps({spell("show ip bgp vrf all | json"): [shown, shown]}))
    eos_switch.save(home / "state", eos_switch.Switch("leaf-01", "hostname leaf-01\n"))
    env = {"PYTHONPATH": str(REPOSITORY), "EMULATED_STATE": str(home / "state"), ANSWERS: str(home / "answers")}
    shell = [sys.executable, "-m", "tests.emulated.eos_shell"]
    with running("leaf-01", 1, home, key, env=env, shell=shell) as machine:
        devices = []
        for name, neighbor in proofs.items():
            proof, place = eos_drain.show_drained(neighbor), PlannedPlace("leaf-01", neighbor, "eos", machine.address)
            place = place._replace(device="leaf-02", address=NOBODY) if name == "spine-03" else place
            place = place._replace(device="leaf-03", platform="sonic", address=NOBODY) if name == "spine-04" else place
            device = site.device(name, UP, drains=True)
            check = proof_of(proof, "show ip bgp vrf all | json", place)
            devices.append(device._replace(checks=(*device.checks, check)))
        site.wave(*devices)
        (tmp_path / ".ssh").mkdir()
        shutil.copy(machine.known_hosts, tmp_path / ".ssh/known_hosts")
        done = site.play(ansible_user="root", ansible_private_key_file=str(machine.key))
    assert done.returncode == 2, done.stdout + done.stderr
    assert [site.log(name)[2:] for name in proofs] == [
        ["changed", "loaded", "confirmed", "saved"],
        *[["restored", "reloaded"]] * 3,
    ], done.stdout + done.stderr
    assert done.stdout.count('"drained: neighbors" failed, and the device was rolled back. leaf-0') == 2, done.stdout
    assert '"drained: neighbors that do not answer" failed, and the device was rolled back. leaf-03' in done.stdout
