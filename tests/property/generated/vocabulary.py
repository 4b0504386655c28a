"""Random legal intents over the whole language, small enough to be rendered and read back in a blink."""

from __future__ import annotations

from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from .contract import write_contract
from .hardware import BOXES, NICS, SERVERS
from .irregular import Irregular
from .model import Model
from .numbers import ADDRESSINGS
from .records import Data, number
from .wording import Wording

LEAFS_MAX, SWITCHES_MAX, HOSTS_MAX = 12, 24, 10
REACH_M = {"dac": (3,), "aec": (3, 7), "aoc": (30,), "mmf": (30, 100), "smf": (30, 40, 300)}
"""Lengths to draw from, by medium."""
UPPER_NAMES = (("spine", "core", "super"), ("agg", "core", "top"))
LEAF_NAMES = ("leaf", "leaf", "tor")


@st.composite
def intents(draw: st.DrawFn, platforms: tuple[str, ...]) -> Data:
    """A fabric whose tiers run these platforms."""
    found = _Drawer(draw, platforms).intent()
    model = Model(found)
    assume(not model.missing and len(model.switches) <= SWITCHES_MAX and len(model.hosts) <= HOSTS_MAX)
    exceptions = Irregular(draw, model).exceptions() if draw(st.booleans()) else []
    return {**found, "exceptions": exceptions} if exceptions else found


