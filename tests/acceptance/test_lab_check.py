"""``fabricgen check`` over what real daemons answer: nothing on a healthy lab, every symptom of a link that is down.

The commands are those of the manifest; cables of the lab are virtual, and have a speed of their own.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

from fabricgen.api.compile import Compiled, compile_inventory
from fabricgen.collect.readings import COLLECTION, FORMAT, RECORD, Answer, Record, state_folder, write_record
from fabricgen.diagnostics import Bag
from fabricgen.lab.lifecycle.state import device_folder
from fabricgen.lab.model.blueprint import NAMESPACE_PREFIX
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.platforms.manifest.readings import ABSENT
from fabricgen.state.expected import Expectations, Expected
from fabricgen.state.findings import Outcome
from tests.acceptance.laboratory import Lab, machine_to_oneself, running, skip_if_told, small_inventory
from tests.acceptance.run import INVENTORIES, REPOSITORY, run
from tests.waiting import wait


@pytest.fixture(autouse=True)
def _alone() -> Iterator[None]:
    skip_if_told()
    with machine_to_oneself():
        yield


@dataclass
class Fabric:
    """An inventory with overlays, all of whose switches run FRRouting."""

    inventory: Path
    overlays: tuple[str, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """The overlays as the command line takes them."""
        return tuple(word for name in self.overlays for word in ("--overlay", name))

    @cached_property
    def compiled(self) -> Compiled:
        found = compile_inventory(self.inventory, self.overlays, Bag())
        assert found is not None
        return found

    @property
    def plan(self) -> FabricPlan:
        assert self.compiled.plan is not None
        return self.compiled.plan

    def expected(self, name: str) -> Expected:
        found = Expectations(self.plan).of(name)
        assert found is not None
        return found


OUTCOMES = {Outcome.expected, Outcome.different, Outcome.unread, Outcome.lacking, Outcome.single}
"""Outcomes of a lab, whose virtual cables have neither modules nor FEC."""
OTHERS = (
    Fabric(INVENTORIES / "quickstart", ("frr", "unnumbered")),
    Fabric(INVENTORIES / "quickstart", ("frr", "host-bgp")),
    Fabric(REPOSITORY / "tests/fabrics/conformance", ("frr",)),
)


def ask(lab: Lab, device: str, command: str) -> tuple[int, str]:
    """Return the exit status and the answer of a device of the lab to a command of the manifest."""
    command = command.replace("{sudo}", "")
    words = shlex.split(command)
    if words[0] == "lldpcli":
        words[1:1] = ["-u", str(device_folder(lab.name, device) / "lldpd.socket")]
    if words[0] == "grep" or ";" in command:
        # A shell of the lab sees the machine's /sys; a command that ip starts sees that of the namespace.
        words = ["ip", "netns", "exec", f"{NAMESPACE_PREFIX}{lab.name}.{device}", "sh", "-c", command]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode in (0, ABSENT), done.stderr
        return done.returncode, done.stdout
    return 0, lab.on(device, *words)


def established(lab: Lab, device: str) -> int:
    """Return the number of a device's sessions that are up, where BFD sees as many."""
    peers = json.loads(lab.on(device, "vtysh", "-c", "show bfd peers json"))
    count = lab.on(device, "vtysh", "-c", "show bgp summary json").count('"Established"')
    return count if sum(peer["status"] == "up" for peer in peers) == count else -1


