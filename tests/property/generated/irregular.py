"""Random exceptions, and brute force that carries them out cable by cable, as somebody with a ladder would."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from .dice import Dice
from .hardware import BOXES, SYSTEMS, Seat
from .kinds import is_of, kinds_of, lacking
from .model import Model
from .records import Cable, Data, number, speed
from .tiers import RELEASES

SETTINGS: tuple[Data, ...] = (
    {"operations.gnmi.port": 9340},
    {"operations.ntp": ["192.168.0.77"]},
    {"operations.timezone": "Asia/Tokyo"},
    {"routing.ecmp.max_paths": 100},
    {"routing.ecmp.hash": ["five_tuple"]},
    {"lossless.watchdog.detection_ms": 600, "lossless.watchdog.restoration_ms": 700},
    {"lossless.watchdog.action": "drop"},
)
ALIKE = {"dell_z9864f", "nokia_ixr7220_h5_64o", "nokia_ixr7220_h5_64d"}
"""Models that may stand in for each other; those with smaller buffers do only where the fabric has them."""
LATEST = "202605"
OVERRIDE = {"file": "snippets/two.json", "overrides": ["DEVICE_METADATA > localhost > timezone"]}
OWNED = {**OVERRIDE, "owner": "netops", "expires": "2099-12-31"}
Item = dict[str, Any]


class Irregular:
    """Draws exceptions that can all be had at once, each on cables and devices that no other one names."""

    def __init__(self, dice: Dice, model: Model) -> None:
        """Prepare for one fabric without exceptions."""
        self._dice = dice
        self._one_of = dice.one_of
        self._model = model
        here = {unit for said in kinds_of(model).values() for unit in range(number(model.units)) if is_of(said, unit)}
        devices = (*model.switches.values(), *model.hosts.values())
        leaf = model.tiers[0]
        self._named = {each.name for each in devices if each.place.unit in here and getattr(each, "tier", leaf) == leaf}
        self._landed: Counter[str] = Counter()

    def exceptions(self) -> list[Item]:
        kinds = (self._device, self._device, self._setting, self._raw, self._link, self._link, self._ports, self._move)
        kinds += (self._move_host, self._box)
        found: list[Item] = []
        for _ in range(self._dice.between(0, 4)):
            said = self._one_of(*kinds)()
            if said is not None:
                found.append({**said, "reason": "drawn"})
        return found

    def _switch(self, names: Iterable[str] | None = None) -> str | None:
        free = [name for name in (self._model.switches if names is None else names) if name not in self._named]
        return self._take(self._one_of(*free)) if free else None

    def _take(self, *names: str) -> str:
        self._named.update(names)
        return names[0]

    def _device(self) -> Item | None:
        """A switch or a host that is drained or not there; of a tier and of a unit's group at least one stays."""
        state = self._one_of("drained", "absent")
        kind = self._one_of("device", "host")
        if kind == "host":
            free = [host for host in self._model.hosts.values() if host.name not in self._named]
            peers = Counter((host.group, host.place) for host in free)
            if state == "absent":
                free = [host for host in free if peers[host.group, host.place] > 1 and self._alone(host.name)]
            return {"host": self._take(self._one_of(*free).name), "state": state} if free else None
        if state == "absent":
            free_switches = [name for name in self._model.switches if self._may_go(name)]
            return {"device": self._take(self._one_of(*free_switches)), "state": state} if free_switches else None
        name = self._switch()
        return {"device": name, "state": state} if name else None

    def _alone(self, name: str) -> bool:
        """Return whether nothing is said yet of a device or of what it is cabled to."""
        return not (self._near(name) | {name}) & self._named

    def _near(self, name: str) -> set[str]:
        ends = ((cable.a, cable.b) for cable in self._model.cables)
        return {far for pair in ends if name in pair for far in pair} - {name}

    def _may_go(self, name: str) -> bool:
        """Return whether an upper switch may be missing: another one joins the same devices."""
        switch = self._model.switches[name]
        if switch.tier == self._model.tiers[0] or not self._alone(name):
            return False
        return any(name != other and self._near(name) == self._near(other) for other in self._model.switches)

    def _setting(self) -> Item | None:
        name = self._switch()
        asked = self._model.data.get("operations", {}).get("gnmi")
        return {"device": name, "set": self._one_of(*SETTINGS[0 if asked else 1 :])} if name else None

    def _box(self) -> Item | None:
        """A switch of another model that has the same ports, on its own platform or another tier's, or release."""
        name = self._switch()
        if name is None:
            return None
        tiers, at = self._model.data["tiers"], self._model.switches[name].tier
        tier, speeds = tiers[at], {speed(link) for link in self._model.data["links"].values()}
        own, known = BOXES[tier["model"]], {said["model"] for said in tiers.values()} | ALIKE
        systems = {tier["platform"]}
        if at != self._model.tiers[0] and "load_balancing" not in str(self._model.data):
            systems |= {said["platform"] for said in tiers.values()}
        copper = any(link["cable"]["media"] == "dac" for link in self._model.data["links"].values())
        others = [
            {"model": model, "platform": platform, **({"board_data": "board.yaml"} if platform == "fboss" else {})}
            for model, box in BOXES.items()
            if not copper
            for platform in sorted(systems)
            if platform in box.runs and box.cages == own.cages and box.longest_m >= own.longest_m and model in known
            if [box.ports.get(gbps) for gbps in speeds] == [own.ports.get(gbps) for gbps in speeds]
            if platform != "sonic" or box.since <= int(str(tier.get("release", LATEST)).replace("master", LATEST))
        ]
        releases = [{"release": each} for each in RELEASES if each >= own.since] if tier["platform"] == "sonic" else []
        return {"device": name, "set": self._one_of(*others, *releases, {"model": tier["model"]})}

    def _raw(self) -> Item | None:
        """Text over files that can be read back; on SONiC perhaps against what the intent says."""
        free = [name for name in self._model.switches if SYSTEMS[self._model.platform(name)].raw]
        name = self._switch(free)
        if name is None:
            return None
        platform = self._model.platform(name)
        raw = SYSTEMS[platform].raw
        forms = [
            raw,
            [{"file": raw}],
            *([[{"file": raw}, own] for own in (OVERRIDE, OWNED)] if platform == "sonic" else []),
        ]
        return {"device": name, "raw": {platform: self._one_of(*forms)}}

    def _cable(self, *, hosts: bool) -> Cable | None:
        """A cable; between switches one of several, since a spine without a link to a leaf has no routes to it."""
        pairs = Counter((cable.a, cable.b) for cable in self._model.cables)
        free = [
            cable
            for cable in self._model.cables
            if not {cable.a, cable.b} & self._named and (hosts if cable.group else pairs[cable.a, cable.b] > 1)
        ]
        found = self._one_of(*free) if free else None
        if found is not None:
            self._take(found.a, found.b)
        return found

    def _subject(self, cable: Cable) -> Item:
        return {"link": [cable.a, cable.b], "n": parallel(self._model, cable.a, cable.b).index(cable) + 1}

    def _link(self) -> Item | None:
        """A cable that is not there, drained, longer, or of another MTU."""
        cable = self._cable(hosts=True)
        if cable is None:
            return None
        ends = [SYSTEMS[self._model.platform(name)] for name in (cable.a, cable.b) if name in self._model.switches]
        between = [
            link.get("mtu", 9100) for name, link in self._model.data["links"].items() if not self._of_hosts(name)
        ]
        mtu = min([*(system.mtu_max for system in ends), *(between if cable.group else [])])
        medium = self._model.data["links"][cable.link]["cable"]["media"]
        others = {"dac": "aec", "aec": "dac"}
        kinds: list[Item] = [{"cable": {"length_m": 2}}]
        kinds += [{"cable": {"length_m": 3, "media": others.get(medium, medium)}}] * 2
        if not cable.group or sum(cable.b == other.b and other.group != "" for other in self._model.cables) > 1:
            kinds.append({"state": "absent"})
        if not cable.group or self._model.attachment(cable.group).get("bond", "none") == "none":
            kinds.append({"set": {"mtu": mtu}})
        if not cable.group and all(system.drains_links for system in ends):
            kinds.append({"state": "drained"})
        said = self._one_of(*kinds)
        if cable.group and "state" not in said and self._dice.once_in(2):
            return {"link": [cable.a, cable.b], **said}
        return {**self._subject(cable), **said}

    def _of_hosts(self, link: str) -> bool:
        return link.partition("-")[0] not in self._model.tiers

    def _ports(self) -> Item | None:
        """A cable in another port of the same box, one that the plan leaves free."""
        cable = self._cable(hosts=True)
        seat = self._free_seat(cable.b, cable) if cable else None
        if cable is None or seat is None:
            return None
        port = seat.cage if seat.ports == 1 and self._dice.once_in(2) else seat.text
        return {**self._subject(cable), "ports": {cable.b: port}}

    def _free_seat(self, device: str, cable: Cable) -> Seat | None:
        tier = self._model.switches[device].tier
        taken = {seat.cage for seat in (*self._model.down[tier], *self._model.up[tier])}
        box = BOXES[self._model.data["tiers"][tier]["model"]]
        cages = [cage for cage in range(1, box.cages + 1) if cage not in taken]
        ports = box.ports[speed(self._model.data["links"][cable.link])]
        return Seat(self._one_of(*cages), 0, ports) if cages else None

    def _move(self) -> Item | None:
        """A cable between switches that ends at another one of those its lower end meets."""
        cable = self._cable(hosts=False)
        if cable is None:
            return None
        others = {other.b for other in self._model.cables if other.a == cable.a and not other.group} - self._named
        if not others:
            return None
        there = self._take(self._one_of(*sorted(others)))
        return {**self._subject(cable), "to": there}

    def _move_host(self) -> Item | None:
        """A host's cable at another leaf that its group meets, on the last port reserved for the hosts of the group."""
        cable = self._cable(hosts=True)
        if cable is None or not cable.group or self._model.attachment(cable.group).get("bond", "none") != "none":
            return None
        here = self._model.switches[cable.b].place
        taken = {(other.b, other.position) for other in self._model.cables if other.group}
        last = self._model.positions(cable.group)[-1]
        groups = self._model.rails(cable.group) // self._model.rails_per_leaf(cable.group)
        members = self._model.attachment(cable.group).get("leafs_per_group", 1)
        near = [
            leaf.name
            for leaf in self._model.switches.values()
            if leaf.tier == self._model.tiers[0]
            and leaf.place == here._replace(group=leaf.place.group, member=leaf.place.member)
            and leaf.place.group < groups
            and leaf.place.member < members
        ]
        free = [name for name in near if name not in self._named and (name, last) not in taken]
        alone = sum(cable.b == other.b and other.group != "" for other in self._model.cables) == 1
        if alone or not free:
            return None
        there = self._take(self._one_of(*free))
        return {
            **self._subject(cable),
            "to": there,
            "ports": {there: self._model.down[self._model.tiers[0]][last].text},
        }


