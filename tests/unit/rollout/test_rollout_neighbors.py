"""Answers of neighbors about a device, as the playbook reads it: before its drain, in it, and after it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment
from rollout_site import QUICKSTART, edit_intent, rolled_out
from ruamel.yaml import YAML

from fabricgen.platforms.eos import rollout as eos_rollout
from fabricgen.platforms.families.vtysh import rollout as vtysh
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.patching.rollout import DrainProof
from fabricgen.rollout.ansible.actions import list_actions
from fabricgen.rollout.bundle import PlannedPlatform, PlannedProcedure, PlannedStep
from fabricgen.rollout.checks import NeighborContact, plan_proofs

SONIC = PlannedPlatform("sonic", "posix")
PLACES = [NeighborContact(name, "10.0.0.0", "sonic", "") for name in ("leaf-01", "leaf-02")]


def filters() -> Environment:
    """Return Jinja with the filters of Ansible that the template uses."""
    found = Environment(autoescape=False)
    found.filters["to_json"] = json.dumps
    found.filters["intersect"] = lambda one, other: [each for each in one if each in other]
    found.filters["difference"] = lambda one, other: [each for each in one if each not in other]
    return found


def procedure(proof: DrainProof | None) -> PlannedProcedure:
    told = [(place, proof) for place in PLACES]
    checks = tuple(check.planned for check in (*plan_proofs(told), *plan_proofs(told, ended=True)))
    steps = (PlannedStep("drain", "run", "drain", "", "hitless"),)
    return PlannedProcedure("spine", "switches", "spine", "sonic", "hitless", steps, (), (), checks)


def ask(proof: DrainProof | None, answers: dict[str, Any], mates: Collection[str] = ()) -> dict[str, list[str]]:
    """Return what is open at each moment, by the answers of the neighbor then."""
    actions = list_actions(procedure(proof), {"sonic": SONIC})
    template = filters().from_string((template_root() / "rollout/ansible/asked.jinja").read_text())
    before: dict[str, Any] = {}
    found = {}
    for moment, answer in answers.items():
        (told,) = actions["proofs" if moment == "drained" else "returns"]
        place = {"device": "leaf-01", "neighbor": "10.0.0.0", **told}
        words = {"rollout_proof": told, "place": place, "rollout_before": before, "rollout_asked": moment}
        words |= {"rollout_mates": [*mates], "inventory_hostname": "spine-01"}
        read = json.loads(template.render(answer=answer, **words))
        if moment == "before":
            before[f"{place['device']} {place['neighbor']} {place['command']}"] = read
        found[moment] = read["open"]
    return found


def frr(**paths: dict[str, Any]) -> dict[str, Any]:
    return {"routes": {f"10.{name}.0.0/24": [path] for name, path in paths.items()}}


BEST, EQUAL, DRAINED, LEFT = {"bestpath": True}, {"multipath": True}, {"locPrf": 0}, {"locPrf": 0, "bestpath": True}
BEFORE, DURING = frr(a=BEST, b=EQUAL, c={}), frr(a=DRAINED, b=LEFT, c=DRAINED)
MOMENTS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "as before": (BEFORE, []),
    "more than before": (frr(a=BEST, b=EQUAL, c=EQUAL), []),
    "still drained": (DURING, ["no path"]),
    "no session": (frr(), ["no path"]),
    "not used": (frr(a={}, b=EQUAL, c={}), ["10.a.0.0/24"]),
    "drained by another": (frr(a=DRAINED, b=EQUAL, c={}), []),
    "withdrawn by another": (frr(b=EQUAL), []),
}


WAVE = ("spine-01", "spine-02")
"""A device with another one of its wave that is drained, too."""


@pytest.mark.parametrize("name", MOMENTS)
def test_neighbor_with_frr_sends_over_the_device_as_before(name: str) -> None:
    after, still = MOMENTS[name]
    proof = vtysh.show_drained("10.0.0.0", "ipv4")
    found = ask(proof, {"before": BEFORE, "drained": DURING, "undrained": after}, WAVE)
    assert found == {"before": [], "drained": [], "undrained": still}
    assert ask(proof, {"drained": BEFORE})["drained"] == [f"10.{at}.0.0/24" for at in "abc"]


@pytest.mark.parametrize(
    ("before", "after", "still"),
    [
        pytest.param(BEFORE, frr(a=DRAINED, b=EQUAL, c={}), ["10.a.0.0/24"], id="used before"),
        pytest.param(BEFORE, frr(a=BEST, b=EQUAL, c=DRAINED), ["10.c.0.0/24"], id="never used"),
        pytest.param(frr(a=BEST, b=DRAINED), frr(a=BEST, b=DRAINED), [], id="drained by hand for longer"),
        pytest.param(BEFORE, frr(b=EQUAL), [], id="withdrawn by the change"),
    ],
)
def test_no_path_is_left_demoted_where_no_other_device_of_the_wave_is_drained(
    before: dict[str, Any], after: dict[str, Any], still: list[str]
) -> None:
    proof = vtysh.show_drained("10.0.0.0", "ipv4")
    moments = {"before": before, "undrained": after}
    assert ask(proof, moments, WAVE[:1])["undrained"] == still
    assert ask(proof, moments, WAVE)["undrained"] == []


def eos(preference: int, **flags: bool) -> dict[str, Any]:
    path = {
        "nextHop": "10.0.0.0",
        "localPreference": preference,
        "routeType": {"valid": True, "active": False, **flags},
    }
    other = {"nextHop": "10.0.0.2", "localPreference": 0, "routeType": {"active": True, "ecmp": True}}
    return {"vrfs": {"default": {"bgpRouteEntries": {"10.1.0.0/24": {"bgpRoutePaths": [path, other]}}}}}


def test_neighbor_on_eos_sends_over_the_device_as_before() -> None:
    proof = eos_rollout.show_drained("10.0.0.0", "ipv4")
    moments = {"before": eos(100, ecmp=True), "drained": eos(0), "undrained": eos(100, ecmp=True)}
    assert not any(ask(proof, moments).values())
    assert ask(proof, {**moments, "undrained": eos(100)})["undrained"] == ["10.1.0.0/24"]
    assert ask(proof, {**moments, "undrained": eos(0)})["undrained"] == ["no path"]


@pytest.mark.parametrize("path", ["switch/eos/ansible/neighbors.yml", "rollout/ansible/posix/neighbors.yml"])
def test_neighbor_that_is_drained_as_well_is_not_asked_for_the_end(path: str) -> None:
    task, *_ = YAML(typ="safe").load(template_root() / path)
    told = {"rollout_proof": {"command": "show"}, "rollout_mates": ["leaf-02"], "rollout_mine": {"neighbors": 0}}
    names = ("leaf-01", "leaf-02", "leaf-03")
    places = [{"device": name, **({"stays": True} if name == "leaf-03" else {})} for name in names]
    every = render(task["vars"]["rollout_places"], rollout_own={"neighbors": [{"show": places}]}, **told)
    assert [place["device"] for place in every] == [*names]
    assert [place["device"] for place in render(task["vars"]["rollout_back"], rollout_places=every, **told)] == [
        "leaf-01"
    ]


def render(text: str, **words: Any) -> list[dict[str, Any]]:
    return list(filters().compile_expression(text.removeprefix("{{ ").removesuffix(" }}"))(**words))


@pytest.mark.parametrize("path", ["switch/eos/ansible/neighbors.yml", "rollout/ansible/posix/neighbors.yml"])
def test_neighbor_whose_command_fails_is_asked_again(path: str) -> None:
    task, *_ = YAML(typ="safe").load(template_root() / path)
    until = filters().compile_expression(task["until"])
    asked = {"open": []}
    assert until(rollout_asked="drained", seen={"rc": 0, "stdout": ["{}"]}, asked=asked)
    assert not until(rollout_asked="drained", seen={"rc": 1, "failed": True}, asked=asked)
    assert not until(rollout_asked="drained", seen={"rc": 0, "stdout": ["{}"]}, asked={"open": ["10.1.0.0/24"]})


@pytest.mark.parametrize("path", ["switch/eos/ansible/neighbors.yml", "rollout/ansible/posix/neighbors.yml"])
def test_each_address_family_of_a_neighbor_is_compared_with_itself_alone(path: str) -> None:
    _, task, *_ = YAML(typ="safe").load(template_root() / path)
    noted = re.search(r"combine\(\{(.+?): asked", task["ansible.builtin.set_fact"]["rollout_before"])
    assert noted
    assert f"rollout_before[{noted[1]}]" in (template_root() / "rollout/ansible/asked.jinja").read_text()
    key = filters().compile_expression(noted[1])
    place = {"device": "leaf-01", "neighbor": "Ethernet0"}
    assert len({key(place={**place, "command": command}) for command in ("ipv4", "ipv6")}) == 2


def test_every_neighbor_of_an_eos_switch_is_asked(tmp_path: Path) -> None:
    """Each next hop of it is a question of its own with the same command, and only the last one was asked."""
    deployed = edit_intent(Path(shutil.copytree(QUICKSTART, tmp_path / "deployed")), more="rollout: {floor: 0.5}\n")
    hashed = "routing: {ecmp: {hash: [five_tuple, ingress_port]}}\n"
    intended = edit_intent(Path(shutil.copytree(deployed, tmp_path / "intended")), more=hashed)
    planned = rolled_out(intended, deployed, tmp_path / "bundle", "FG-ROL-011", overlays=("eos",))
    (asked,) = json.loads(planned.files["devices/spine-01.json"])["neighbors"]
    (places,) = asked.values()
    assert {place["device"] for place in places} == {f"leaf-u00{unit}-r{rail}" for unit in (1, 2) for rail in (0, 4)}
    assert len({place["neighbor"] for place in places}) == len(places) == 32
    (spine, *_) = (device for device in planned.rollout.devices if device.name == "spine-01")
    checks = planned.rollout.procedure_of(spine).checks
    assert [check.when for check in checks if check.subject == "neighbors"] == ["drained", "undrained"]
