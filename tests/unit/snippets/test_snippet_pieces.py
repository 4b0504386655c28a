"""Patterns of commands, positions in JSON, and owners of addresses."""

from __future__ import annotations

import json
import random
from ipaddress import ip_network
from pathlib import Path

import pytest

from fabricgen.api import compile_inventory
from fabricgen.device.lower import Lowering
from fabricgen.diagnostics import Bag
from fabricgen.plan.model.owners import find_overlaps
from fabricgen.platforms.commands.grammar import Grammar
from fabricgen.platforms.reading.json_places import JsonPlaces

ROOT = Path(__file__).resolve().parents[3]
PATTERNS = Grammar(
    [
        ("neighbor <A.B.C.D|X:X::X:X|WORD> remote-as <(1-4294967295)|internal>", 1),
        ("[no] delay ![(1-10)]", 2),
        ("match {ge (0-32)|le (0-32)}", 4),
        ("describe LINE...", 8),
        ("vni (1-9)[only]", 16),
        ("[no] address A.B.C.D/M", 32),
    ]
)


@pytest.mark.parametrize(
    ("line", "marks", "known"),
    [
        ("neighbor 10.0.0.1 remote-as 7", 1, 4),
        ("neighbor x remote-as 0", 0, 3),
        ("neighbor x remote 1", 0, 2),
        ("delay 3", 2, 2),
        ("delay", 0, 1),
        ("no delay", 2, 2),
        ("delay 11", 0, 1),
        ("match le 3 ge 2", 4, 5),
        ("match", 0, 1),
        ("describe a b c", 8, 4),
        ("describe", 0, 1),
        ("vni 3 only", 16, 3),
        ("address 10.0.0.0/33", 0, 1),
        ("no address 10.0.0.0/31", 32, 3),
        ("nothing of this", 0, 0),
    ],
)
def test_pattern(line: str, marks: int, known: int) -> None:
    found = PATTERNS.match(line.split())
    assert (found.marks, found.known) == (marks, known)


@pytest.mark.parametrize("indent", [None, 1, 4])
def test_positions_in_json(indent: int | None) -> None:
    data = {"a": {'b"{': [1, {"c": "},"}], "": None}, "d": [[], [True, "x"]]}
    text = json.dumps(data, indent=indent)
    places, lines = JsonPlaces(text), text.split("\n")

    def at(place: tuple[int, int]) -> str:
        return lines[place[0] - 1][place[1] - 1 :]

    assert at(places.key(("a", 'b"{'))).startswith('"b\\"{"')
    assert at(places.key(("a", 'b"{', "1", "c"))).startswith('"c"')
    assert at(places.value(("a", 'b"{', "1", "c"))).startswith('"},"')
    assert at(places.value(("a", ""))).startswith("null")
    assert at(places.value(("d", "1", "1"))).startswith('"x"')
    assert at(places.value(("d", "0"))).startswith("[")


@pytest.mark.parametrize("name", ["quickstart", "irregular", "hpn7-pod", "dual-plane", "dual-tor"])
def test_owner_is_the_one_that_a_search_finds(name: str) -> None:
    """Every switch's addresses lead to it, and addresses at random to whom a search over all switches finds."""
    compiled = compile_inventory(ROOT / "inventories" / name, (), Bag())
    assert compiled is not None
    assert compiled.plan is not None
    plan, lowering = compiled.plan, Lowering(compiled.plan)
    dice = random.Random(name)
    devices = list(plan.switches())
    blocks: dict[str, list[tuple[int, int]]] = {"loopbacks": [], "management": [], "host_links": []}
    for device in devices:
        switch = lowering.lower_switch(device)
        for key, text in (("loopbacks", switch.loopback), ("management", switch.management)):
            if not text:
                continue
            network = ip_network(text)
            blocks[key].append((int(network[0]), int(network[-1])))
            assert [each.device for each in find_overlaps(plan, network) if each.key == key] == [device]
        if switch.aggregate:
            network = ip_network(switch.aggregate)
            blocks["host_links"].append((int(network[0]), int(network[-1])))
            last = ip_network(network[-1])
            owner = next(each.device for each in find_overlaps(plan, last) if each.key == "host_links")
            assert owner is not None
            assert lowering.lower_switch(owner).aggregate == switch.aggregate
    pools = {"loopbacks": plan.addressing.loopbacks, "management": plan.addressing.management}
    pools["host_links"] = plan.addressing.host_links
    for key, pool in pools.items():
        for _ in range(200 if pool.ipv4 else 0):
            assert pool.ipv4 is not None
            length = dice.choice((24, 28, 30, 32))
            number = pool.ipv4[0] + dice.randrange(1 << dice.choice((6, min(10, 32 - pool.ipv4[1]), 32 - pool.ipv4[1])))
            network = ip_network((number >> (32 - length) << (32 - length), length))
            low, high = int(network[0]), int(network[-1])
            wanted = any(first <= high and last >= low for first, last in blocks[key])
            found = [each.device for each in find_overlaps(plan, network) if each.key == key]
            assert [device is not None for device in found] in ([wanted], []), network


@pytest.mark.parametrize("name", ["quickstart", "hpn7-pod", "rail-1k"])
def test_owner_of_a_link_is_one_of_its_ends(name: str) -> None:
    compiled = compile_inventory(ROOT / "inventories" / name, (), Bag())
    assert compiled is not None
    assert compiled.plan is not None
    plan, lowering, seen = compiled.plan, Lowering(compiled.plan), 0
    for device in list(plan.switches())[:: max(1, sum(1 for _ in plan.switches()) // 12)]:
        switch = lowering.lower_switch(device)
        for port in switch.ports:
            for text in filter(None, (port.address, port.address6)):
                owners = [each.device for each in find_overlaps(plan, ip_network(text)) if each.key == "fabric_links"]
                for owner in owners:
                    seen += 1
                    assert owner is not None
                    assert plan.device_name(owner) in (switch.hostname, port.peer)
    assert seen