def parallel(model: Model, a: str, b: str) -> list[Cable]:
    """The cables between two devices in the order in which they are counted: that of the lower end's ports."""
    return [cable for cable in model.cables if (cable.a, cable.b) == (a, b)]


def all_exceptions(model: Model) -> list[Item]:
    """Exceptions that the intent lists, and those that stand for what units lack by their kinds."""
    return [*model.data.get("exceptions", []), *lacking(model)]


def carry_out(model: Model, exceptions: list[Item]) -> list[Cable]:
    """Every cable after all exceptions; what an absent device had is gone."""
    cables = {id(cable): cable for cable in model.cables}
    absent = {said.get("device") or said.get("host") for said in exceptions if said.get("state") == "absent"}
    for said in exceptions:
        if "link" in said:
            meant = parallel(model, *said["link"])
            for chosen in meant[said["n"] - 1 :][:1] if "n" in said else meant:
                cables[id(chosen)] = _changed(model, cables[id(chosen)], said)
    return [cable for cable in cables.values() if cable.there and cable.a not in absent and cable.b not in absent]


def _changed(model: Model, cable: Cable, said: Item) -> Cable:
    if said.get("state") == "absent":
        return replace(cable, there=False)
    cable = replace(
        cable,
        length_m=said.get("cable", {}).get("length_m", cable.length_m),
        mtu=said.get("set", {}).get("mtu", cable.mtu),
    )
    if "to" in said:
        cable = replace(cable, b=said["to"], b_seat=_landing(model, cable, said["to"]))
    for device, port in said.get("ports", {}).items():
        cage, _, sub = str(port).partition("/")
        ports = cable.b_seat.ports
        cable = replace(cable, b_seat=Seat(int(cage), int(sub or 1) - 1, ports)) if device == cable.b else cable
    return cable


def _landing(model: Model, cable: Cable, device: str) -> Seat:
    """Return the port of a moved cable: the first free cage of the plan, else the last port for links downwards."""
    tier = model.switches[device].tier
    taken = {seat.cage for seat in (*model.down[tier], *model.up[tier])}
    free = [cage for cage in range(1, BOXES[model.data["tiers"][tier]["model"]].cages + 1) if cage not in taken]
    return Seat(free[0], 0, cable.b_seat.ports) if free else model.down[tier][-1]
