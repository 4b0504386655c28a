"""A fabric by brute force: every device and every cable by nested loops, from the words of docs/intent.md.

Nothing of the product is used. What the language leaves to a number that grows is looked up here in lists that are as
long as what is reserved: the port of a link is the item of such a list.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise, product
from typing import Any, NamedTuple

from .hardware import BOXES, NICS, SERVERS, Seat, port_name

Data = dict[str, Any]
COPPER = ("dac", "aec")
EVERY_PORT = 10**6


class Place(NamedTuple):
    """Where a device stands, everything counted from 0; what it does not have is 0."""

    zone: int = 0
    pod: int = 0
    unit: int = 0
    plane: int = 0
    group: int = 0
    member: int = 0


@dataclass(frozen=True)
class Switch:
    """One switch."""

    name: str
    tier: str
    place: Place


@dataclass(frozen=True)
class Server:
    """One host; spares are no capacity."""

    name: str
    group: str
    place: Place
    number: int
    spare: bool


@dataclass(frozen=True)
class Cable:
    """One cable, the lower end first.

    Attributes:
        link: Name of its link group.
        a_port: Port of a host; of a switch it follows from ``a_seat``.
        position: Which of the ports for links downwards the upper end has.
        group: Host group of its lower end, or empty.
    """

    link: str
    a: str
    b: str
    b_seat: Seat
    position: int
    mtu: int
    length_m: float
    a_seat: Seat | None = None
    a_port: str = ""
    group: str = ""
    rail: int = -1
    there: bool = True
    drained: bool = False


def number(count: Any) -> int:
    """How many there are now."""
    return int(count["count"] if isinstance(count, dict) else count)


def room(count: Any, *, outermost: bool = False) -> int:
    """How many there is room for: the maximum, or the next power of two; the outermost count needs none."""
    if isinstance(count, dict) and "max" in count:
        return int(count["max"])
    now, power = number(count), 1
    while power < now:
        power *= 2
    return now if outermost else power


@dataclass
class Model:
    """A fabric by brute force; building it fills the lists.

    Attributes:
        down: Seats for links downwards of a tier's switches, at the reserved maximum, in order.
        up: The same upwards.
    """

    data: Data
    switches: dict[str, Switch] = field(default_factory=dict)
    hosts: dict[str, Server] = field(default_factory=dict)
    cables: list[Cable] = field(default_factory=list)
    down: dict[str, list[Seat]] = field(default_factory=dict)
    up: dict[str, list[Seat]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Count, then plug in."""
        self._read()
        self._build()

    @classmethod
    def stripes_of(cls, data: Data, tier: str) -> int:
        """Stripe groups of an upper tier, of an intent whose tiers above it are not drawn yet."""
        made = cls.__new__(cls)
        made.data = data
        made._read()
        return made.stripes(tier)

    def _read(self) -> None:
        """What follows from the counts alone."""
        data = self.data
        self.zones, self.pods, self.planes = (data.get(key, 1) for key in ("zones", "pods", "planes"))
        self.units = data["units"]
        self.outermost = "zones" if "zones" in data else "pods" if "pods" in data else "units"
        self.tiers = self._order()
        self.host_links = f"host-{self.tiers[0]}"
        self.groups = max(
            -(-self.rails(name) // self.rails_per_leaf(name)) for name in data["hosts"]
        )  # of leafs in a unit and plane
        self.members = max(self.attachment(name).get("leafs_per_group", 1) for name in data["hosts"])

    def _build(self) -> None:
        """Every device and cable."""
        for tier in self.tiers:
            for switch in self._tier_switches(tier):
                self.switches[switch.name] = switch
        for host in self._all_hosts():
            self.hosts[host.name] = host
        for at, tier in enumerate(self.tiers):
            self._seat(at, tier)
        if not self.missing:
            self.cables += self._host_cables()
            for lower, upper in pairwise(self.tiers):
                self.cables += self._fabric_cables(lower, upper)

    # What the intent says, with its defaults.

    def _order(self) -> list[str]:
        above = {name.partition("-")[0]: name.partition("-")[2] for name in self.data["links"]}
        found = [above["host"]]
        while found[-1] in above:
            found.append(above[found[-1]])
        return found

    def attachment(self, group: str) -> Data:
        """How a host group attaches."""
        own: Data = self.data["hosts"][group].get("attachment") or self.data.get("attachment", {})
        return own

    def rails(self, group: str) -> int:
        """Rails of a host of a group."""
        return SERVERS[self.data["hosts"][group]["server"]].rails

    def rails_per_leaf(self, group: str) -> int:
        """Rails that share a leaf."""
        attachment = self.attachment(group)
        return self.rails(group) if attachment.get("group") == "host" else int(attachment.get("rails_per_leaf", 1))

    def nic_ports(self, group: str) -> int:
        """Ports of each NIC of a group."""
        return NICS[self.data["hosts"][group]["nic"]][0]

    def ports_per_leaf(self, group: str) -> int:
        """Ports of one NIC that meet the same leaf."""
        return self.nic_ports(group) // (number(self.planes) * int(self.attachment(group).get("leafs_per_group", 1)))

    def links_of(self, group: str) -> tuple[str, Data]:
        """The links of a host group: its own, or those of all hosts."""
        own = f"{group}-{self.tiers[0]}"
        name = own if own in self.data["links"] else self.host_links
        return name, self.data["links"][name]

    def in_unit(self, group: str, unit: int) -> bool:
        """Whether a unit, counted from 0, has a group."""
        said = self.data["hosts"][group].get("units")
        if said is None:
            return True
        parts = [part.partition("-") for part in str(said).split(",")]
        return any(int(first) <= unit + 1 <= int(last or first) for first, _, last in parts)

    # Devices.

    def _scope(self, per: str, counter: Any = number) -> Iterator[tuple[int, int]]:
        """(zone, pod) of every place a tier is built in."""
        zones, pods = (
            counter(count, outermost=self.outermost == key) if counter is room else counter(count)
            for key, count in (("zones", self.zones), ("pods", self.pods))
        )
        return product(range(zones if per != "fabric" else 1), range(pods if per in ("pod", "unit") else 1))

    def per(self, tier: str) -> str:
        """Scope a tier is built in."""
        return "unit" if tier == self.tiers[0] else str(self.data["tiers"][tier].get("per", "fabric"))

    def below(self, tier: str) -> str:
        """The tier below an upper one."""
        return self.tiers[self.tiers.index(tier) - 1]

    def stripe(self, tier: str) -> str:
        """Stripe of the links below an upper tier, or empty."""
        pattern = self.data["links"][f"{self.below(tier)}-{tier}"].get("pattern", "mesh")
        return "" if pattern == "mesh" else str(pattern["stripe"])

    def stripes(self, tier: str, counter: Any = number) -> int:
        """Stripe groups of an upper tier."""
        lower, stripe = self.below(tier), self.stripe(tier)
        if not stripe:
            return 1
        if lower == self.tiers[0]:
            return self.groups if stripe == "rail" else self.members
        if stripe == "rail":
            return self.stripes(lower, counter)
        return self.width(lower, counter)

    def width(self, tier: str, counter: Any = number) -> int:
        """Switches of an upper tier in one scope, plane and stripe group."""
        count = self.data["tiers"][tier]["count"]
        if counter is room and not (isinstance(count, dict) and "max" in count):
            return room(self.width(tier))
        now = number(count) // self.stripes(tier)
        return now if counter is number else max(now, room(count) // self.stripes(tier, room))

    def _tier_switches(self, tier: str) -> Iterator[Switch]:
        planes = range(number(self.planes))
        if tier == self.tiers[0]:
            units, inner = range(number(self.units)), (range(self.groups), range(self.members))
        else:
            units, inner = range(1), (range(self.stripes(tier)), range(self.width(tier)))
        for (zone, pod), unit, plane, group, member in product(self._scope(self.per(tier)), units, planes, *inner):
            place = Place(zone, pod, unit, plane, group, member)
            yield Switch(self._switch_name(tier, place), tier, place)

    def _switch_name(self, tier: str, place: Place) -> str:
        leaf = tier == self.tiers[0]
        span = self.members if leaf else self.width(tier, room)
        words = {
            "zone": place.zone + 1,
            "pod": place.pod + 1,
            "unit": place.unit + 1,
            "plane": "abcdefgh"[place.plane],
            "group": place.group,
            "rail": place.group * self.rails_per_leaf(self._widest()),
            "index": place.group * span + place.member + 1,
        }
        return self._pattern(tier, span, leaf).format(**words)

    def _widest(self) -> str:
        """The hosts with GPUs that have the most rails, which name the leafs."""
        return max((name for name in sorted(self.data["hosts"]) if self.has_gpus(name)), key=self.rails)

    def lands_apart(self, group: str) -> bool:
        """Whether the rails of a group meet other leafs than those of the widest group."""
        return self.rails_per_leaf(group) != self.rails_per_leaf(self._widest())

    def has_gpus(self, group: str) -> bool:
        """Whether the servers of a group have GPUs."""
        return SERVERS[self.data["hosts"][group]["server"]].gpus > 0

    def _pattern(self, tier: str, span: int, leaf: bool) -> str:
        """The tier's own pattern, or every dimension that exists."""
        if "name" in self.data["tiers"][tier]:
            return str(self.data["tiers"][tier]["name"])
        scope = self._scope_name(self.per(tier))
        plane = "{plane}" if number(self.planes) > 1 else ""
        if leaf:
            rail = "-r{rail}" if self.groups > 1 else ""
            return f"{tier}-{scope}u{{unit:03}}{rail}{plane}" + ("-{index}" if self.members > 1 else "")
        digits = max(2, len(str(self.stripes(tier, room) * span)))
        return f"{tier}-{scope}{plane}{{index:0{digits}}}"

    def _scope_name(self, per: str) -> str:
        zone = "z{zone:02}-" if "zones" in self.data and per != "fabric" else ""
        return zone + ("p{pod:02}-" if "pods" in self.data and per in ("pod", "unit") else "")

    def _all_hosts(self) -> Iterator[Server]:
        for (zone, pod), unit in product(self._scope("unit"), range(number(self.units))):
            for group in sorted(self.data["hosts"]):
                said = self.data["hosts"][group]
                pattern = said.get("name", "{group}-" + self._scope_name("unit") + "u{unit:03}-h{host:02}")
                regular = list(range(number(said["per_unit"])))
                spares = [room(said["per_unit"]) + at for at in range(number(said.get("backup_per_unit", 0)))]
                for at in [*regular, *spares] if self.in_unit(group, unit) else ():
                    name = pattern.format(
                        zone=zone + 1, pod=pod + 1, unit=unit + 1, group=group.replace("_", "-"), host=at + 1
                    )
                    yield Server(name, group, Place(zone, pod, unit), at, at not in regular)

    # Ports.

    def _seat(self, at: int, tier: str) -> None:
        """Seats of a tier's switches: downwards from the first cage up, upwards from the last cage down."""
        box = BOXES[self.data["tiers"][tier]["model"]]
        cages = list(range(1, box.cages + 1))
        up: list[Seat] = []
        if at + 1 < len(self.tiers):
            above = self.tiers[at + 1]
            link = self.data["links"][f"{tier}-{above}"]
            ports = box.ports[speed(link)]
            wanted = self.width(above, room) * link.get("per_pair", 1)
            up, taken = _fill(list(reversed(cages)), [(wanted, ports)])
            cages = [cage for cage in cages if cage not in taken]
        runs = self._host_runs(box.ports) if at == 0 else [self._run_below(tier, box.ports)]
        down, _ = _fill(cages, runs)
        self.down[tier], self.up[tier] = down, up
        needed = self._needed_below(tier) if at else sum(count for count, _ in runs)
        if len(down) < needed or (at + 1 < len(self.tiers) and len(up) < wanted):
            self.missing.append(tier)

    def _host_runs(self, ports: dict[int, int]) -> list[tuple[int, int]]:
        """Ports for the host groups in the order of their names; another speed or kind of cable has other cages."""
        runs: list[tuple[int, int]] = []
        before = None
        for group in sorted(self.data["hosts"]):
            link = self.links_of(group)[1]
            kind = (speed(link), link["cable"]["media"] in COPPER)
            count = self.slots(group) * self.host_room(group)
            if kind == before:
                runs[-1] = (runs[-1][0] + count, runs[-1][1])
            else:
                runs.append((count, ports[speed(link)]))
            before = kind
        return runs

    def slots(self, group: str) -> int:
        """Ports that a host of a group takes on a leaf."""
        return min(self.rails(group), self.rails_per_leaf(group)) * self.ports_per_leaf(group)

    def host_room(self, group: str) -> int:
        """Hosts of a group that a unit has room for, spares with it."""
        said = self.data["hosts"][group]
        spares = room(said["backup_per_unit"]) if "backup_per_unit" in said else 0
        return room(said["per_unit"]) + spares

    def _run_below(self, tier: str, ports: dict[int, int]) -> tuple[int, int]:
        """Ports for the tier below; all that are left where the outermost dimension may grow without end."""
        link = self.data["links"][f"{self.below(tier)}-{tier}"]
        return EVERY_PORT if self._may_grow(tier) else self._needed_below(tier), ports[speed(link)]

    def _needed_below(self, tier: str) -> int:
        pairs = int(self.data["links"][f"{self.below(tier)}-{tier}"].get("per_pair", 1))
        return sum(1 for _ in self._lowers(tier, Place(), room)) * pairs

    def _may_grow(self, tier: str) -> bool:
        """Whether the outermost dimension, which has no maximum, adds devices below a tier's switches."""
        count = {"zones": self.zones, "pods": self.pods, "units": self.units}[self.outermost]
        if isinstance(count, dict) and "max" in count:
            return False
        lower, here = self.per(self.below(tier)), self.per(tier)
        if self.outermost == "units":
            return lower == "unit"
        if self.outermost == "pods":
            return lower in ("pod", "unit") and here != "pod"
        return lower != "fabric" and here == "fabric"

    def _lowers(self, tier: str, upper: Place, counter: Any) -> Iterator[Place]:
        """Every lower switch that an upper one meets, with its plane; the outermost dimension is the slowest."""
        lower, stripe, per = self.below(tier), self.stripe(tier), self.per(tier)
        leaf = lower == self.tiers[0]
        units = range(
            (room(self.units, outermost=self.outermost == "units") if counter is room else number(self.units))
            if leaf
            else 1
        )
        groups = self.groups if leaf else self.stripes(lower, counter)
        members = self.members if leaf else self.width(lower, counter)
        for (zone, pod), unit, group, member in product(
            self._scope(self.per(lower), counter), units, range(groups), range(members)
        ):
            if (per != "fabric" and zone != upper.zone) or (per == "pod" and pod != upper.pod):
                continue
            if (stripe == "rail" and group != upper.group) or (stripe == "index" and member != upper.group):
                continue
            yield Place(zone, pod, unit, upper.plane, group, member)

    # Cables.

    def _host_cables(self) -> Iterator[Cable]:
        leafs = {switch.place: switch for switch in self.switches.values() if switch.tier == self.tiers[0]}
        base, first = 0, {}
        for group in sorted(self.data["hosts"]):
            first[group] = base
            base += self.slots(group) * self.host_room(group)
        for host in self.hosts.values():
            name, link = self.links_of(host.group)
            several, shared = self.nic_ports(host.group), self.ports_per_leaf(host.group)
            per_leaf, members = self.rails_per_leaf(host.group), self.attachment(host.group).get("leafs_per_group", 1)
            for rail, port in product(range(self.rails(host.group)), range(several)):
                meets, cable = divmod(port, shared)
                plane, member = divmod(meets, members)
                leaf = leafs[host.place._replace(plane=plane, group=rail // per_leaf, member=member)]
                position = first[host.group] + host.number * self.slots(host.group) + rail % per_leaf * shared + cable
                yield Cable(
                    name, host.name, leaf.name, self.down[leaf.tier][position], position, link.get("mtu", 9100),
                    link["cable"]["length_m"], a_port=f"rail{rail}p{port}" if several > 1 else f"rail{rail}",
                    group=host.group, rail=rail,
                )  # fmt: skip

    def _fabric_cables(self, lower: str, upper: str) -> Iterator[Cable]:
        name = f"{lower}-{upper}"
        link = self.data["links"][name]
        pairs = link.get("per_pair", 1)
        lowers = {switch.place: switch for switch in self.switches.values() if switch.tier == lower}
        for switch in [switch for switch in self.switches.values() if switch.tier == upper]:
            for at, place in enumerate(self._lowers(upper, switch.place, room)):
                for parallel in range(pairs) if place in lowers else ():
                    position = at * pairs + parallel
                    yield Cable(
                        name, lowers[place].name, switch.name, self.down[upper][position], position,
                        link.get("mtu", 9100), link["cable"]["length_m"],
                        a_seat=self.up[lower][switch.place.member * pairs + parallel],
                    )  # fmt: skip

    # What comes out.

    def port(self, device: str, seat: Seat) -> str:
        """What the platform of a switch calls a port."""
        tier = self.data["tiers"][self.switches[device].tier]
        return port_name(tier["platform"], tier["model"], seat)

    def ends(self, cable: Cable) -> frozenset[tuple[str, str]]:
        """Both ends of a cable."""
        a_port = self.port(cable.a, cable.a_seat) if cable.a_seat else cable.a_port
        return frozenset({(cable.a, a_port), (cable.b, self.port(cable.b, cable.b_seat))})

    def domains(self, absent: frozenset[str]) -> dict[str, tuple[str, ...]]:
        """The hosts of each host's NVLink domain, where it joins several; spares have domains of their own."""
        found: dict[str, tuple[str, ...]] = {}
        groups: dict[tuple[object, ...], list[str]] = {}
        for host in self.hosts.values():
            size = self.data["hosts"][host.group].get("nvlink_domain", 1)
            first = room(self.data["hosts"][host.group]["per_unit"]) if host.spare else 0
            key = (host.group, host.place, host.spare, (host.number - first) // size)
            groups.setdefault(key if size > 1 else (host.name,), []).append(host.name)
        for names in groups.values():
            there = tuple(name for name in names if name not in absent)
            found |= dict.fromkeys(there, there) if len(names) > 1 else {}
        return found

    def ratio(self, tier: str, *, spares: bool = False) -> Fraction | None:
        """Downlink over uplink Gb/s of the most loaded switch of a tier; None of the top one."""
        if tier == self.tiers[-1]:
            return None
        down: dict[str, int] = {}
        up: dict[str, int] = {}
        for cable in self.cables:
            gbps = speed(self.data["links"][cable.link])
            counts = spares or not cable.group or not self.hosts[cable.a].spare
            down[cable.b] = down.get(cable.b, 0) + gbps * counts
            up[cable.a] = up.get(cable.a, 0) + gbps
        found = [switch.name for switch in self.switches.values() if switch.tier == tier]
        return max(Fraction(down.get(name, 0), up[name]) for name in found)


def speed(link: Data) -> int:
    """Speed of a link, Gb/s."""
    return int(link["speed"].removesuffix("G"))


def _fill(cages: list[int], runs: list[tuple[int, int]]) -> tuple[list[Seat], set[int]]:
    """Seats for runs of (how many, ports per cage), each run on cages of its own; what does not fit is left out."""
    seats: list[Seat] = []
    left = list(cages)
    for count, ports in runs:
        run: list[Seat] = []
        while len(run) < count and left:
            cage = left.pop(0)
            run += [Seat(cage, sub, ports) for sub in range(ports)]
        seats += run[:count]
    return seats, set(cages) - set(left)
