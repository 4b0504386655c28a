"""The playbook of a bundle, run by ansible-playbook on this machine: order of what is done, failures, who goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.platforms.patching.timer import UNIT, waits_s
from tests.acceptance.laboratory import real as real
from tests.acceptance.playbook_site import DOWN, SHELL, UP, Site, step
from tests.command_line import write_program
from tests.unit.lab.fabrics import plan_of
from tests.unit.state.bench import healthy

pytestmark = pytest.mark.nightly
"""Each play takes 10 to 60 seconds; test_rollout_ansible plays whole bundles in every run."""


def test_device_of_a_wave_that_fails_is_rolled_back_and_stops_the_next_wave(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.wave(site.device("spine-01", UP, drains=True), site.device("spine-02", DOWN), site.device("spine-03", UP))
    site.wave(site.device("spine-04", UP))
    done = site.play().exits(2)
    assert '"after: sessions" failed, and the device was rolled back.' in done.stdout, done.stdout + done.stderr
    assert "the rollout stops after wave_00: spine-02 not done" in done.stdout
    assert site.log("spine-01") == ["copied", "drained", "changed", "loaded", "confirmed", "saved"]
    assert site.log("spine-02") == ["copied", "changed", "loaded", "restored", "reloaded"]
    assert site.log("spine-03") == ["copied", "changed", "loaded", "confirmed", "saved"]
    assert site.log("spine-04") == []


def test_a_wave_with_more_failures_than_the_plan_lets_is_the_last(tmp_path: Path) -> None:
    """One is rolled back and passed over; of a wave with two more nothing begins after them."""
    site = Site(tmp_path)
    site.max_failures = 1
    site.wave(site.device("spine-01", UP), site.device("spine-02", DOWN))
    site.wave(site.device("spine-03", DOWN), site.device("spine-04", UP), site.device("spine-05", DOWN))
    site.wave(site.device("spine-06", UP))
    done = site.play().exits(2)
    assert "the rollout stops after wave_01: spine-03, spine-05 not done" in done.stdout, done.stdout + done.stderr
    assert "stops after wave_00" not in done.stdout
    last = [site.log(f"spine-0{number}")[-1:] for number in range(1, 7)]
    assert last == [["saved"], ["reloaded"], ["reloaded"], ["saved"], ["reloaded"], []]


def test_a_change_that_is_kept_though_it_failed_is_never_passed_over(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.max_failures = 2
    saves = f"test -e {tmp_path}/disk"
    site.shell = SHELL._replace(saves=saves)
    first = site.device("spine-01", UP)
    site.wave(first._replace(steps=(*first.steps[:-1], step("save", saves))), site.device("spine-02", UP))
    site.wave(site.device("spine-03", UP))
    done = site.play().exits(2)
    assert "the rollout stops after wave_00: spine-01 changed and confirmed, but not saved" in done.stdout
    assert (site.log("spine-02")[-1], site.log("spine-03")) == ("saved", [])


def test_the_gate_of_the_plan_stops_the_next_wave(tmp_path: Path) -> None:
    """The variable of the playbook takes its place."""
    site = Site(tmp_path)
    site.gate = f"echo {{wave}} >> {tmp_path}/gate; exit 1"
    site.wave(site.device("spine-01", UP))
    site.wave(site.device("spine-02", UP))
    site.play().exits(2)
    assert (tmp_path / "gate").read_text() == "0\n"
    assert (site.log("spine-01")[-1], site.log("spine-02")) == ("saved", [])
    site.play(rollout_gate=f"echo own >> {tmp_path}/gate").exits(0)
    assert (tmp_path / "gate").read_text() == "0\nown\nown\n"
    assert site.log("spine-02")[-1] == "saved"


def test_device_whose_address_moves_is_left_alone_and_the_others_of_its_wave_go_on(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.wave(site.device("spine-01", UP)._replace(moves_to="192.0.2.7"), site.device("spine-02", UP))
    site.wave(site.device("spine-03", UP))
    done = site.play().exits(2)
    assert "spine-01: nothing is changed: its change moves the management address to 192.0.2.7" in done.stdout
    assert "the rollout stops after wave_00: spine-01 not done" in done.stdout
    assert (site.log("spine-01"), site.log("spine-02")[-1], site.log("spine-03")) == ([], "saved", [])


def test_jobs_leave_the_hosts_of_a_wave_before_it_begins(tmp_path: Path) -> None:
    """A wave whose jobs could not be moved away is not begun; its hosts are given back at its end, before the gate."""
    site = Site(tmp_path)
    site.wave(site.device("spine-01", UP))
    site.wave(site.device("spine-02", UP), hosts=("gpu-1", "gpu-2"))
    log = tmp_path / "jobs"
    away, back = (f"test -e ../../spine-01.log && echo {word} {{hosts}} >> {log}" for word in ("away", "back"))
    site.play(rollout_jobs_away=f"{away}; false", rollout_jobs_back=back).exits(2)
    assert (site.log("spine-01") != [], site.log("spine-02")) == (True, [])
    assert log.read_text() == "away gpu-1,gpu-2\n"
    gate = f"echo gate {{wave}} >> {log}; test {{wave}} = 0"
    done = site.play(rollout_jobs_back=back, rollout_gate=gate, rollout_soak_seconds=0).exits(2)
    assert "nothing is done about the jobs of gpu-1,gpu-2" in done.stdout
    assert site.log("spine-02")[-1] == "saved"
    assert log.read_text() == "away gpu-1,gpu-2\ngate 0\nback gpu-1,gpu-2\ngate 1\n"


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
    done = site.play(rollout_fabricgen=str(write_program(tmp_path)))
    told = done.stdout + done.stderr
    done.exits(2)
    assert told.count('"after: readings" failed, and the device was rolled back.') == 2, told
    assert "cables: Ethernet0: expected leaf-" in told
    assert "as before, cables: Ethernet0" in told
    assert "watchdog: Ethernet0: expected no PFC storm, actual a storm came and went (priority 3, " in told
    assert "errors: Ethernet0: expected" in told
    assert "9 more" in told
    assert [site.log(name)[-1:] for name in names] == [["reloaded"], ["saved"], ["reloaded"]]
    kept = tmp_path / "bundle/readings/wave_00/spine-01"
    assert {path.parts[-1] for path in kept.glob("*/state/switches/spine-01/lldp.json")} == {"lldp.json"}


@pytest.mark.parametrize(
    ("retries", "settled", "judged"),
    [
        pytest.param(3, 2, 2, id="second judgement"),
        pytest.param(0, 2, 1, id="once at least"),
        pytest.param(52, 52, 52, id="two rounds", marks=pytest.mark.nightly),
        pytest.param(260, 400, 260, id="more than Python nests", marks=pytest.mark.nightly),
    ],
)
def test_device_is_judged_until_it_has_settled(retries: int, settled: int, judged: int, tmp_path: Path) -> None:
    """A judgement that finds nothing worse is the last; the change is kept if there was one."""
    site, known = Site(tmp_path), healthy(plan_of("quickstart"), "spine-01")
    site.wave(site.device("spine-01", UP, change=site.answer("spine-01", known, known)))
    count, program = tmp_path / "count", tmp_path / "fabricgen"
    count.touch()
    site.timeout_s += 20 * retries
    program.write_text(
        f"#!/bin/sh\ncase $* in *--help) exit;; esac\ncat > {tmp_path}/read\n"
        f"case $* in *after*) echo >> {count}; [ $(wc -l < {count}) -ge {settled} ] || exit 3;; esac\n"
    )
    program.chmod(0o755)
    done = site.play(rollout_fabricgen=str(program), rollout_retries=retries)
    assert len(count.read_text().splitlines()) == judged, done.stdout + done.stderr
    assert site.log("spine-01")[-1] == ("saved" if judged == settled else "reloaded")
    assert (done.returncode == 0) is (judged == settled)


@pytest.mark.parametrize("drains", [False, True], ids=["checks", "drain and checks"])
def test_waits_that_outlast_a_timer_are_refused_before_the_first_wave(drains: bool, tmp_path: Path) -> None:
    """The timer is that of a later wave. Its steps are counted when it is set; what an operator sets is not."""
    site, left = Site(tmp_path), waits_s(drained=drains)
    timed = site.device("spine-02", UP, drains=drains)
    first = site.device("spine-01", UP)
    site.wave(first._replace(steps=tuple(each for each in first.steps if each.phase != "confirm")))
    site.wave(timed._replace(steps=(step("back up", f": {UNIT}"), *timed.steps)))
    told = {"rollout_retries": left // 20 if drains else left // 10, "rollout_delay": 10, "rollout_settle_seconds": 1}
    refused = site.play("--check", **told).exits(2)
    assert f"leaves {left} seconds for waiting, and the playbook may wait {left + 1}: " in refused.stdout
    assert ("rollout_drain_seconds (0)" in refused.stdout) is drains
    assert site.log("spine-01") == []
    site.play("--check", **{**told, "rollout_settle_seconds": 0}).exits(0)


def test_change_that_is_confirmed_and_not_saved_is_called_so(tmp_path: Path) -> None:
    """No rollback reaches it on such a platform: nothing is restored, and the operator reads what is left to do."""
    site = Site(tmp_path)
    saves = f"test -e {tmp_path}/disk"
    site.shell = SHELL._replace(saves=saves)
    for wave in ("spine-01", "spine-02", "spine-04"), ("spine-03",):
        devices = [site.device(name, UP if name != "spine-02" else DOWN) for name in wave]
        saved = ((step("save", saves),) if name != "spine-04" else () for name in wave)
        site.wave(*(each._replace(steps=(*each.steps[:-1], *last)) for each, last in zip(devices, saved, strict=True)))
    done = site.play()
    told = " ".join(done.stdout.split())
    done.exits(2)
    left = "but the change is confirmed and stays, not saved: the next start of the device loses it;"
    assert f'\\"save: {saves}\\" failed, {left} \\"{saves}\\" saves it, the undo of its procedure' in told, told
    assert "spine-02 not done; spine-01 changed and confirmed, but not saved: save it, or take it back" in told, told
    assert site.log("spine-01") == site.log("spine-04") == ["copied", "changed", "loaded", "confirmed"]
    assert site.log("spine-02")[-1] == "reloaded", "what fails before is rolled back as ever"
    assert site.log("spine-03") == []
    (tmp_path / "disk").touch()
    site.waves = site.waves[1:]
    site.play().exits(0)
