"""A fabric by brute force: every device and every cable by nested loops, from the words of docs/intent.md.

Nothing of the product is used. What the language leaves to a number that grows is looked up here in lists that are as
long as what is reserved: the port of a link is the item of such a list.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product

from .devices import all_hosts, all_switches
from .hardware import Seat, port_name
from .records import Cable, Data, Server, Switch, number, room, speed
from .seats import seats_of
from .wording import Wording


class Model(Wording):
    """A fabric by brute force; building it fills the lists.

    ``down``: seats for links downwards of a tier's switches, at the reserved maximum, in order. ``missing``: tiers
    whose boxes have too few ports; then there are no cables.
    """

    def __init__(self, data: Data) -> None:
        super().__init__(data)
        self.switches: dict[str, Switch] = {switch.name: switch for switch in all_switches(self)}
        self.hosts: dict[str, Server] = {host.name: host for host in all_hosts(self)}
        self.down: dict[str, list[Seat]] = {}
        self.up: dict[str, list[Seat]] = {}
        self.missing: list[str] = []
        self.cables: list[Cable] = []
        for at, tier in enumerate(self.tiers):
            self.down[tier], self.up[tier], fits = seats_of(self, at, tier)
            self.missing += [] if fits else [tier]
        if not self.missing:
            self.cables += self._host_cables()
            for lower, upper in pairwise(self.tiers):
                self.cables += self._fabric_cables(lower, upper)

    # Cables.

    def _host_cables(self) -> Iterator[Cable]:
        leafs = {switch.place: switch for switch in self.switches.values() if switch.tier == self.tiers[0]}
        for host in self.hosts.values():
            name, link = self.links_of(host.group)
            several, shared = self.nic_ports(host.group), self.ports_per_leaf(host.group)
            per_leaf, members = self.rails_per_leaf(host.group), self.attachment(host.group).get("leafs_per_group", 1)
            for rail, port in product(range(self.rails(host.group)), range(several)):
                meets, cable = divmod(port, shared)
                plane, member = divmod(meets, members)
                leaf = leafs[host.place._replace(plane=plane, group=rail // per_leaf, member=member)]
                before = host.number * self.slots(host.group) + rail % per_leaf * shared
                position = self.positions(host.group).start + before + cable
                yield Cable(
                    name, host.name, leaf.name, self.down[leaf.tier][position], position, link.get("mtu", 9100),
                    link["cable"]["length_m"], a_port=f"rail{rail}p{port}" if several > 1 else f"rail{rail}",
                    group=host.group, rail=rail,
                )  # fmt: skip

    def positions(self, group: str) -> range:
        """Return which of a leaf's ports for hosts a group has; groups stand in the order of their names."""
        before = sum(self.slots(name) * self.host_room(name) for name in self.data["hosts"] if name < group)
        return range(before, before + self.slots(group) * self.host_room(group))

    def _fabric_cables(self, lower: str, upper: str) -> Iterator[Cable]:
        link = self.link_below(upper)
        pairs = link.get("per_pair", 1)
        lowers = {switch.place: switch for switch in self.switches.values() if switch.tier == lower}
        for switch in [switch for switch in self.switches.values() if switch.tier == upper]:
            for at, place in enumerate(self.lowers(upper, switch.place, room)):
                for parallel in range(pairs) if place in lowers else ():
                    position = at * pairs + parallel
                    yield Cable(
                        f"{lower}-{upper}", lowers[place].name, switch.name, self.down[upper][position], position,
                        link.get("mtu", 9100), link["cable"]["length_m"],
                        a_seat=self.up[lower][switch.place.member * pairs + parallel],
                    )  # fmt: skip

    # What comes out.

    def box(self, device: str) -> Data:
        """A switch's tier, with what exceptions make it instead; such a box has the ports of the others."""
        said = [each.get("set", {}) for each in self.data.get("exceptions", ()) if each.get("device") == device]
        return {**self.data["tiers"][self.switches[device].tier], **(said[0] if said else {})}

    def platform(self, device: str) -> str:
        return str(self.box(device)["platform"])

    def port(self, device: str, seat: Seat) -> str:
        return port_name(self.platform(device), self.box(device)["model"], seat)

    def ends(self, cable: Cable) -> frozenset[tuple[str, str]]:
        a_port = self.port(cable.a, cable.a_seat) if cable.a_seat else cable.a_port
        return frozenset({(cable.a, a_port), (cable.b, self.port(cable.b, cable.b_seat))})

    def domains(self, absent: frozenset[str]) -> dict[str, tuple[str, ...]]:
        """The hosts of each host's NVLink domain, where it joins several; spares have domains of their own."""
        found: dict[str, tuple[str, ...]] = {}
        groups: dict[tuple[object, ...], list[str]] = {}
        for host in self.hosts.values():
            said = self.data["hosts"][host.group]
            size = said.get("nvlink_domain", 1)
            regular, spares = number(said["per_unit"]), number(said.get("backup_per_unit", 0))
            at = host.number - (room(said["per_unit"]) if host.spare else 0)
            key: tuple[object, ...] = (host.group, host.place, host.spare, at // size)
            if regular % size or spares % size:
                domains = (regular + spares) // size
                key = (host.group, host.place, at // ((spares if host.spare else regular) // domains))
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
