"""A bundle carried out by ansible-playbook on FRR of a running lab: one that holds, one that is rolled back."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from fabricgen.lab.lifecycle import state
from tests.acceptance.laboratory import Lab, machine_to_oneself, skip_if_told
from tests.acceptance.laboratory import running as running_lab
from tests.acceptance.run import INVENTORIES, render_here, run
from tests.emulated.ansible import play
from tests.emulated.machine import Machine, make_key, running
from tests.waiting import wait

RELOAD = Path("/usr/lib/frr/frr-reload.py")
SPINE, LEAF, OVERLAY = "spine-01", "leaf-u001-r0", ("--overlay", "frr")
LEAFS = (LEAF, "leaf-u001-r4", "leaf-u002-r0", "leaf-u002-r4")
FLOOR = "\nrollout: {floor: 0.5}\n"
DRAINED = f"\nexceptions: [{{device: {SPINE}, state: drained, reason: optics are replaced}}]\n"


@pytest.fixture(autouse=True)
def _alone() -> Iterator[None]:
    skip_if_told()
    if not RELOAD.exists():
        pytest.skip("frr-reload.py (frr-pythontools) is not installed")
    with machine_to_oneself():
        yield


@dataclass(frozen=True)
class Site:
    """A lab, the machine that its first spine is, and a bundle for it."""

    folder: Path
    lab: Lab
    machine: Machine
    others: tuple[Machine, ...] = ()

    def plan(self, change: str) -> Path:
        fabric, bundle = self.folder / "changed", self.folder / "bundle"
        shutil.copytree(self.lab.inventory, fabric)
        intent = fabric / "fabric.yaml"
        intent.write_text(intent.read_text() + change)
        done = run("rollout", str(fabric), str(self.folder / "deployed"), *OVERLAY, "--only", SPINE, "-o", str(bundle))
        done.exits(3)
        return bundle

    def play(self, bundle: Path, *words: str) -> str:
        """Run the playbook of all waves and return its exit status and what it printed."""
        quick = (
            "-e",
            "rollout_retries=10",
            "-e",
            "rollout_delay=2",
            "-e",
            "rollout_drain_seconds=2",
            "-e",
            "rollout_settle_seconds=15",
        )
        done = play(bundle, [self.machine, *self.others], ["site.yml", *quick, *words], self.folder)
        return f"{done.returncode}\n{done.stdout}{done.stderr}"

    def received(self) -> list[dict[str, Any]]:
        """Return the paths to the spine's loopback that a leaf has from it."""
        shown = json.loads(self.lab.on(LEAF, "vtysh", "-c", "show bgp ipv4 unicast 10.255.0.1/32 json"))
        return list(shown["paths"])

    def is_mine(self, neighbor: str, peer: dict[str, Any]) -> bool:
        shown = json.loads(self.lab.on(SPINE, "vtysh", "-c", "show bgp summary json"))
        return bool(peer["remoteAs"] == shown["ipv4Unicast"]["as"] and neighbor)

    def paths_of(self, leaf: str) -> list[dict[str, Any]]:
        """Return the paths over the spine that a leaf has from its first session with it."""
        neighbor = self.neighbor_of(leaf)
        shown = json.loads(self.lab.on(leaf, "vtysh", "-c", f"show bgp ipv4 unicast neighbors {neighbor} routes json"))
        return [path for paths in shown["routes"].values() for path in paths]

    def neighbor_of(self, leaf: str) -> str:
        """Return what a leaf calls the spine in its first session with it."""
        peers = json.loads(self.lab.on(leaf, "vtysh", "-c", "show bgp summary json"))["ipv4Unicast"]["peers"]
        return next(name for name, peer in peers.items() if self.is_mine(name, peer))

    def set_router_id(self, number: str) -> None:
        """Give the spine another router id: in what it runs, in its file and in what is deployed."""
        asn = json.loads(self.lab.on(SPINE, "vtysh", "-c", "show bgp summary json"))["ipv4Unicast"]["as"]
        self.lab.configure(SPINE, f"router bgp {asn}", f"bgp router-id {number}")
        deployed = self.folder / "deployed/switches" / SPINE / "etc/frr/frr.conf"
        for file in (self.machine.path("etc/frr/frr.conf"), deployed):
            text, count = re.subn("bgp router-id .*", f"bgp router-id {number}", file.read_text())
            assert count == 1
            file.write_text(text)
        wait(lambda: self.sessions() == {"Established"})

    def sessions(self) -> set[str]:
        shown = json.loads(self.lab.on(SPINE, "vtysh", "-c", "show bgp summary json"))
        return {peer["state"] for peer in shown["ipv4Unicast"]["peers"].values()}