def collect(lab: Lab, fabric: Fabric, root: Path) -> Path:
    """Write down the answers of all switches of a lab."""
    plan, platforms = fabric.plan, fabric.compiled.platforms
    assert platforms is not None
    root.mkdir()
    (root / COLLECTION).write_text(json.dumps({"format": FORMAT}))
    for device in plan.switches():
        name = plan.device_name(device)
        spec = platforms[plan.tier_of(device).platform]
        folder, answers = state_folder(root, "switches", name), {}
        folder.mkdir(parents=True)
        for reading in spec.readings:
            if reading.state:
                status, text = ask(lab, name, reading.command)
                answers[reading.state] = Answer(reading.state, reading.command, status)
                if status == 0:
                    file = folder / reading.file_name
                    file.write_text(text)
                    place = str(file.relative_to(root))
                    answers[reading.state] = answers[reading.state]._replace(file=place, size_bytes=file.stat().st_size)
        record = Record(name, "switches", (spec.name,), name, "2026-01-01T00:00:00Z", False, answers)
        (folder / RECORD).write_bytes(write_record(record))
    return root


def findings(fabric: Fabric, root: Path) -> dict[str, dict[str, set[str]]]:
    """Places of findings by check and device; the speed of a virtual cable is none."""
    tiers = (word for tier in fabric.plan.tiers for word in ("--tier", tier.name))
    done = run("check", fabric.inventory, root, *fabric.words, *tiers, "--format", "json").exits(0, 3)
    found: dict[str, dict[str, set[str]]] = {}
    for device in json.loads(done.stdout)["devices"]:
        for made in device["checks"]:
            assert made["outcome"] in OUTCOMES, made
            for each in made["findings"]:
                if not each["expected"].endswith("Gb/s"):
                    found.setdefault(made["check"], {}).setdefault(device["device"], set()).add(each["at"])
    return found


def small_fabric(folder: Path) -> Fabric:
    """A fabric with two links between each leaf and spine: one can go, and all is still reached."""
    small_inventory(folder, per_pair="2")
    shutil.copytree(INVENTORIES / "quickstart/overlays", folder / "overlays")
    return Fabric(folder, ("frr",))


def test_real_daemons_are_as_planned_until_a_link_is_down(tmp_path: Path) -> None:
    fabric = small_fabric(tmp_path / "fabric")
    expected = fabric.expected
    with running(fabric.inventory, "state", *fabric.words) as lab:
        lab.judge().exits(0)
        assert findings(fabric, collect(lab, fabric, tmp_path / "healthy")) == {}
        (link,) = [link for link in expected("leaf-u001-r0").links if link.peer == "spine-01"][:1]
        lab.on("leaf-u001-r0", "ip", "link", "set", link.port, "down")
        wait(
            lambda: all(
                established(lab, name) == len(expected(name).sessions) - 1 for name in ("leaf-u001-r0", link.peer)
            )
        )
        found = findings(fabric, collect(lab, fabric, tmp_path / "cut"))
    ends = {"leaf-u001-r0": (link.port, link.peer), link.peer: (link.peer_port, "leaf-u001-r0")}
    for device, (port, peer) in ends.items():
        (session,) = (session for session in expected(device).sessions if session.port == port)
        assert session.peer == peer
        assert found["ports"][device] == found["cables"][device] == {port}
        assert found["sessions"][device] == found["bfd"][device] == {session.neighbor}
    assert found.keys() == {"sessions", "bfd", "next hops", "cables", "ports"}
    assert {frozenset(devices) for devices in found.values()} == {frozenset(ends)}
    every = {prefix for width in expected("leaf-u001-r0").widths for prefix in width.prefixes}
    assert found["next hops"]["leaf-u001-r0"] == every
    lost = {prefix for width in expected(link.peer).widths for prefix in width.prefixes} - every
    assert found["next hops"][link.peer] == lost


@pytest.mark.nightly
@pytest.mark.parametrize("fabric", OTHERS, ids=lambda fabric: "-".join((fabric.inventory.name, *fabric.overlays)))
def test_other_fabrics_of_real_daemons_are_as_planned(fabric: Fabric, tmp_path: Path) -> None:
    """Sessions without addresses, hosts that speak BGP, three tiers with exceptions."""
    with running(fabric.inventory, "others", *fabric.words) as lab:
        lab.judge().exits(0)
        assert findings(fabric, collect(lab, fabric, tmp_path / "healthy")) == {}
