"""Restarts of a rollout, run by ansible-playbook on emulated machines: what comes after them waits for the device."""

from __future__ import annotations

import shlex
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.acceptance.laboratory import skip_if_told
from tests.acceptance.playbook_site import UP, Site, noted, step
from tests.acceptance.run import REPOSITORY
from tests.emulated import eos_switch
from tests.emulated.machine import make_key, running


@pytest.fixture(autouse=True)
def _real() -> None:
    skip_if_told()


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
