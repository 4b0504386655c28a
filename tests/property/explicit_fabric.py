"""A fabric link by link, routing and equal-cost hashing in it by brute force: judge of what symmetry computes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from fractions import Fraction
from typing import NamedTuple

from fabricgen.plan.model.cabling import links_of_host, up_links
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, FabricLinkId, HostId, HostLinkId, LinkId

Element = DeviceId | LinkId


class Best(NamedTuple):
    """The best route of a switch: preference, AS numbers of all equal paths, and the links they begin with."""

    drained: bool
    length: int
    from_above: bool
    asns: frozenset[int]
    links: tuple[FabricLinkId, ...]


class Port(NamedTuple):
    """A port of a NIC with the leaf it meets."""

    id: HostLinkId
    leaf: DeviceId
    gbps: int


class ExplicitFabric:
    """Every switch and cable that exceptions leave."""

    def __init__(self, plan: FabricPlan) -> None:
        self.plan = plan
        self.switches = list(plan.switches())
        self.ends: dict[FabricLinkId, tuple[DeviceId, DeviceId]] = {}
        for device in self.switches:
            for link in up_links(plan, device):
                self.ends[link.id] = (device, link.upper_end)
        self.at: defaultdict[DeviceId, list[FabricLinkId]] = defaultdict(list)
        for name, ends in self.ends.items():
            for end in ends:
                self.at[end].append(name)
        self.ports: dict[tuple[HostId, int], list[Port]] = {}
        for host in plan.all_hosts():
            group, known = plan.hosts[host.group], plan.exceptions.of(host)
            if host.host >= group.per_unit or (known and known.state):
                continue
            for cable in links_of_host(plan, host):
                if not plan.exceptions.is_absent(cable.upper_end):
                    port = Port(cable.id, cable.upper_end, group.link.speed_gbps)
                    self.ports.setdefault((host, cable.rail), []).append(port)

    def elements(self) -> list[Element]:
        return [*self.switches, *self.ends, *(port.id for ports in self.ports.values() for port in ports)]

    def asn(self, device: DeviceId) -> int:
        return self.plan.tiers[device.tier].layout.asn.at(device.where)

    def is_drained(self, name: FabricLinkId) -> bool:
        """A link, or a switch at one of its ends, asks to be left out."""
        found = self.plan.exceptions.links.get(name)
        ends = (self.plan.exceptions.of(end) for end in self.ends[name])
        return any(each is not None and each.state == "drained" for each in (found, *ends))


class Outcome:
    """The behaviour of a fabric with some elements failed: loads of links, what arrives, and widths."""

    def __init__(self, fabric: ExplicitFabric, failed: Collection[Element] = ()) -> None:
        self.fabric, self.failed = fabric, frozenset(failed)
        self.links = {
            name for name, ends in fabric.ends.items() if name not in self.failed and not self.failed & set(ends)
        }
        self.up: defaultdict[LinkId, Fraction] = defaultdict(Fraction)
        self.down: defaultdict[LinkId, Fraction] = defaultdict(Fraction)
        self.arriving: defaultdict[tuple[HostId, HostId, int], Fraction] = defaultdict(Fraction)
        self.widths: dict[tuple[HostId, int, int, DeviceId, bool], int] = {}
        self._routes: dict[frozenset[DeviceId], dict[DeviceId, Best]] = {}
        self._rates: defaultdict[int, int] = defaultdict(int)
        for (_, rail), ports in fabric.ports.items():
            self._rates[rail] += sum(port.gbps for port in ports)

    def works(self, port: Port) -> bool:
        return port.id not in self.failed and port.leaf not in self.failed

    def carry(self) -> Outcome:
        """Every flow from every NIC to every other of its rail, port by port."""
        for (receiver, rail), ports in self.fabric.ports.items():
            for leafs, part, delivered in self._targets(receiver, ports):
                flow: defaultdict[DeviceId, Fraction] = defaultdict(Fraction)
                routes = self.routes(leafs)
                for sender, gbps, port, own in self._senders(receiver, rail, ports, min(leafs).where.plane):
                    if port.leaf in routes:
                        amount = gbps * own * part
                        flow[port.leaf] += amount
                        self.up[port.id] += amount
                        self.arriving[sender, receiver, rail] += own * part
                self._push(flow, routes, delivered, (receiver, rail, min(leafs).where.plane))
        return self

    def _targets(self, host: HostId, ports: list[Port]) -> Iterable[tuple[frozenset[DeviceId], Fraction, list[Port]]]:
        """Leafs that lead to a NIC in each plane, the part of its traffic meant for them, and its ports there."""
        planes = defaultdict(list)
        for port in ports:
            planes[port.leaf.where.plane].append(port)
        for some in planes.values():
            working = [port for port in some if self.works(port)]
            if self.fabric.plan.hosts[host.group].bond:
                if working:
                    yield frozenset(port.leaf for port in working), Fraction(1), working
            else:
                yield from ((frozenset([port.leaf]), Fraction(1, len(some)), [port]) for port in working)

    def _senders(
        self, receiver: HostId, rail: int, own: list[Port], plane: int
    ) -> Iterable[tuple[HostId, Fraction, Port, Fraction]]:
        """Every port that sends to a NIC in a plane: its host, what that has to send, and the port's part of it."""
        for (host, number), ports in self.fabric.ports.items():
            if number != rail or host == receiver:
                continue
            rate = sum(port.gbps for port in ports)
            gbps = Fraction(rate * sum(port.gbps for port in own), self._rates[rail] - rate)
            group = self.fabric.plan.hosts[host.group]
            working = [port for port in ports if self.works(port)]
            shares = len(working) if group.bond or group.spread else len(ports)
            for port in working:
                if port.leaf.where.plane == plane:
                    yield host, gbps, port, Fraction(1, shares)

    def routes(self, leafs: frozenset[DeviceId]) -> dict[DeviceId, Best]:
        """Best routes to whatever some leafs announce: rounds over all switches until nothing changes."""
        if leafs not in self._routes:
            best = {leaf: Best(False, 0, False, frozenset(), ()) for leaf in leafs}
            for _ in range(100):
                before = dict(best)
                for device in self.fabric.switches:
                    if device not in leafs and device not in self.failed:
                        chosen = self._choose(device, best)
                        if chosen:
                            best[device] = chosen
                        else:
                            best.pop(device, None)
                if best == before:
                    break
            else:
                raise AssertionError("routing does not settle")
            self._routes[leafs] = best
        return self._routes[leafs]

    def _choose(self, device: DeviceId, best: dict[DeviceId, Best]) -> Best | None:
        offers = []
        for name in self.fabric.at[device]:
            if name not in self.links:
                continue
            lower, upper = self.fabric.ends[name]
            other = upper if device == lower else lower
            path = best.get(other)
            if path is None or (other == lower and path.from_above):
                continue
            asns = path.asns | {self.fabric.asn(other)}
            if self.fabric.asn(device) not in asns:
                drained = path.drained or self.fabric.is_drained(name)
                offers.append(Best(drained, path.length + 1, other == upper, asns, (name,)))
        if not offers:
            return None
        first = min(offer[:3] for offer in offers)
        equal = [offer for offer in offers if offer[:3] == first]
        asns = frozenset().union(*(offer.asns for offer in equal))
        return Best(*first, asns, tuple(name for offer in equal for name in offer.links))

    def _push(
        self,
        flow: defaultdict[DeviceId, Fraction],
        routes: dict[DeviceId, Best],
        delivered: list[Port],
        seen: tuple[HostId, int, int],
    ) -> None:
        """Move traffic hop by hop until all of it has arrived."""
        behind: dict[DeviceId, int] = {}
        while flow:
            device = min(flow, key=lambda each: (not routes[each].from_above, _height(each, routes)))
            amount, links = flow.pop(device), routes[device].links
            if not routes[device].length:
                here = [port for port in delivered if port.leaf == device]
                for port in here:
                    self.down[port.id] += amount / len(here)
                continue
            choice = (*seen, device, routes[device].from_above)
            self.widths[choice] = min(len(links), self.widths.get(choice, len(links)))
            weights = self._weights(device, routes, behind)
            for name in links:
                lower, upper = self.fabric.ends[name]
                part = amount * weights[name] / sum(weights.values())
                if device == lower:
                    self.up[name] += part
                    flow[upper] += part
                else:
                    self.down[name] += part
                    flow[lower] += part

    def _weights(
        self, device: DeviceId, routes: dict[DeviceId, Best], known: dict[DeviceId, int]
    ) -> dict[FabricLinkId, Fraction]:
        """Weights of the links that a switch sends over: parts of the links that are left behind each of them."""
        links, rules = routes[device].links, self.fabric.plan.weights.active
        behind = {name: self._behind(self._far_end(device, name), routes, known) for name in links}
        if not rules:
            return dict.fromkeys(links, Fraction(1))
        if rules[device.tier] == "hundredths":
            return {name: Fraction(max(1, 100 * each // sum(behind.values()))) for name, each in behind.items()}
        most = {"scaled_254": 254, "scaled_255": 255}.get(rules[device.tier])
        if most is None:
            return {name: Fraction(each) for name, each in behind.items()}
        return {name: Fraction(max(1, most * each // max(behind.values()))) for name, each in behind.items()}

    def _behind(self, device: DeviceId, routes: dict[DeviceId, Best], known: dict[DeviceId, int]) -> int:
        """Return how much bandwidth a switch announces: 1 for a leaf of its own, else what its next hops announce."""
        if device not in known:
            ends = [self._far_end(device, name) for name in routes[device].links]
            known[device] = sum(self._behind(end, routes, known) for end in ends) if routes[device].length else 1
        return known[device]

    def _far_end(self, device: DeviceId, name: FabricLinkId) -> DeviceId:
        lower, upper = self.fabric.ends[name]
        return upper if device == lower else lower


def _height(device: DeviceId, routes: dict[DeviceId, Best]) -> int:
    """Lowest first on the way up, highest first on the way down."""
    return device.tier if routes[device].from_above else -device.tier
