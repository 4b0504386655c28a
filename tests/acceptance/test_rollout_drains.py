"""Drains of a rollout, run by ansible-playbook: neighbors decide whether one has begun, and whether it has ended."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from fabricgen.platforms.eos import rollout as eos_rollout
from fabricgen.platforms.families.vtysh import rollout as vtysh
from fabricgen.platforms.patching.rollout import DrainProof
from fabricgen.rollout.bundle import PlannedCheck
from fabricgen.rollout.checks import Check, NeighborContact
from tests.acceptance.laboratory import real as real
from tests.acceptance.playbook_site import NOBODY, UP, Site, SiteDevice, noted, running_eos, step
from tests.emulated.answers import spell
from tests.emulated.machine import make_key


def proof_of(proof: DrainProof | None, command: str, place: NeighborContact, when: str = "drained") -> Check:
    """Return the check that a neighbor takes other paths, or that it is back."""
    values = {key: getattr(proof, key) for key in ("routes", "preference", "paths", "via", "used")}
    values["platform"] = place.platform
    text = proof.expected if when == "drained" else proof.returned
    return Check(PlannedCheck(when, "neighbors", command, "json", text, values), (place,))


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
"""Answers of neighbors about devices before a drain, in it, and after it."""


def asked(site: Site, name: str, answers: tuple[dict[str, Any], ...]) -> SiteDevice:
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
    proof = (vtysh if "routes" in answers[0] else eos_rollout).show_drained("10.0.0.0", "ipv4")
    place = NeighborContact("leaf-01", "10.0.0.0", "sonic", "")
    checks = (proof_of(proof, f"cat {folder}/now", place, when) for when in ("drained", "undrained"))
    return device._replace(steps=tuple(steps), checks=(*device.checks, *checks))


@pytest.mark.nightly
def test_neighbors_decide_whether_a_drain_has_begun_and_ended(tmp_path: Path) -> None:
    """Without its begin nothing is changed; without its end the change stays, and the rollout stops and says so."""
    site = Site(tmp_path)
    site.wave(*(asked(site, name, answers) for name, answers in NEIGHBORS.items()))
    site.wave(site.device("next", UP))
    done = site.play()
    told = done.stdout
    done.exits(2)
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
    with running_eos(tmp_path, "leaf-01", 1, key) as machine:
        devices = []
        for name, neighbor in proofs.items():
            proof = eos_rollout.show_drained(neighbor, "ipv4")
            place = NeighborContact("leaf-01", neighbor, "eos", machine.address)
            place = place._replace(device="leaf-02", address=NOBODY) if name == "spine-03" else place
            place = place._replace(device="leaf-03", platform="sonic", address=NOBODY) if name == "spine-04" else place
            device = site.device(name, UP, drains=True)
            check = proof_of(proof, "show ip bgp vrf all | json", place)
            devices.append(device._replace(checks=(*device.checks, check)))
        site.wave(*devices)
        (tmp_path / ".ssh").mkdir()
        shutil.copy(machine.known_hosts, tmp_path / ".ssh/known_hosts")
        done = site.play(ansible_user="root", ansible_private_key_file=str(machine.key))
    done.exits(2)
    assert [site.log(name)[2:] for name in proofs] == [
        ["changed", "loaded", "confirmed", "saved"],
        *[["restored", "reloaded"]] * 3,
    ], done.stdout + done.stderr
    assert done.stdout.count('"drained: neighbors" failed, and the device was rolled back. leaf-0') == 2, done.stdout
    assert '"drained: neighbors that do not answer" failed, and the device was rolled back. leaf-03' in done.stdout
