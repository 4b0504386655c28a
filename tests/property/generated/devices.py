"""Every switch and every host of a fabric, by nested loops, and what they are called."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from .records import Place, Server, Switch, number, room
from .wording import Wording


def all_switches(said: Wording) -> Iterator[Switch]:
    for tier in said.tiers:
        yield from _tier_switches(said, tier)


def _tier_switches(said: Wording, tier: str) -> Iterator[Switch]:
    planes = range(number(said.planes))
    if tier == said.tiers[0]:
        units, inner = range(number(said.units)), (range(said.groups), range(said.members))
    else:
        units, inner = range(1), (range(said.stripes(tier)), range(said.width(tier)))
    for (zone, pod), unit, plane, group, member in product(said.scope(said.per(tier)), units, planes, *inner):
        place = Place(zone, pod, unit, plane, group, member)
        yield Switch(_switch_name(said, tier, place), tier, place)


def _switch_name(said: Wording, tier: str, place: Place) -> str:
    leaf = tier == said.tiers[0]
    span = said.members if leaf else said.width(tier, room)
    words = {
        "zone": place.zone + 1, "pod": place.pod + 1, "unit": place.unit + 1, "plane": "abcdefgh"[place.plane],
        "group": place.group, "rail": place.group * said.rails_per_leaf(said.widest()),
        "index": place.group * span + place.member + 1,
    }  # fmt: skip
    return _pattern(said, tier, span, leaf).format(**words)


def _pattern(said: Wording, tier: str, span: int, leaf: bool) -> str:
    """The tier's own pattern, or every dimension that exists."""
    if "name" in said.data["tiers"][tier]:
        return str(said.data["tiers"][tier]["name"])
    scope = _scope_name(said, said.per(tier))
    plane = "{plane}" if number(said.planes) > 1 else ""
    if leaf:
        rail = "-r{rail}" if said.groups > 1 else ""
        return f"{tier}-{scope}u{{unit:03}}{rail}{plane}" + ("-{index}" if said.members > 1 else "")
    digits = max(2, len(str(said.stripes(tier, room) * span)))
    return f"{tier}-{scope}{plane}{{index:0{digits}}}"


def _scope_name(said: Wording, per: str) -> str:
    zone = "z{zone:02}-" if "zones" in said.data and per != "fabric" else ""
    return zone + ("p{pod:02}-" if "pods" in said.data and per in ("pod", "unit") else "")


def all_hosts(said: Wording) -> Iterator[Server]:
    """Every host, spares behind the room of the others."""
    for (zone, pod), unit in product(said.scope("unit"), range(number(said.units))):
        for group in sorted(said.data["hosts"]):
            words = said.data["hosts"][group]
            pattern = words.get("name", "{group}-" + _scope_name(said, "unit") + "u{unit:03}-h{host:02}")
            regular = list(range(number(words["per_unit"])))
            spares = [room(words["per_unit"]) + at for at in range(number(words.get("backup_per_unit", 0)))]
            for at in [*regular, *spares] if said.in_unit(group, unit) else ():
                name = pattern.format(
                    zone=zone + 1, pod=pod + 1, unit=unit + 1, group=group.replace("_", "-"), host=at + 1
                )
                yield Server(name, group, Place(zone, pod, unit), at, at not in regular)