@contextmanager
def site(folder: Path) -> Iterator[Site]:
    """Boot a fabric of Linux switches with FRR, and let its first spine be reached over SSH."""
    inventory = folder / "fabric"
    shutil.copytree(INVENTORIES / "quickstart", inventory)
    assert render_here(inventory, folder / "deployed", overlays=["frr"]) == []
    with running_lab(inventory, "rollout", *OVERLAY) as lab:
        blueprint = state.load(lab.name)
        home = folder / SPINE
        home.mkdir()
        sockets = {"/run/frr": state.device_folder(lab.name, SPINE)}
        key = make_key(folder, "key")
        with running(SPINE, 1, home, key, inside=blueprint.namespace(SPINE), mounts=sockets) as machine:
            deployed = folder / "deployed/switches" / SPINE / "etc/frr"
            shutil.copytree(deployed, machine.path("etc/frr"), dirs_exist_ok=True)
            machine.path("etc/frr/vtysh.conf").touch()
            yield Site(folder, lab, machine)


@contextmanager
def with_leafs(spine: Site) -> Iterator[Site]:
    blueprint = state.load(spine.lab.name)
    assert blueprint is not None
    with ExitStack() as stack:
        leafs = []
        for number, name in enumerate(LEAFS, 2):
            home = spine.folder / name
            home.mkdir()
            sockets = {"/run/frr": state.device_folder(spine.lab.name, name)}
            inside = blueprint.namespace(name)
            entered = running(name, number, home, spine.machine.key, inside=inside, mounts=sockets)
            leafs.append(stack.enter_context(entered))
            leafs[-1].path("etc/frr/vtysh.conf").touch()
        yield replace(spine, others=tuple(leafs))


@pytest.mark.nightly
def test_drain_reaches_the_neighbours(tmp_path: Path) -> None:
    with site(tmp_path) as spine:
        bundle = spine.plan(DRAINED)
        tried = spine.play(bundle, "--check")
        assert tried.startswith("0\n"), tried
        assert not any("graceful-shutdown" in str(path) for path in spine.received())
        done = spine.play(bundle)
        assert done.startswith("0\n"), done
        assert spine.sessions() == {"Established"}
        paths = [path for path in spine.received() if path["aspath"]["length"] == 1]
        assert paths
        assert {(path["community"]["string"], path["locPrf"]) for path in paths} == {("64512:1 graceful-shutdown", 0)}
        assert "graceful-shutdown" in spine.machine.path("etc/frr/frr.conf").read_text()


@pytest.mark.nightly
def test_session_that_is_missing_rolls_the_change_back(tmp_path: Path) -> None:
    with site(tmp_path) as spine:
        saved = spine.machine.path("etc/frr/frr.conf").read_text()
        summary = json.loads(spine.lab.on(LEAF, "vtysh", "-c", "show bgp summary json"))["ipv4Unicast"]
        neighbor = next(name for name, peer in summary["peers"].items() if spine.is_mine(name, peer))
        spine.lab.configure(LEAF, f"router bgp {summary['as']}", f"neighbor {neighbor} shutdown")
        done = spine.play(spine.plan(DRAINED))
        assert done.startswith("2\n"), done
        assert '"after: sessions" failed, and the device was rolled back.' in done
        shown = spine.lab.on(SPINE, "vtysh", "-c", "show running-config")
        assert "graceful-shutdown" not in [line.strip() for line in shown.splitlines()]
        assert not any("graceful-shutdown" in str(path) for path in spine.received())
        assert spine.machine.path("etc/frr/frr.conf").read_text() == saved


@pytest.mark.nightly
@pytest.mark.parametrize("returns", [True, False])
def test_neighbours_say_when_traffic_is_off_the_spine_and_when_it_is_back(tmp_path: Path, *, returns: bool) -> None:
    """A leaf that keeps the spine's paths at local preference 0 is found: the change stays, and the rollout stops."""
    with site(tmp_path) as alone, with_leafs(alone) as spine:
        spine.set_router_id("10.255.99.1")
        if not returns:
            asn = json.loads(spine.lab.on(LEAF, "vtysh", "-c", "show bgp summary json"))["ipv4Unicast"]["as"]
            line = f"neighbor {spine.neighbor_of(LEAF)} route-map LAST in"
            family = (f"router bgp {asn}", "address-family ipv4 unicast", line)
            spine.lab.configure(LEAF, "route-map LAST permit 10", "set local-preference 0", "exit", *family)
        done = spine.play(spine.plan(FLOOR), "-e", "rollout_retries=5")
        assert done.startswith("0\n" if returns else "2\n"), done
        assert "TASK [drained: neighbors]" in done
        assert ('"undrained: neighbors" failed, but the change is kept' in done) is not returns, done
        assert "10.255.99.1" not in spine.machine.path("etc/frr/frr.conf").read_text(), "the change is saved either way"
        assert spine.sessions() == {"Established"}
        preferences = {leaf: {path.get("locPrf") for path in spine.paths_of(leaf)} for leaf in LEAFS}
        assert preferences == {leaf: {0 if leaf == LEAF and not returns else None} for leaf in LEAFS}