class _Drawer:
    """Draws the parts of one intent, each so that it fits what is drawn already."""

    def __init__(self, draw: st.DrawFn, platforms: tuple[str, ...]) -> None:
        self._draw = draw
        self._platforms = platforms
        self._model = self._one_of(*BOXES)
        self._data: Data = {"fabric": self._one_of("random", "fab-7", "x")}

    def intent(self) -> Data:
        """All of it."""
        self._scopes()
        self._hosts()
        self._tiers()
        self._links()
        self._names()
        addressing = self._one_of(*ADDRESSINGS)
        if addressing:
            self._data["addressing"] = addressing
        if any(SERVERS[group["server"]].gpus == 0 for group in self._data["hosts"].values()) or self._once_in(4):
            self._data["assets"] = "assets.csv"
        write_contract(self._draw, self._data, self._model)
        return self._data

    # What is drawn everywhere.

    def _one_of(self, *items: Any) -> Any:
        return self._draw(st.sampled_from(items))

    def _once_in(self, times: int) -> bool:
        return bool(self._draw(st.integers(1, times)) == times)

    def _up_to(self, most: int) -> int:
        return int(self._draw(st.integers(1, max(1, most))))

    def _count(self, count: int, most: int, step: int = 1) -> Any:
        """A count with or without a maximum, which is a multiple of the step."""
        if self._once_in(2):
            return count
        return {"count": count, "max": step * self._draw(st.integers(count // step, max(count // step, most // step)))}

    def _cable(self, link: Data, media: tuple[str, ...]) -> None:
        longest = BOXES[self._model].longest_m
        medium = self._one_of(*media)
        length = self._one_of(*(length for length in REACH_M[medium] if length <= longest))
        link["cable"] = {"media": medium, "length_m": length}

    # Parts of the intent.

    def _scopes(self) -> None:
        """Zones, pods and planes, each of which may be left out."""
        if self._once_in(4):
            self._data["zones"] = self._count(self._up_to(2), 3)
        if self._once_in(2):
            self._data["pods"] = self._count(self._up_to(2), 3)
        ways = [ways for ways in (1, 2, 4, 8) if self._nics(ways)]
        self._ways = self._one_of(*ways[:1] * 5, *ways[1:2] * 4, *ways[2:])
        self._members = self._one_of(*(each for each in (1, 2) if self._ways % each == 0))
        planes = self._ways // self._members
        if planes > 1 or self._once_in(5):
            self._data["planes"] = self._one_of(
                planes, {"count": planes, "host": "separate"}, {"count": planes, "max": min(8, planes * 2)}
            )

    def _nics(self, ports: int) -> list[str]:
        """NICs with so many ports that run a speed of the switch."""
        speeds = set(BOXES[self._model].ports)
        return [name for name, (have, runs) in NICS.items() if have == ports and speeds & set(runs)]

    def _hosts(self) -> None:
        """Host groups, units, and how they attach."""
        planes = self._ways // self._members
        server = self._one_of("hgx_h100_8", "gb200_tray_4")
        room = max(1, LEAFS_MAX // self._ways)
        rails = SERVERS[server].rails
        fitting = [each for each in (1, 2, 4, 8) if rails % each == 0 and rails // each <= room]
        attachment: Data = {"leafs_per_group": self._members} if self._members > 1 or self._once_in(3) else {}
        if fitting and not self._once_in(4):
            attachment["rails_per_leaf"] = self._one_of(*fitting)
        else:
            attachment["group"] = "host"
        groups = rails // attachment.get("rails_per_leaf", rails)
        scopes = number(self._data.get("zones", 1)) * number(self._data.get("pods", 1))
        units = self._up_to(min(3, LEAFS_MAX // (self._ways * groups * scopes)))
        self._data["units"] = self._count(units, 4)
        if self._once_in(3):
            called = self._data["units"] if isinstance(self._data["units"], dict) else {"count": units}
            self._data["units"] = {**called, "name": self._one_of("rack", "segment", "scalable_unit", "block")}
        nics = self._nics(self._ways)
        if "group" in attachment and self._once_in(3):
            nics = self._nics(2 * self._ways) or nics
        self._attachment = attachment
        self._data["attachment"] = attachment
        group = {"server": server, "nic": self._one_of(*nics), "per_unit": self._count(self._up_to(3), 4)}
        if self._once_in(4):
            group["backup_per_unit"] = self._count(self._up_to(2), 3)
        if server == "gb200_tray_4" and self._once_in(2):
            counts = number(group["per_unit"]), number(group.get("backup_per_unit", 0))
            group["nvlink_domain"] = self._one_of(
                *(each for each in range(1, counts[0] + 1) if not any(n % each for n in counts))
            )
        self._data["hosts"] = {"gpu": group}
        if self._once_in(4):
            self._data["hosts"]["gpu_b"] = self._second(group, units)
        if self._once_in(3):
            self._data["hosts"][self._one_of("archive", "storage")] = self._storage(planes, units)

    def _some_units(self, units: int) -> Data:
        if self._once_in(2):
            return {}
        first = self._up_to(units)
        return {"units": self._one_of(first, f"{first}-{units}", f"{first}", f"1,{units}" if units > 1 else "1")}

    def _second(self, group: Data, units: int) -> Data:
        """More hosts with GPUs, in some units, perhaps with another NIC or other rails per leaf."""
        # With more rails than the others its leafs would have no hosts in units without it, and nobody could tell them.
        servers = ("hgx_h100_8", "gb200_tray_4") if group["server"] == "hgx_h100_8" else ("gb200_tray_4",)
        server = self._one_of(*servers)
        found = {"server": server, "nic": group["nic"], "per_unit": self._count(self._up_to(2), 4)}
        found |= self._some_units(units)
        if self._once_in(3) or SERVERS[server].rails % self._attachment.get("rails_per_leaf", 1):
            found["attachment"] = {**self._attachment}
        leafs = SERVERS[group["server"]].rails // self._attachment.get("rails_per_leaf", SERVERS[group["server"]].rails)
        if "attachment" in found and "rails_per_leaf" in self._attachment:
            rails = SERVERS[server].rails
            fitting = [each for each in (1, 2, 4, 8) if rails % each == 0 and rails // each <= leafs]
            found["attachment"]["rails_per_leaf"] = self._one_of(*fitting)
        return found

    def _storage(self, planes: int, units: int) -> Data:
        """Hosts without GPUs, attached whole."""
        members = self._one_of(*{1, self._members})
        nics = [name for ports in (1, 2, 4, 8) if ports % (planes * members) == 0 for name in self._nics(ports)]
        found = {"server": "storage_2x200", "nic": self._one_of(*nics), "per_unit": self._count(self._up_to(2), 2)}
        found["attachment"] = {"group": "host"} | ({"leafs_per_group": members} if members > 1 else {})
        return found | self._some_units(units)

    def _tiers(self) -> None:
        """Up to four tiers; a tier is built per at least what the one below it is."""
        leaf = self._one_of(*LEAF_NAMES)
        above = self._one_of(*UPPER_NAMES)[: self._one_of(1, 1, 1, 2, 2, 3)]
        self._order = [leaf, *above]
        self._data["tiers"] = {leaf: self._box()}
        scopes = ["pod"] * ("pods" in self._data) + ["zone"] * ("zones" in self._data) + ["fabric"]
        self._data["links"] = {f"host-{leaf}": {}}
        for at, tier in enumerate(above):
            lower = self._order[at]
            link: Data = {}
            if self._once_in(2):
                link["per_pair"] = self._one_of(1, 2, 2, 3)
            self._data["links"][f"{lower}-{tier}"] = link
            scopes = scopes[self._draw(st.integers(0, len(scopes) - 1)) :]
            self._data["tiers"][tier] = {**self._box(), "per": scopes[0], "count": 1}
            self._stripe(lower, tier, link)

    def _stripe(self, lower: str, tier: str, link: Data) -> None:
        """How many switches an upper tier has, and which lower ones meet them."""
        kinds = [None, None, "rail", "index"]
        said = self._one_of(*kinds)
        if said:
            link["pattern"] = {"stripe": said}
        elif self._once_in(4):
            link["pattern"] = "mesh"
        link |= {"speed": "400G", "cable": {"media": "smf", "length_m": 30}}
        self._data["links"][f"host-{self._order[0]}"] |= {"speed": "400G", "cable": {"media": "dac", "length_m": 3}}
        step = Wording(self._data).stripes(tier)
        self._data["tiers"][tier]["count"] = self._count(step * self._up_to(3 if step == 1 else 2), 4 * step, step)

    def _box(self) -> Data:
        return {"model": self._model, "platform": self._one_of(*self._platforms)}

    def _links(self) -> None:
        """Speeds, cables and MTUs."""
        speeds = sorted(BOXES[self._model].ports)
        runs = {name: set(NICS[group["nic"]][1]) & set(speeds) for name, group in self._data["hosts"].items()}
        common = self._one_of(*sorted(runs["gpu"]))
        leaf = self._order[0]
        host_links = {f"host-{leaf}": common}
        for name in sorted(self._data["hosts"]):
            if common not in runs[name] or self._once_in(3):
                host_links[f"{name}-{leaf}"] = self._one_of(*sorted(runs[name]))
        mtu = self._one_of(1500, 4200, 9000, 9100, 9100)
        for name, gbps in host_links.items():
            link = self._data["links"].setdefault(name, {})
            link["speed"] = f"{gbps}G"
            self._cable(link, ("dac", "aec", "aoc", "mmf"))
            if mtu != 9100 or self._once_in(4):
                link["mtu"] = mtu
        for name, link in self._data["links"].items():
            if name not in host_links:
                link["speed"] = f"{self._one_of(*[each for each in speeds if each >= 200])}G"
                self._cable(link, ("aoc", "mmf", "smf", "smf"))
                if self._once_in(4):
                    link["mtu"] = self._one_of(*[each for each in (9100, 9216) if each >= mtu])

    def _names(self) -> None:
        """Patterns that name every dimension, in another order than the defaults."""
        where = "z{zone}" * ("zones" in self._data) + "p{pod:02}" * ("pods" in self._data)
        if self._once_in(3):
            self._data["tiers"][self._order[0]]["name"] = "sw." + where + "-{unit:04}{plane}-g{group}.{index}"
        for tier in self._order[1:]:
            if self._once_in(3):
                self._data["tiers"][tier]["name"] = tier + "-{index:03}.{plane}" + where + ".g{group}"
        for name, group in self._data["hosts"].items():
            if self._once_in(4):
                group["name"] = "h{host}.u{unit:02}" + where + "." + name.replace("_", "")
