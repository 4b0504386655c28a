"""A leaf whose routing daemon starts anew goes on forwarding, and nobody takes its routes away."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest

from tests.acceptance.laboratory import Lab, running, small_inventory
from tests.acceptance.laboratory import alone as alone
from tests.waiting import wait

LEAF, OTHER, SPINE = "leaf-u001-r0", "leaf-u002-r0", "spine-01"
BFD_S = 0.9


pytestmark = pytest.mark.nightly


def daemon(lab: Lab, device: str) -> int:
    """Process id of a device's BGP daemon."""
    return int(Path(f"/run/fabricgen/{lab.name}/{device}/bgpd.pid").read_text())


def block(lab: Lab, device: str) -> str:
    """The host block of a leaf."""
    (route,) = json.loads(lab.on(device, "ip", "-j", "route", "show", "type", "blackhole"))
    return str(route["dst"])


def ways(lab: Lab, device: str, prefix: str) -> int:
    """Over how many links a kernel sends to a prefix."""
    routes = json.loads(lab.on(device, "ip", "-j", "route", "show", prefix))
    return sum(len(route.get("nexthops", [route])) for route in routes)


def test_a_leaf_forwards_while_its_routing_starts_anew(tmp_path: Path) -> None:
    with running(small_inventory(tmp_path / "restart"), "restart") as lab:
        own, other = block(lab, LEAF), block(lab, OTHER)
        before = ways(lab, SPINE, own), ways(lab, LEAF, other)
        assert before == (1, 2)
        pid = daemon(lab, LEAF)
        command = Path(f"/proc/{pid}/cmdline").read_text().rstrip("\0").split("\0")
        os.kill(pid, signal.SIGKILL)
        time.sleep(4 * BFD_S)
        assert (ways(lab, SPINE, own), ways(lab, LEAF, other)) == before
        lab.on(LEAF, *command)
        lab.on(LEAF, "vtysh", "-b")
        wait(lambda: lab.judge().exits(0))


def test_a_spine_is_left_at_once(tmp_path: Path) -> None:
    with running(small_inventory(tmp_path / "restart"), "restart") as lab:
        other = block(lab, OTHER)
        assert ways(lab, LEAF, other) == 2
        os.kill(daemon(lab, SPINE), signal.SIGKILL)
        wait(lambda: lab.states(LEAF) != {"Established"})
        shown = lab.show(LEAF, f"bgp ipv4 unicast {other}")
        assert not [path for path in shown["paths"] if path.get("stale")], "no route of it is kept"
        wait(lambda: ways(lab, LEAF, other) == 1)
