"""Passive copper at 100G a lane: both ends do the same, by medium, length and what the switches can."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from fabricgen.compiler.compile import compile_document
from fabricgen.device.lower import Lowering
from fabricgen.diagnostics import Bag, IntentPath
from fabricgen.plan.model.identity import Coordinates, Numbering
from fabricgen.plan.model.topology import LinkGroup
from fabricgen.render.engine import Renderer
from tests.unit.plan.test_keys_that_take_part import changed, told

QUICKSTART = Path(__file__).parents[3] / "inventories/quickstart"
LENGTH, MEDIA = ("links", "host-leaf", "cable", "length_m"), ("links", "host-leaf", "cable", "media")
DETOUR = [
    {"link": ["gpu-u001-h01", "leaf-u001-r0"], "n": 1, "cable": {"length_m": 2.5}, "reason": "a longer one was at hand"}
]


def group(speed_gbps: int, lanes: int, *, negotiates: bool = True) -> LinkGroup:
    numbering = Numbering(0, Coordinates())
    return LinkGroup(
        "host-leaf", -1, 0, speed_gbps, lanes, 1, "dac", 3.0, 9100, "mesh", 1, 1, numbering, negotiates, (1, 3)
    )


@pytest.mark.parametrize(
    ("links", "media", "length_m", "both"),
    [
        (group(400, 4), "dac", 2.0, "on"),
        (group(400, 4), "dac", 3.0, "off"),
        (group(400, 4, negotiates=False), "dac", 2.0, "off"),
        (group(400, 8), "dac", 2.0, ""),
        (group(400, 0), "dac", 2.0, ""),
        (group(400, 4), "aoc", 3.0, ""),
        (group(400, 4), "aec", 3.0, ""),
    ],
)
def test_cable_and_switches_decide_for_both_ends(links: LinkGroup, media: str, length_m: float, both: str) -> None:
    assert links.autoneg(media, length_m) == both


def rendered(changes: dict[IntentPath, Any], *overlays: str) -> dict[str, str]:
    """Files of the first leaf and the first host, over copper of a length that the boards are calibrated for."""
    bag = Bag()
    made = compile_document(changed({MEDIA: "dac", **changes}, *overlays), QUICKSTART, bag)
    assert not bag.has_errors, [diagnostic.message for diagnostic in bag]
    lowering, renderer = Lowering(made.plan), Renderer(made.platforms, bag)
    leaf, host = next(made.plan.switches()), next(made.plan.all_hosts())
    files = [*renderer.render_switch(lowering.lower_switch(leaf)), *renderer.render_host(lowering.lower_host(host))]
    return {Path(file.path).name: file.data.decode() for file in files}


def rail_links(files: dict[str, str]) -> list[str]:
    return re.findall(r"^rail\d \S+ \d+ 1 (\S+)$", files["fabricgen-roce"], re.MULTILINE)


def first_port(files: dict[str, str]) -> dict[str, str]:
    return json.loads(files["config_db.json"])["PORT"]["Ethernet0"]


def test_a_length_that_the_board_is_calibrated_for_is_forced_at_switch_and_nic() -> None:
    files = rendered({})
    port = first_port(files)
    assert (port["autoneg"], port["link_training"]) == ("off", "off")
    assert "adv_speeds" not in port
    assert rail_links(files) == ["off:400000"] * 8


def test_any_other_length_negotiates_the_speed_of_the_port_and_trains() -> None:
    files = rendered({LENGTH: 2.5})
    port = first_port(files)
    assert (port["autoneg"], port["link_training"]) == ("on", "on")
    assert (port["adv_speeds"], port["adv_interface_types"]) == ("400000", "CR4")
    assert rail_links(files) == ["on:400000"] * 8


def test_a_single_longer_cable_is_decided_by_itself() -> None:
    files = rendered({("exceptions",): DETOUR})
    ports = json.loads(files["config_db.json"])["PORT"].values()
    assert [port["autoneg"] for port in ports].count("on") == 1
    assert sorted(rail_links(files)) == ["off:400000"] * 7 + ["on:400000"]


def test_optics_are_left_alone() -> None:
    files = rendered({MEDIA: "aoc"})
    assert first_port(files)["autoneg"] == "off"
    assert rail_links(files) == ["-"] * 8


def test_eos_and_nvue_negotiate_fboss_cannot_and_the_nic_follows() -> None:
    eos = rendered({}, "eos")
    assert "   speed auto 400g-4\n   phy link training\n" in eos["startup-config"]
    assert rail_links(eos) == ["on:400000"] * 8
    nvue = rendered({}, "nvue")
    assert "speed: 400G, auto-negotiate: enabled" in nvue["startup.yaml"]
    assert rail_links(nvue) == ["on:400000"] * 8
    assert rail_links(rendered({}, "fboss")) == ["off:400000"] * 8


def test_copper_of_a_single_cable_that_nobody_has_seen_up_is_told_at_its_exception() -> None:
    long = [{**DETOUR[0], "cable": {"length_m": 2.5, "media": "dac"}}]
    (found,) = told("FG-TOP-980", {("exceptions",): long})
    assert found.message.startswith("2.5 m of dac at 400G over 4 lanes negotiates")
    assert found.path == ("exceptions", "[gpu-u001-h01~leaf-u001-r0 1 cable]", "cable")


def test_copper_that_its_board_is_calibrated_for_is_not_proven_either_and_optics_are() -> None:
    (found,) = told("FG-TOP-980", {MEDIA: "dac"})
    assert found.message.startswith("3 m of dac at 400G over 4 lanes is forced, as its switches have settings for it")
    assert found.path == MEDIA
    assert told("FG-TOP-980", {}) == []
