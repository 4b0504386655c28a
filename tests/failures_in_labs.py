"""Every single failure of a fabric in the names of plan and lab, and what one does to a lab that runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import NamedTuple

from fabricgen.analysis.cells import Partition, Symmetry
from fabricgen.analysis.failure_classes import FailureClass, class_key, element_name
from fabricgen.analysis.failures import PlanFailures, Widths
from fabricgen.lab.lifecycle.kernel import wait_for
from fabricgen.lab.model.blueprint import Blueprint, LabNode
from fabricgen.lab.model.planned import linux_name
from fabricgen.lab.rehearsal.widths import compare_widths
from fabricgen.lab.verify import predict as lab
from fabricgen.lab.verify.drill import PATIENCE_S, InjectedFault, cut_cable, kill_switch
from fabricgen.lab.verify.forwarding import read_all_routes
from fabricgen.lab.verify.observe import Routes, routes_differ
from fabricgen.lab.verify.packets import Shot, shoot
from fabricgen.lab.verify.reach import Endpoint, list_endpoints, open_ports
from fabricgen.plan.model.cabling import HostLink, Link, cables_below, links_at_ports
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, HostId, LinkId

End = tuple[str, str]
"""Device and interface."""


class Failure(NamedTuple):
    """One thing that fails: its name, itself, and the class of failures that it is one of."""

    name: str
    element: DeviceId | LinkId
    alike: FailureClass


class Nic(NamedTuple):
    """An address of a NIC, with the links it is reached over: several if its ports bond."""

    endpoint: Endpoint
    links: tuple[HostLink, ...]

    @property
    def place(self) -> tuple[HostId, int]:
        """Host and rail, which ports of one NIC share."""
        return self.links[0].host, self.links[0].rail


Pair = tuple[Nic, Nic]


class LabOfPlan:
    """A plan and the lab that was made of it."""

    def __init__(self, plan: FabricPlan, blueprint: Blueprint) -> None:
        """Join the names of both."""
        self.plan, self.blueprint = plan, blueprint
        self.failures = PlanFailures(Symmetry(plan))
        self.devices = {plan.device_name(device): device for device in plan.switches()}
        self.ends: dict[LinkId, End] = {}
        below: dict[End, HostLink] = {}
        for link, upper, lower in self._cables():
            self.ends[link.id] = upper
            if isinstance(link, HostLink):
                below[lower] = link
        serving = {plan.host_name(host) for host in plan.all_hosts() if self._serves(host)}
        self.nics = [
            Nic(endpoint, links)
            for endpoint in list_endpoints(blueprint)
            if endpoint.place.device in serving and (links := tuple(self._links_of(endpoint, below)))
        ]
        leafs = [node for node in blueprint.switches if not node.tier]
        self.prefixes = frozenset(prefix for node in leafs for prefix in _prefixes(node))

    def _cables(self) -> Iterator[tuple[Link, End, End]]:
        """Yield every cable with its upper and its lower end."""
        for name, device in self.devices.items():
            tier = self.plan.tier_of(device)
            ports = {end.name: end for end in self.blueprint.node(name).interfaces}
            for link, slot in links_at_ports(tier, cables_below(self.plan, device), ()):
                end = ports.get(linux_name(tier.slots[slot].name))
                if end is not None:
                    yield link, (name, end.name), (end.peer, end.peer_interface)

    def _serves(self, host: HostId) -> bool:
        """Return whether a host takes part in the traffic: it is neither a spare nor taken out."""
        found = self.plan.exceptions.of(host)
        return host.host < self.plan.hosts[host.group].per_unit and not (found and found.state)

    def _links_of(self, nic: Endpoint, below: Mapping[End, HostLink]) -> Iterator[HostLink]:
        for end in self.blueprint.node(nic.place.device).interfaces:
            link = below.get((nic.place.device, end.name))
            if link is not None and nic.place.address in {address.partition("/")[0] for address in end.addresses}:
                yield link

    def list_failures(self) -> list[Failure]:
        """Return every single failure, class by class."""
        classes = {each.key: each for each in self.failures.single()}
        partition = Partition(self.failures.symmetry, self.failures.irregular)
        found = [
            Failure(element_name(self.plan, element), element, classes[key])
            for element in (*self.devices.values(), *self.ends)
            if (key := class_key(partition, element)) in classes
        ]
        order = {key: number for number, key in enumerate(classes)}
        return sorted(found, key=lambda failure: order[failure.alike.key])

    def of_lab(self, failure: Failure) -> lab.FailedParts:
        """The same failure for the lab's own walk over its cables."""
        if isinstance(failure.element, DeviceId):
            return lab.FailedParts(nodes=frozenset({failure.name}))
        return lab.FailedParts(links=frozenset({self.ends[failure.element]}))

    def widths(self, planned: Mapping[str, Routes], now: Mapping[str, Routes]) -> Widths:
        """Return what is left of the next hops of each tier, of routes by which traffic is sent."""
        found = compare_widths(self.blueprint, self._used(planned), self._used(now))
        return {place: (before, left) for place, (before, left) in found.items() if left < before}

    def _used(self, routes: Mapping[str, Routes]) -> dict[str, Routes]:
        return {
            device: {prefix: hops for prefix, hops in found.items() if prefix in self.prefixes}
            for device, found in routes.items()
            if device in self.devices
        }


