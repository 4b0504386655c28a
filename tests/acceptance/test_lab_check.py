"""``fabricgen check`` over what a lab answers: nothing on a healthy one, every symptom of a link that is down."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from fabricgen.state.expected import Expectations, Expected
from fabricgen.state.findings import Outcome
from tests.acceptance.laboratory import Lab, running, small_inventory
from tests.acceptance.laboratory import alone as alone
from tests.acceptance.run import INVENTORIES, REPOSITORY, run
from tests.unit.lab.fabrics import compiled
from tests.waiting import wait


class Fabric(NamedTuple):
    """An inventory with overlays."""

    inventory: Path
    overlays: tuple[str, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """The overlays as the command line takes them."""
        return tuple(word for name in self.overlays for word in ("--overlay", name))

    def expected(self, name: str) -> Expected:
        return Expectations(compiled(str(self.inventory), *self.overlays).plan).of(name)


OUTCOMES = {Outcome.expected, Outcome.different, Outcome.lacking, Outcome.single}
"""Outcomes of a lab, whose virtual cables have neither modules nor FEC."""
OTHERS = (
    Fabric(INVENTORIES / "quickstart", ("frr", "unnumbered")),
    Fabric(INVENTORIES / "quickstart", ("frr", "host-bgp")),
    Fabric(INVENTORIES / "quickstart", ("eos",)),
    Fabric(REPOSITORY / "tests/fabrics/conformance", ("frr",)),
)


def established(lab: Lab, device: str) -> int:
    """Return the number of a device's sessions that are up, where BFD sees as many."""
    states = [peer["state"] for peer in lab.bgp(device)["peers"].values()]
    bfd = [peer["status"] for peer in lab.show(device, "bfd peers")]
    return states.count("Established") if states.count("Established") == bfd.count("up") else -1


def collect(lab: Lab, root: Path) -> Path:
    lab.ask("collect", "-o", str(root)).exits(0)
    return root


def findings(fabric: Fabric, root: Path) -> dict[str, dict[str, set[str]]]:
    done = run("check", fabric.inventory, root, *fabric.words, "--format", "json").exits(0, 3)
    found: dict[str, dict[str, set[str]]] = {}
    for device in json.loads(done.stdout)["devices"]:
        for made in device["checks"]:
            assert made["outcome"] in OUTCOMES, made
            for each in made["findings"]:
                found.setdefault(made["check"], {}).setdefault(device["device"], set()).add(each["at"])
    return found


def small_fabric(folder: Path) -> Fabric:
    """A fabric with two links between each leaf and spine: one can go, and all is still reached."""
    small_inventory(folder, per_pair="2")
    shutil.copytree(INVENTORIES / "quickstart/overlays", folder / "overlays")
    return Fabric(folder, ("frr",))


@pytest.mark.nightly
def test_real_daemons_are_as_planned_until_a_link_is_down(tmp_path: Path) -> None:
    fabric = small_fabric(tmp_path / "fabric")
    expected = fabric.expected
    with running(fabric.inventory, "state", *fabric.words) as lab:
        lab.judge().exits(0)
        assert findings(fabric, collect(lab, tmp_path / "healthy")) == {}
        (link,) = [link for link in expected("leaf-u001-r0").links if link.peer == "spine-01"][:1]
        lab.on("leaf-u001-r0", "ip", "link", "set", link.port, "down")
        ends = ("leaf-u001-r0", link.peer)
        wait(lambda: all(established(lab, name) == len(expected(name).sessions) - 1 for name in ends))
        found = findings(fabric, collect(lab, tmp_path / "cut"))
    places = {"leaf-u001-r0": (link.port, link.peer), link.peer: (link.peer_port, "leaf-u001-r0")}
    for device, (port, peer) in places.items():
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
    """Sessions without addresses, hosts that speak BGP, control plane equivalents, three tiers with exceptions."""
    with running(fabric.inventory, "others", *fabric.words) as lab:
        lab.judge().exits(0)
        assert findings(fabric, collect(lab, tmp_path / "healthy")) == {}
