"""The fabric on real daemons: up, proven, drilled, down, and broken on purpose.

Where network namespaces are impossible these tests fail, unless FABRICGEN_SKIP_LAB is set.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.acceptance import frr_roots
from tests.acceptance.laboratory import Lab, machine_state, processes_of, running, small_inventory
from tests.acceptance.laboratory import alone as alone
from tests.acceptance.run import INVENTORIES, REPOSITORY, run
from tests.waiting import PATIENCE_S, wait

CHECKS = {
    "intended", "daemons", "configuration", "cabling", "sessions", "ecmp width", "no valleys",
    "reachability", "nothing else", "mtu", "spread", "daemons after",
}  # fmt: skip


@pytest.mark.parametrize("root", frr_roots.ALL)
def test_quickstart_does_what_its_plan_says(root: str) -> None:
    """Boot, prove, drill twice, take down; the machine is then as it was. A drill holds losses to its own bound."""
    before = machine_state()
    with running(INVENTORIES / "quickstart", "ci", *frr_roots.words_of(root)) as lab:
        assert len(lab.namespaces()) == 14
        found = lab.judge().exits(0)
        assert set(found) == CHECKS
        drills = ["link-down", "silent-drop", "drain"]
        if root != "/":
            assert int(lab.on("spine-01", "vtysh", "-c", "show version").split()[1].split(".")[0]) >= 10
            assert "mgmtd" in " ".join(processes_of(lab.name))
            drills.append("switch-death")
        names = [word for name in drills for word in ("--only", name)]
        done = lab.ask("drill", *names, "--format", "json").exits(0)
        by_name = {row["drill"]: row for row in json.loads(done.stdout)}
        assert all(row["sent"] > 0 for row in by_name.values())
        drop, drain = by_name["silent-drop"], by_name["drain"]
        assert 0 < drop["lost"] < drop["sent"], "a spine that drops in silence costs packets until BFD notices"
        assert drain["healing_sent"] > 0 == drain["lost"] + drain["healing_lost"]
        lab.judge().exits(0)  # all is as before the drills
    assert lab.namespaces() == []
    assert processes_of(lab.name) == []
    assert machine_state() == before


@pytest.mark.nightly
@pytest.mark.parametrize(
    "inventory",
    [REPOSITORY / "tests/fabrics/conformance", INVENTORIES / "dual-plane", INVENTORIES / "second-source"],
    ids=lambda inventory: inventory.name,
)
def test_other_shapes_do_what_their_plan_says(inventory: Path) -> None:
    """Three tiers with stripes and exceptions; planes that meet in hosts only; boxes of two makers."""
    with running(inventory, "shape") as lab:
        done = lab.ask("test", "--format", "json").exits(0)
        found = {item["check"]: item for item in json.loads(done.stdout)}
        assert set(found) == CHECKS
        assert found["spread"]["examined"] >= 8, "the leafs of both planes"


class Breakage:
    """A fault in a running lab: how it is made and undone, and what has to be said about it."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab

    def expect(self, check: str, device: str, link: str, reason: str) -> None:
        """``lab test`` fails and says so."""
        found = self.lab.judge().exits(1)
        said = [f"{item['device']} {item['link']}: {item['reason']}" for item in found[check]]
        assert any(device in text and link in text and reason in text for text in said), found

    def expect_nothing(self) -> None:
        """``lab test`` passes, at the latest when sessions that were reset are up again."""
        wait(lambda: self.lab.judge().exits(0))