def _prefixes(leaf: LabNode) -> Iterator[str]:
    announced = [prefix for end in leaf.interfaces for prefix in end.announces]
    yield from announced or (prefix for prefix in leaf.originates if prefix not in leaf.loopbacks)


class Measured(NamedTuple):
    """Next hops in the kernels of switches that work, and whether a packet arrived over each pair."""

    routes: dict[str, Routes]
    arrived: dict[Pair, bool]


class Bench:
    """A lab that runs, in which things fail one after the other."""

    def __init__(self, names: LabOfPlan) -> None:
        """Measure it whole."""
        self.names, self.blueprint = names, names.blueprint
        self.pairs = [(a, b) for a in names.nics for b in names.nics if _may_talk(a, b)]
        self.whole = self.measure(())

    def measure(self, dead: Sequence[str]) -> Measured:
        """Read forwarding tables and try every pair."""
        working = [node for node in self.blueprint.switches if node.name not in dead]
        routes = read_all_routes(self.blueprint, working)
        with open_ports(self.blueprint, [nic.endpoint.place for nic in self.names.nics]) as ports:
            shots = [Shot(ports[a.endpoint.place], ports[b.endpoint.place]) for a, b in self.pairs]
            outcomes = shoot(shots)
        return Measured(routes, {pair: it.arrived for pair, it in zip(self.pairs, outcomes, strict=True)})

    def fail(self, failure: Failure) -> Measured:
        """Cause a failure, measure once the kernels forward around it, and undo it."""
        with self._caused(self._fault(failure)) as dead:
            return self.measure(dead)

    @contextmanager
    def _caused(self, fault: InjectedFault) -> Iterator[Sequence[str]]:
        dead = tuple(fault.failures.nodes)
        alive = [node for node in self.blueprint.speakers if node.name not in dead]
        try:
            fault.make()
            self._settle(fault.failures, alive)
            yield dead
        finally:
            fault.undo()
            self._settle(lab.FailedParts(), self.blueprint.speakers)

    def _settle(self, failures: lab.FailedParts, nodes: Sequence[LabNode]) -> None:
        expected = lab.predict(self.blueprint, failures)
        assert wait_for(lambda: not routes_differ(self.blueprint, expected, nodes), PATIENCE_S, 0.05), failures

    def _fault(self, failure: Failure) -> InjectedFault:
        """Return how a failure is caused: a cable is cut at its upper end, so that a host keeps its routes."""
        if isinstance(failure.element, DeviceId):
            return kill_switch(failure.name, self.blueprint, self.blueprint.node(failure.name), ())
        device, interface = self.names.ends[failure.element]
        node = self.blueprint.node(device)
        return cut_cable(failure.name, self.blueprint, node, node.interface(interface), ())

    def count_pairs(self, now: Measured) -> tuple[int, int]:
        """Return the ordered pairs of NICs of one rail that are cut off, and those of which only a part is."""
        met: dict[object, list[bool]] = {}
        for (a, b), arrived in self.whole.arrived.items():
            if arrived and a.links[0].rail == b.links[0].rail:
                met.setdefault((a.place, b.place), []).append(now.arrived[a, b])
        cut = sum(not any(found) for found in met.values())
        return cut, sum(any(found) and not all(found) for found in met.values())

    def compare(self, failure: Failure) -> list[str]:
        """Return where a failure does something else than ``analyze failures`` prints of its class."""
        effect, now = self.names.failures.effect(failure.alike), self.fail(failure)
        predicted = {place: (before, left) for place, (before, left) in effect.widths.items() if left < before}
        pairs = tuple(round(sum(each.values(), Fraction(0))) for each in (effect.cut, effect.reduced))
        measured = self.names.widths(self.whole.routes, now.routes), self.count_pairs(now)
        both = zip((predicted, pairs), measured, strict=True)
        return [f"{failure.name}: predicted {said}, measured {was}" for said, was in both if said != was]


def _may_talk(a: Nic, b: Nic) -> bool:
    six = [":" in nic.endpoint.place.address for nic in (a, b)]
    return a.links[0].host != b.links[0].host and a.links[0].upper.plane == b.links[0].upper.plane and six[0] == six[1]
