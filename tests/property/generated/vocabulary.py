"""Random legal intents over the whole language, small enough to be rendered and read back in a blink."""

from __future__ import annotations

from typing import Any, NamedTuple

from hypothesis import assume
from hypothesis import strategies as st

from .contract import draw_collectives, draw_lossless
from .dice import Dice
from .groups import draw_hosts
from .hardware import BOXES, SERVERS, SYSTEMS
from .irregular import Irregular
from .kinds import draw_kinds
from .model import Model
from .numbers import ADDRESSINGS
from .paths import draw_routing
from .records import Data, number
from .services import draw_operations
from .tiers import draw_links, draw_names, draw_tiers
from .wishes import draw_wishes

SWITCHES_MAX, HOSTS_MAX = 24, 10
OVERLAID = ("collectives", "lossless", "units", "links")
"""Content of an overlay, if there is one."""


class Drawn(NamedTuple):
    """An inventory: its intent as it comes out, and the parts of it that an overlay says."""

    data: Data
    overlay: Data


@st.composite
def intents(draw: st.DrawFn, platforms: tuple[str, ...]) -> Drawn:
    dice = Dice(draw)
    data = _regular(dice, platforms)
    model = Model(data)
    assume(not model.missing and len(model.switches) <= SWITCHES_MAX and len(model.hosts) <= HOSTS_MAX)
    if dice.once_in(3) and (kinds := draw_kinds(dice, model)):
        units = data["units"] if isinstance(data["units"], dict) else {"count": data["units"]}
        data["units"] = units | {"kinds": kinds}
        model = Model(data)
    if dice.once_in(2):
        exceptions = Irregular(dice, model).exceptions()
        data |= {"exceptions": exceptions} if exceptions else {}
    draw_wishes(dice, model, data)
    parts = [key for key in OVERLAID if key in data] if dice.once_in(6) else []
    if list(data["hosts"]) == ["gpu"] and dice.once_in(3):
        data["hosts"] = _alone(dice, data)
    return Drawn(data, {key: data[key] for key in parts})


def _alone(dice: Dice, data: Data) -> Data:
    """The only host group without its name, which may say itself what it could leave to the fabric."""
    group: Data = data["hosts"]["gpu"]
    if dice.once_in(2):
        group |= {"attachment": data.pop("attachment")}
    if dice.once_in(2):
        units = number(data["units"])
        group |= {"units": dice.one_of(*([1] if units == 1 else []), f"1-{units}")}
    return group


def _regular(dice: Dice, platforms: tuple[str, ...]) -> Data:
    """All but what is irregular."""
    platform = dice.one_of(*platforms)
    leaf = {"model": dice.one_of(*(name for name, box in BOXES.items() if platform in box.runs)), "platform": platform}
    data: Data = {"fabric": dice.one_of("random", "fab-7", "x")}
    _scopes(dice, data)
    draw_hosts(dice, data, leaf)
    draw_tiers(dice, data, leaf, platforms)
    draw_links(dice, data)
    draw_names(dice, data)
    addressing = _addressing(dice, data)
    data |= {"addressing": addressing} if addressing else {}
    if any(not SERVERS[group["server"]].has_map for group in data["hosts"].values()) or dice.once_in(4):
        data["assets"] = "assets.csv"
    draw_lossless(dice, data)
    draw_routing(dice, data)
    draw_collectives(dice, data)
    draw_operations(dice, data)
    return data


def _scopes(dice: Dice, data: Data) -> None:
    """Zones and pods, each of which may be left out."""
    for key, times, names in (("zones", 4, ("zone", "building", "region", "dc")), ("pods", 2, POD_NAMES)):
        if dice.once_in(times):
            count = dice.count(dice.up_to(2), 3)
            if dice.once_in(3):
                count = {**(count if isinstance(count, dict) else {"count": count}), "name": dice.one_of(*names)}
            data[key] = count


POD_NAMES = ("pod", "ai_zone", "cluster", "block")


def _addressing(dice: Dice, data: Data) -> Any:
    systems = [SYSTEMS[tier["platform"]] for tier in data["tiers"].values()]
    numbered = not all(system.unnumbered for system in systems)
    bonds = data["attachment"].get("bond", "none") != "none"
    fitting = [
        each
        for each in ADDRESSINGS
        if not (numbered and each.get("fabric_links") == "unnumbered") and not (bonds and "families" in each)
    ]
    return dice.one_of(*fitting)