@pytest.mark.nightly
def test_a_broken_fabric_fails_with_device_link_and_reason(tmp_path: Path) -> None:
    """One fault after the other in one lab, each found and each gone when it is mended."""
    with running(small_inventory(tmp_path), "broken") as lab:
        broken = Breakage(lab)
        leaf, spine, up, down = "leaf-u001-r0", "spine-01", "Ethernet504", "Ethernet0"
        leaf_bgp, spine_bgp = "router bgp 4200000001", "router bgp 4200000000"

        lab.on(spine, "ip", "link", "set", down, "mtu", "1500")
        broken.expect("mtu", spine, f"{down} to {leaf} {up}", "MTU is 1500, planned is 9100")
        broken.expect("mtu", leaf, f"{up} to {spine} {down}", "does not arrive")
        lab.on(spine, "ip", "link", "set", down, "mtu", "9100")

        lab.configure(leaf, leaf_bgp, "address-family ipv4 unicast", "maximum-paths 1")
        wait(lambda: "nexthop" not in lab.on(leaf, "ip", "route", "show", "172.16.0.32/27"))
        broken.expect("ecmp width", leaf, "", "1 next hops in the kernel, planned are 2")
        lab.configure(leaf, leaf_bgp, "address-family ipv4 unicast", "maximum-paths 2")

        lab.configure(leaf, leaf_bgp, "neighbor 10.0.0.0 remote-as 65000")
        broken.expect("sessions", leaf, f"{up} to {spine} {down}", "configured for AS 65000, but spine-01 is planned")
        lab.configure(leaf, leaf_bgp, "neighbor 10.0.0.0 remote-as 4200000000")
        wait(lambda: "BGP state = Established" in lab.on(leaf, "vtysh", "-c", "show bgp neighbors 10.0.0.0"))

        of_group, of_leaf = "neighbor LOWER route-map LOWER_IN in", f"neighbor 10.0.0.1 prefix-list FROM_{leaf} in"
        lab.configure(spine, spine_bgp, "address-family ipv4 unicast", f"no {of_group}", f"no {of_leaf}")
        broken.expect("sessions", spine, f"{down} to {leaf} {up}", "no route map lets anything in")
        lab.configure(spine, spine_bgp, "address-family ipv4 unicast", of_group, of_leaf)
        broken.expect_nothing()


@pytest.mark.nightly
def test_a_daemon_that_dies_is_named_with_its_log_and_labs_do_not_meet(tmp_path: Path) -> None:
    """Two labs of the same fabric side by side: what happens in one is not seen in the other."""
    inventory = small_inventory(tmp_path)
    with running(inventory, "one") as one, running(inventory, "two") as two:
        pid = Path(f"/run/fabricgen/{one.name}/spine-01/bgpd.pid").read_text().strip()
        os.kill(int(pid), signal.SIGKILL)
        wait(lambda: not Path(f"/proc/{pid}").exists())
        done = one.ask("status").exits(1)
        assert "FG-LAB-010" in done.stderr
        assert "spine-01: bgpd does not run" in done.stderr
        assert "ADJCHANGE" in done.stderr, "the end of its log"
        found = one.judge().found
        assert [item["device"] for item in (*found["daemons"], *found["daemons after"])] == ["spine-01", "spine-01"]
        two.judge().exits(0)
        run("lab", "down", "--name", one.name)
        two.judge().exits(0)
        assert one.namespaces() == []


def start_up(inventory: Path, name: str) -> subprocess.Popen[str]:
    """Begin to boot a lab and return once namespaces are there."""
    words = [sys.executable, "-m", "fabricgen", "lab", "up", str(inventory), "--name", name]
    # A shell starts what runs in the background with SIGINT ignored.
    process = subprocess.Popen(
        words,
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    wait(lambda: len(Lab(inventory, name).namespaces()) > 1)
    return process


@pytest.mark.sampled(1, of="number")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_nothing_behind(number: signal.Signals, tmp_path: Path) -> None:
    name = f"sig{number}x{os.getpid()}"
    before = machine_state()
    process = start_up(small_inventory(tmp_path), name)
    process.send_signal(number)
    _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 128 + number, said
    assert number.name in said
    assert Lab(tmp_path, name).namespaces() == []
    assert processes_of(name) == []
    assert machine_state() == before


@pytest.mark.nightly
def test_what_a_crash_leaves_behind_is_taken_away(tmp_path: Path) -> None:
    name = f"crash{os.getpid()}"
    process = start_up(small_inventory(tmp_path), name)
    process.kill()
    process.communicate()
    assert Lab(tmp_path, name).namespaces()
    assert name in run("lab", "status").stdout
    assert "FG-LAB-006" in run("lab", "up", str(tmp_path), "--name", name).exits(1).stderr
    run("lab", "down", "--name", name).exits(0)
    assert Lab(tmp_path, name).namespaces() == []
    assert processes_of(name) == []
