"""Random tiers and links: how many switches, which boxes, who meets whom, speeds, cables and names."""

from __future__ import annotations

from .dice import Dice
from .hardware import BOXES, NICS, SYSTEMS
from .records import Data
from .wording import Wording

REACH_M = {"dac": (3,), "aec": (3, 7), "aoc": (30,), "mmf": (30, 100), "smf": (30, 40, 300)}
"""Lengths to draw from, by medium."""
UPPER_NAMES = (("spine", "core", "super"), ("agg", "core", "top"))
LEAF_NAMES = ("leaf", "leaf", "tor")
RELEASES = (202405, 202411, 202505, 202511, 202605)


def draw_tiers(dice: Dice, data: Data, leaf: Data, platforms: tuple[str, ...]) -> None:
    """Up to four tiers; a tier is built per at least what the one below it is."""
    name = dice.one_of(*LEAF_NAMES)
    above = dice.one_of(*UPPER_NAMES)[: dice.one_of(1, 1, 1, 2, 2, 3)]
    order = [name, *above]
    data["tiers"] = {name: _extras(dice, leaf)}
    scopes = ["pod"] * ("pods" in data) + ["zone"] * ("zones" in data) + ["fabric"]
    data["links"] = {f"host-{name}": {}}
    for lower, tier in zip(order, above, strict=False):
        link = {"per_pair": dice.one_of(1, 2, 2, 3)} if dice.once_in(2) else {}
        data["links"][f"{lower}-{tier}"] = link
        scopes = scopes[dice.between(0, len(scopes) - 1) :]
        box = _extras(dice, _box(dice, data["tiers"][lower], platforms))
        said = {} if scopes == ["fabric"] and dice.once_in(3) else {"per": scopes[0]}
        data["tiers"][tier] = {**box, **said, "count": 1}
        stripe = dice.one_of(None, None, "rail", "index")
        if stripe:
            link["pattern"] = {"stripe": stripe}
        elif dice.once_in(4):
            link["pattern"] = "mesh"
        step = Wording(data).stripes(tier)
        data["tiers"][tier]["count"] = dice.count(step * dice.up_to(3 if step == 1 else 2), 4 * step, step)


def _box(dice: Dice, below: Data, platforms: tuple[str, ...]) -> Data:
    """A box and what it runs: mostly that of the tier below, else another one that shares a speed with it."""
    lower = BOXES[below["model"]]
    near = {name: box for name, box in BOXES.items() if any(gbps >= 200 for gbps in box.meets(lower))}
    platform = dice.one_of(*(each for each in platforms if any(each in box.runs for box in near.values())))
    if platform in lower.runs and not (len(platforms) > 1 and dice.once_in(3)):
        return {"model": below["model"], "platform": platform}
    return {"model": dice.one_of(*(name for name, box in near.items() if platform in box.runs)), "platform": platform}


def _extras(dice: Dice, box: Data) -> Data:
    """Return what a tier may say of its image or its chip."""
    if box["platform"] == "sonic" and dice.once_in(6):
        having = [release for release in RELEASES if release >= BOXES[box["model"]].since]
        return {**box, "release": dice.one_of(*having, *map(str, having), "master")}
    if box["platform"] == "fboss":
        return {**box, "board_data": "board.yaml"}
    return {**box}


def draw_links(dice: Dice, data: Data) -> None:
    leaf, *above = Wording(data).tiers
    box = BOXES[data["tiers"][leaf]["model"]]
    runs = {name: set(NICS[group["nic"]].speeds) & set(box.ports) for name, group in data["hosts"].items()}
    common = dice.one_of(*sorted(runs["gpu"]))
    host_links = {f"host-{leaf}": common}
    for name in sorted(data["hosts"]):
        if common not in runs[name] or dice.once_in(3):
            host_links[f"{name}-{leaf}"] = dice.one_of(*sorted(runs[name]))
    mtu = dice.one_of(1500, 4200, 9000, 9100, 9100)
    for name, gbps in host_links.items():
        link = data["links"].setdefault(name, {})
        link["speed"] = f"{gbps}G"
        link["cable"] = _cable(dice, ("dac", "aec", "aoc", "mmf"), box.longest_m)
        if mtu != 9100 or dice.once_in(4):
            link["mtu"] = mtu
    widest = min(SYSTEMS[tier["platform"]].mtu_max for tier in data["tiers"].values())
    for lower, tier in zip([leaf, *above], above, strict=False):
        ends = [BOXES[data["tiers"][name]["model"]] for name in (lower, tier)]
        link = data["links"][f"{lower}-{tier}"]
        speeds = [each for each in sorted(ends[0].meets(ends[1])) if each >= 200]
        link["speed"] = f"{dice.one_of(*speeds)}G"
        link["cable"] = _cable(dice, ("aoc", "mmf", "smf", "smf"), min(end.longest_m for end in ends))
        if dice.once_in(4):
            link["mtu"] = dice.one_of(*(each for each in (9100, widest) if each >= mtu))


def _cable(dice: Dice, media: tuple[str, ...], longest_m: int) -> Data:
    medium = dice.one_of(*media)
    return {"media": medium, "length_m": dice.one_of(*(length for length in REACH_M[medium] if length <= longest_m))}


def draw_names(dice: Dice, data: Data) -> None:
    """Patterns that name every dimension, in another order than the defaults."""
    where = "z{zone}" * ("zones" in data) + "p{pod:02}" * ("pods" in data)
    leaf, *above = Wording(data).tiers
    if dice.once_in(3):
        data["tiers"][leaf]["name"] = "sw." + where + "-{unit:04}{plane}-g{group}.{index}"
    for tier in above:
        if dice.once_in(3):
            data["tiers"][tier]["name"] = tier + "-{index:03}.{plane}" + where + ".g{group}"
    for name, group in data["hosts"].items():
        if dice.once_in(4):
            group["name"] = "h{host}.u{unit:02}" + where + "." + name.replace("_", "")
