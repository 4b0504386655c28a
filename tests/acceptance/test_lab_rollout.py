"""A bundle carried out by ansible-playbook on FRR of a running lab: one that holds, one that is rolled back."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fabricgen.lab.lifecycle import state
from tests.acceptance.laboratory import Lab, machine_to_oneself, skip_if_told
from tests.acceptance.laboratory import running as running_lab
from tests.acceptance.run import INVENTORIES, render_here, run
from tests.emulated.ansible import play
from tests.emulated.machine import Machine, make_key, running

RELOAD = Path("/usr/lib/frr/frr-reload.py")
SPINE, LEAF, OVERLAY = "spine-01", "leaf-u001-r0", ("--overlay", "frr")
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

    def plan(self, change: str) -> Path:
        """Plan the rollout of a change to the spine."""
        fabric, bundle = self.folder / "changed", self.folder / "bundle"
        shutil.copytree(self.lab.inventory, fabric)
        intent = fabric / "fabric.yaml"
        intent.write_text(intent.read_text() + change)
        done = run("rollout", str(fabric), str(self.folder / "deployed"), *OVERLAY, "--only", SPINE, "-o", str(bundle))
        assert done.returncode == 3, done.stderr
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
        done = play(bundle, [self.machine], ["site.yml", *quick, *words], self.folder)
        return f"{done.returncode}\n{done.stdout}{done.stderr}"

    def received(self) -> list[dict[str, Any]]:
        """Return the paths to the spine's loopback that a leaf has from it."""
        shown = json.loads(self.lab.on(LEAF, "vtysh", "-c", "show bgp ipv4 unicast 10.255.0.1/32 json"))
        return list(shown["paths"])

    def is_mine(self, neighbor: str, peer: dict[str, Any]) -> bool:
        """Return whether a neighbour of the leaf is the spine."""
        shown = json.loads(self.lab.on(SPINE, "vtysh", "-c", "show bgp summary json"))
        return bool(peer["remoteAs"] == shown["ipv4Unicast"]["as"] and neighbor)

    def sessions(self) -> set[str]:
        """Return the states of the spine's sessions."""
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
        assert blueprint is not None
        home = folder / SPINE
        home.mkdir()
        sockets = {"/run/frr": state.device_folder(lab.name, SPINE)}
        key = make_key(folder, "key")
        with running(SPINE, 1, home, key, inside=blueprint.namespace(SPINE), mounts=sockets) as machine:
            shutil.copytree(
                folder / "deployed/switches" / SPINE / "etc/frr", machine.path("etc/frr"), dirs_exist_ok=True
            )
            machine.path("etc/frr/vtysh.conf").touch()
            yield Site(folder, lab, machine)


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
