"""``fabricgen collect`` and ``fabricgen check`` one after the other, as a pipeline runs them every night.

Devices are real SSH servers that answer the commands of their manifests.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from fabricgen.api import compile_inventory
from fabricgen.collect.target import CollectTarget, spell_command
from fabricgen.collect.targets import DeviceAccess, list_targets
from fabricgen.diagnostics import Bag
from fabricgen.plan.model.fabric import FabricPlan
from tests.acceptance.run import INVENTORIES, render_here, run
from tests.command_line import Done
from tests.emulated_devices import Emulated, Reply, emulate, serve_fleet
from tests.unit.state.answers import WRITERS
from tests.unit.state.bench import Bench
from tests.unit.state.collected import all_benches

INVENTORY = INVENTORIES / "quickstart"


class Night:
    """A fabric of emulated devices, its rendered tree, and the folder of the pipeline."""

    def __init__(self, folder: Path) -> None:
        bag = Bag()
        compiled = compile_inventory(INVENTORY, (), bag)
        assert compiled.plan is not None
        assert compiled.platforms is not None
        assert render_here(INVENTORY, folder / "tree") == []
        self.folder, self.plan = folder, compiled.plan
        self.targets = list_targets(compiled.plan, compiled.platforms, None, DeviceAccess(), bag)

    def run(self, benches: Mapping[str, Bench], name: str) -> Done:
        """Collect from devices in that state, judge them, and return what ``check`` did."""
        devices = [self._device(target, benches[target.name]) for target in self.targets]
        with serve_fleet(devices, self.folder) as fleet:
            taken = run("collect", INVENTORY, "-o", self.folder / name, *fleet.options)
        taken.exits(0)
        return run("check", INVENTORY, self.folder / name, "--format", "json")

    def _device(self, target: CollectTarget, bench: Bench) -> Emulated:
        device = emulate(target, self.folder / "tree")
        writers = WRITERS["sonic" if target.kind == "switches" else "ubuntu"]
        for reading in target.readings:
            if reading.state in writers:
                device.replies[spell_command(reading, sudo=True)] = Reply(writers[reading.state](bench).encode())
        return device


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Night:
    return Night(tmp_path_factory.mktemp("night"))


def benches(plan: FabricPlan) -> dict[str, Bench]:
    return all_benches(plan)


@pytest.mark.nightly
def test_healthy_fabric_is_clean_and_a_faulty_one_is_found_without_hands(night: Night) -> None:
    done = night.run(benches(night.plan), "monday").exits(0)
    made = json.loads(done.stdout)
    assert made["clean"]
    assert len(made["devices"]) == 14
    spoiled = benches(night.plan)
    spoiled["leaf-u001-r0"].watchdogs["Ethernet0"][0] = "N/A"
    spoiled["spine-02"].ports["Ethernet8"][1] = 200
    done = night.run(spoiled, "tuesday").exits(3)
    found = {
        (device["device"], made["check"], finding["at"])
        for device in json.loads(done.stdout)["devices"]
        for made in device["checks"]
        for finding in made["findings"]
    }
    assert found == {("leaf-u001-r0", "watchdog", "Ethernet0"), ("spine-02", "ports", "Ethernet8")}
