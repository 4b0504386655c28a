"""Random kinds of units, and brute force that spells out as exceptions which devices and cables they lack."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from .dice import Dice
from .model import Model
from .records import Cable, number, speed

Item = dict[str, Any]


def draw_kinds(dice: Dice, model: Model) -> dict[str, Item]:
    """Kinds of one unit each; the first unit lacks nothing."""
    found: dict[str, Item] = {}
    for unit in range(2, number(model.units) + 1):
        leafs = [
            leaf for leaf in model.switches.values() if leaf.tier == model.tiers[0] and leaf.place.unit == unit - 1
        ]
        uppers = [cable.b for cable in model.cables if cable.a == leafs[0].name]
        width, pairs = len(set(uppers)), uppers.count(uppers[0]) if uppers else 1
        # A spine without a link to a leaf has no routes to it, which the reader across devices expects.
        fewer = [width * each for each in range(1, pairs)]
        choices: list[Item] = [{"state": "absent"}, *([{"uplinks": dice.one_of(*fewer)}] if fewer else [])]
        group = dice.one_of(*(name for name in model.data["hosts"] if model.in_unit(name, unit - 1)))
        choices.append({"hosts": {group: dice.between(0, number(model.data["hosts"][group]["per_unit"]))}})
        found[f"kind_{unit}"] = {"units": dice.one_of(unit, f"{unit}", f"{unit}-{unit}"), **dice.one_of(*choices)}
    return found


def kinds_of(model: Model) -> dict[str, Item]:
    units = model.data["units"]
    return units.get("kinds", {}) if isinstance(units, dict) else {}


def is_of(said: Item, unit: int) -> bool:
    return int(str(said["units"]).partition("-")[0]) == unit + 1


def lacking(model: Model) -> Iterator[Item]:
    """An exception for each device and cable that a unit lacks."""
    for said in kinds_of(model).values():
        leafs = [
            leaf for leaf in model.switches.values() if leaf.tier == model.tiers[0] and is_of(said, leaf.place.unit)
        ]
        gone = "state" in said
        yield from ({"device": leaf.name, "state": "absent"} for leaf in leafs if gone)
        for host in model.hosts.values():
            fewer = not host.spare and host.number >= said.get("hosts", {}).get(host.group, host.number + 1)
            if is_of(said, host.place.unit) and (gone or fewer):
                yield {"host": host.name, "state": "absent"}
        for leaf in leafs if "uplinks" in said else ():
            uppers = [cable.b for cable in model.cables if cable.a == leaf.name]
            first = list(dict.fromkeys(uppers))
            turns = [(parallel, upper) for parallel in range(uppers.count(uppers[0])) for upper in first]
            for parallel, upper in turns[said["uplinks"] :]:
                yield {"link": [leaf.name, upper], "n": parallel + 1, "state": "absent"}


def kind_ratios(model: Model, cables: list[Cable]) -> dict[str, str | None]:
    """Downlink over uplink Gb/s of the most loaded leaf of each kind, by the cables that are there."""
    found = {}
    for name, said in kinds_of(model).items():
        leafs = {leaf.name for leaf in model.switches.values() if is_of(said, leaf.place.unit)}
        down, up = dict.fromkeys(leafs, 0), dict.fromkeys(leafs, 0)
        for cable in cables:
            gbps = speed(model.data["links"][cable.link])
            if cable.b in leafs and not model.hosts[cable.a].spare:
                down[cable.b] += gbps
            if cable.a in leafs:
                up[cable.a] += gbps
        shares = [Fraction(down[leaf], up[leaf]) for leaf in leafs if up[leaf]]
        if "state" not in said:
            most = max(shares) if shares else None
            found[f"{model.tiers[0]}.{name}"] = f"{most.numerator}:{most.denominator}" if most is not None else None
    return found
