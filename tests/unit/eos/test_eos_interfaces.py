"""Interfaces of EOS: names of every kind of cage, blocks that a refused name cannot mix up, the head of the file."""

from __future__ import annotations

import re

import pytest

from fabricgen.catalog.loader import load_catalog
from fabricgen.catalog.records import SwitchModel
from fabricgen.diagnostics import Bag
from fabricgen.plan.planner.ports import PortNames
from fabricgen.platforms.eos import view
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.manifest.load import load_platforms
from fabricgen.platforms.manifest.spec import PlatformSpec
from tests.unit.conformance_files import startup_configs

LEAF = "leaf-p1-u01-r0"
BOXES = ("arista_7060dx5_64s", "arista_7060x6_64pe", "arista_7060x6_64pe_b")


@pytest.fixture(scope="module")
def eos() -> PlatformSpec:
    bag = Bag()
    spec = load_platforms({"eos": ()}, "switch", bag, [template_root()])["eos"]
    assert not list(bag)
    return spec


def load_model(name: str) -> SwitchModel:
    return load_catalog(switches={name: ()}, nics={}, servers={}, bag=Bag()).switches[name]


@pytest.fixture(scope="module")
def names(eos: PlatformSpec) -> PortNames:
    return PortNames(eos.port_pattern, eos.subport_pattern, eos.sfp_pattern)


@pytest.mark.parametrize("box", BOXES)
def test_sfp_ports_have_no_lane_in_their_names(box: str, names: PortNames) -> None:
    model = load_model(box)
    service = [cage for cage in model.cages if cage.service]
    assert [names.name(cage, 0, 0, 1) for cage in service] == ["Ethernet65", "Ethernet66"]
    assert names.name(model.cages[0], 4, 1, 2) == "Ethernet1/5"


def test_names_are_those_that_sonic_took_over_from_eos(names: PortNames) -> None:
    model = load_model(BOXES[0])
    for cage in model.cages:
        for mode in cage.modes:
            offset = 0
            for child, (port, alias) in enumerate(zip(mode.ports, mode.aliases, strict=True)):
                assert names.name(cage, offset, child, len(mode.ports)) == alias, (cage.index, mode.text)
                offset += port.lanes


def test_tools_know_the_file_by_its_first_line(eos: PlatformSpec) -> None:
    text = startup_configs({("tiers", "leaf", "model"): BOXES[1]}, without=(("exceptions",), ("expect",)))[LEAF]
    assert text.partition("\n")[0] == f"! device: {LEAF} (DCS-7060X6-64PE, EOS-{eos.target})"
    assert re.search(r"^! device: .*\(.*EOS-\d", text), "how Batfish knows a configuration of EOS"


def test_a_box_of_unknown_name_still_tells_its_system(eos: PlatformSpec) -> None:
    assert startup_configs()[LEAF].startswith(f"! device: {LEAF} (EOS-{eos.target})\n")
    assert eos.target == view.TARGET
