"""Restarts of a rollout, run by ansible-playbook on emulated machines: what comes after them waits for the device."""

from __future__ import annotations

import re
import shlex
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.acceptance.laboratory import real as real
from tests.acceptance.playbook_site import NOBODY, UP, Site, noted, running_eos, step
from tests.acceptance.run import REPOSITORY
from tests.emulated import eos_switch
from tests.emulated.machine import make_key, running

TYPED = tuple(
    step(phase, command)
    for phase, command in (("confirm", "show version"), ("save", "write memory"), ("restart", "reload now"),
        ("undrain", "show hostname"), ("save", "write memory"))
)  # fmt: skip


@pytest.mark.nightly
def test_switch_with_a_command_line_restarts_and_is_waited_for(tmp_path: Path) -> None:
    """One comes back with a later start, one does not restart, one fails its checks: both keep what they saved."""
    site, key = Site(tmp_path), make_key(tmp_path, "key")
    faults = {"spine-01": "", "spine-02": "restart", "spine-03": ""}
    (tmp_path / ".ssh").mkdir()
    with ExitStack() as stack:
        devices = []
        for number, (name, fault) in enumerate(faults.items(), 1):
            machine = stack.enter_context(running_eos(tmp_path, name, number, key, fault=fault))
            with (tmp_path / ".ssh/known_hosts").open("a") as known:
                known.write(machine.known_hosts.read_text())
            own = {"platform": "eos", "steps": TYPED, "address": machine.address, "checks": ()}
            devices.append(site.device(name, UP)._replace(**own))
        site.wave(*devices)
        # The second check of spine-03, which is the one after its restart, fails.
        login = {"ansible_user": "root", "ansible_private_key_file": str(key), "rollout_restart_seconds": 15}
        login["rollout_judge"] = f"test {{device}} != spine-03 || mkdir {tmp_path}/judged"
        done = site.play(**login)
        switches = [eos_switch.load(tmp_path / name / "state") for name in faults]
    told = done.stdout + done.stderr
    done.exits(2)
    assert "the rollout stops after wave_00: spine-02, spine-03 saved and restarted, but not proven" in told, told
    for name in ("spine-02", "spine-03"):
        assert re.search(rf"{name}: .*: the device is left as it is, nothing is rolled back; the undo", told), told
    assert "was rolled back" not in told
    assert "it has not come back within 15 seconds" in told
    assert [switch.boots for switch in switches] == [2, 1, 2]
    saved = [switch.log.count("write memory") for switch in switches]
    assert not [line for switch in switches for line in switch.log if "restored" in line]
    assert saved == [2, 1, 1], "what comes after the restart is done once the switch is back"


@pytest.mark.nightly
def test_no_device_begins_after_one_that_does_not_answer(tmp_path: Path) -> None:
    """The device is lost without a rescue; the next one, which waits for its turn, must notice."""
    site = Site(tmp_path)
    site.remote = ("spine-01",)
    first = site.device("spine-01", UP)._replace(address=NOBODY)
    site.wave(first, site.device("spine-02", UP), site.device("spine-03", UP))
    done = site.play("--forks", "1")
    assert "UNREACHABLE" in done.stdout
    assert "not begun, because spine-01 failed" in done.stdout, done.stdout
    assert site.log("spine-03") == []


def test_wait_for_a_restart_does_not_nest_with_its_tries() -> None:
    """Each file of tasks that includes itself costs a level for each try, and Python ends at some hundreds."""
    folder = REPOSITORY / "templates/switch/eos/ansible"
    included = {f.name: set(re.findall(r"include_tasks: (\S+)", f.read_text())) for f in sorted(folder.glob("*.yml"))}
    reached = found = {"restart.yml"}
    while found:
        found = {name for each in found for name in included.get(each, ())}
        assert not found & reached, found
        reached = reached | found
    assert len(reached) > 1


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
    tried.exits(0)
    assert logged == []
    done.exits(0)
    assert site.log("spine-01") == ["copied", "changed", "loaded", "confirmed", "saved", "restarted", "undrained"]
    assert done.stdout.count("after: sessions") == 2
