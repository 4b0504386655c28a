"""Collecting a lab: what is asked where, files as the lab keeps them, and routing as the device would have it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from fabricgen.collect.target import LAB, CollectTarget, spell_command
from fabricgen.diagnostics import Bag
from fabricgen.diff.kinds import load_kinds
from fabricgen.lab.collection import GIVEN, LabWay, list_targets, load_specs
from fabricgen.lab.lifecycle import state
from fabricgen.lab.model.blueprint import Blueprint, from_text, to_text
from fabricgen.lab.model.configuration import adapt_routing, restore_routing
from fabricgen.platforms.manifest.readings import ABSENT, STATES
from tests.unit.lab.fabrics import lab_of

LEAF, HOST = "leaf-u001-r0", "gpu-u001-h01"
CONFIG_DB, ROUTING = "etc/sonic/config_db.json", "etc/sonic/frr/frr.conf"


@pytest.fixture(scope="module")
def blueprint() -> Blueprint:
    return lab_of("quickstart")


@pytest.fixture(scope="module")
def targets(blueprint: Blueprint) -> dict[str, CollectTarget]:
    bag = Bag()
    found = list_targets(blueprint, load_specs(blueprint, bag), (), bag)
    assert not list(bag)
    return {target.name: target for target in found}


@pytest.fixture
def kept(blueprint: Blueprint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of a leaf, in the folder of a lab."""
    monkeypatch.setattr(state, "ROOT", tmp_path)
    state.keep_files(blueprint.lab, blueprint.node(LEAF))
    return state.files_folder(blueprint.lab, LEAF)


def ask(blueprint: Blueprint, target: CollectTarget, name: str) -> tuple[int | None, bytes]:
    """Return the status and the answer of a reading by its path or state."""
    (reading,) = (each for each in target.readings if name in (each.path, each.state))
    parts: list[bytes] = []

    async def run() -> int | None:
        session = await LabWay(blueprint).connect(target)
        return (await session.run(spell_command(reading, sudo=False), parts.append)).status

    return asyncio.run(run()), b"".join(parts)


def test_switches_answer_as_plain_linux_and_have_the_files_of_their_own_platform(
    targets: dict[str, CollectTarget],
) -> None:
    leaf, host = targets[LEAF], targets[HOST]
    assert (leaf.via, leaf.kind, leaf.platforms, leaf.address) == (LAB, "switches", ("sonic", "frr"), "lab test")
    assert [reading.path for reading in leaf.readings if reading.path][-2:] == [CONFIG_DB, ROUTING]
    commands = {reading.state: reading.command for reading in leaf.readings if reading.state}
    assert commands["routes"] == "ip -j route"
    assert (host.kind, host.platforms) == ("hosts", ("ubuntu", "mlx5"))
    states = [reading.state for reading in host.readings if reading.state]
    assert len(states) == len(set(states))
    assert set(STATES) >= GIVEN


def test_only_some_devices_are_targets(blueprint: Blueprint) -> None:
    bag = Bag()
    found = list_targets(blueprint, load_specs(blueprint, bag), ("spine-*",), bag)
    assert [target.name for target in found] == ["spine-01", "spine-02"]


def test_files_are_those_that_the_lab_keeps_also_after_a_change_by_hand(
    blueprint: Blueprint, targets: dict[str, CollectTarget], kept: Path
) -> None:
    rendered = dict(blueprint.node(LEAF).files)
    assert ask(blueprint, targets[LEAF], CONFIG_DB) == (0, rendered[CONFIG_DB].encode())
    (kept / CONFIG_DB).write_text("{}")
    assert ask(blueprint, targets[LEAF], CONFIG_DB) == (0, b"{}")
    (kept / CONFIG_DB).unlink()
    assert ask(blueprint, targets[LEAF], CONFIG_DB) == (ABSENT, b"")


def test_states_that_a_lab_cannot_have_are_not_asked_for(
    blueprint: Blueprint, targets: dict[str, CollectTarget]
) -> None:
    for name in ("optics", "fec", "fec_modes", "system"):
        assert ask(blueprint, targets[LEAF], name) == (ABSENT, b"")
    assert ask(blueprint, targets[HOST], "rdma") == (ABSENT, b"")


def test_the_blueprint_of_a_running_lab_leaves_files_to_its_folder(blueprint: Blueprint) -> None:
    again = from_text(to_text(blueprint))
    assert again == blueprint, "files are no part of what a lab is compared by"
    assert not any(node.files for node in again.nodes)
    assert again.node(LEAF).platforms == ("sonic",)


def test_what_daemons_run_is_what_was_rendered_once_the_lab_is_taken_back(blueprint: Blueprint) -> None:
    (kind,) = {kind.name: kind for kind in load_kinds(None, Bag()).all() if kind.path == ROUTING}.values()
    for node in blueprint.switches:
        rendered = dict(node.files)[ROUTING]
        adapted = adapt_routing(rendered)
        assert adapted.adapted
        assert kind.read(adapted.text) != kind.read(rendered)
        assert kind.read(restore_routing(adapted.text, rendered)) == kind.read(rendered)


def test_lines_of_a_section_that_is_gone_are_not_put_back() -> None:
    rendered = "frr defaults datacenter\nlog syslog informational\nrouter bgp 65001\n bgp suppress-fib-pending\nexit\n"
    running = "frr version 8.4.4\nfrr defaults datacenter\nno zebra nexthop kernel enable\nend\n"
    restored = restore_routing(running, rendered)
    assert restored == "frr version 8.4.4\nfrr defaults datacenter\nlog syslog informational\nend\n"
