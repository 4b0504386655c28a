"""Law 7 on real templates: what is put together from a class's shares equals what is rendered plainly."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fabricgen.device.lower import Lowering
from fabricgen.device.model import Switch
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, HostId
from fabricgen.render.engine import Device, Renderer
from tests.acceptance.run import diagnose
from tests.plain_rendering import render_plain

REPOSITORY = Path(__file__).resolve().parents[2]
FABRICS = sorted(
    intent.parent
    for folder in ("inventories", "tests/fabrics")
    for intent in (REPOSITORY / folder).glob("*/fabric.yaml")
)
LARGEST = "astral"
"""The inventory whose devices take longest to tell apart; not in every run."""


def members(plan: FabricPlan) -> Iterator[Device]:
    """The first, the middle and the last device of every class of switches and of every group of hosts."""
    lowering = Lowering(plan)
    switches: dict[str, list[DeviceId]] = {}
    for device in plan.switches():
        switches.setdefault(lowering.class_key(device), []).append(device)
    hosts: dict[int, list[HostId]] = {}
    for host in plan.all_hosts():
        hosts.setdefault(host.group, []).append(host)
    for alike in switches.values():
        yield from (lowering.lower_switch(alike[at]) for at in sorted({0, len(alike) // 2, len(alike) - 1}))
    for group in hosts.values():
        yield from (lowering.lower_host(group[at]) for at in sorted({0, len(group) // 2, len(group) - 1}))


@pytest.mark.sampled(8, of="folder")
@pytest.mark.parametrize(
    "folder",
    [pytest.param(each, marks=pytest.mark.nightly if each.name == LARGEST else ()) for each in FABRICS],
    ids=lambda folder: folder.name,
)
def test_fragments_equal_plain_rendering(folder: Path) -> None:
    compiled, bag = diagnose(folder)
    renderer = Renderer(compiled.platforms, bag, verify=True)
    for device in members(compiled.plan):
        if isinstance(device, Switch) and device.raw:
            continue  # Snippets are laid over what templates write.
        render = renderer.render_switch if isinstance(device, Switch) else renderer.render_host
        assert render(device) == render_plain(renderer, device), device.hostname
    assert not bag.has_errors
