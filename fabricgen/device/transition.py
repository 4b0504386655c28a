"""Lowering of a fabric on its way from one plan to another: each device as it is by then."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from fabricgen.device.classes import build_prefixes
from fabricgen.device.lower import Lowering
from fabricgen.device.model import FabricPrefixes, Host, LeafRoutes, Port, Rail, Switch, SwitchClass
from fabricgen.plan.model.fabric import FabricPlan, Transition
from fabricgen.plan.model.identity import Coordinates, DeviceId, HostId


def lower_plan(plan: FabricPlan) -> Lowering:
    """Return the lowering of a plan, or of a fabric on its way to it."""
    return Lowering(plan) if plan.transition is None else TransitionLowering(plan, plan.transition)


class TransitionLowering(Lowering):
    """Lowers devices of a fabric on its way.

    A switch is as in the plan that it has passed to. What both ends of a link say of it follows its upper end, and
    what a switch says of the number or the prefixes of a neighbor follows that neighbor. Lists of prefixes permit what
    either plan has.
    """

    def __init__(self, plan: FabricPlan, transition: Transition) -> None:
        """Prepare for one state of the fabric."""
        super().__init__(plan)
        self._passage = transition
        self._new, self._former = Lowering(plan._replace(transition=None)), Lowering(transition.former)
        self._own_classes: dict[tuple[bool, str], SwitchClass] = {}

    @cached_property
    def _switches(self) -> dict[str, DeviceId]:
        return {self.plan.device_name(device): device for device in self.plan.switches()}

    def lower_switch(self, device: DeviceId) -> Switch:
        """The model of one switch."""
        has_passed = device in self._passage.passed
        own, other = self._new.lower_switch(device), self._former.lower_switch(device)
        if not has_passed:
            own, other = other, own
        known = {port.shape.name: port for port in other.ports}
        own.ports = [self._port(device, port, known.get(port.shape.name, port)) for port in own.ports]
        own.leafs = tuple(map(self._routes_by_name.__getitem__, (leaf.name for leaf in own.leafs)))
        own.cls = self._class_of(own.cls, is_new=has_passed)
        return own

    def _port(self, device: DeviceId, own: Port, other: Port) -> Port:
        """Return a port as both ends of its link have it by now, given as in the device's plan and as in the other."""
        peer = self._switches.get(own.peer)
        if peer is None:
            return own
        upper, passed = max(device, peer), self._passage.passed
        link = own if (upper in passed) == (device in passed) else other
        return replace(link, shape=own.shape, peer_asn=self.plan.asn_of(peer), drained=own.drained)

    def _class_of(self, cls: SwitchClass, *, is_new: bool) -> SwitchClass:
        """Return a class of a plan under a name of its own, with the lists of prefixes of both plans."""
        found = self._own_classes.get((is_new, cls.key))
        if found is None:
            key = f"{'new' if is_new else 'former'}/{cls.key}"
            prefixes = replace(cls.prefixes, permitted=self._permitted)
            found = self._own_classes[is_new, cls.key] = replace(cls, key=key, prefixes=prefixes)
        return found

    @cached_property
    def _permitted(self) -> tuple[FabricPrefixes, ...]:
        former, new = (build_prefixes(plan) for plan in (self._passage.former, self.plan))
        return (former, new) if former != new else ()

    @cached_property
    def _routes_by_name(self) -> dict[str, LeafRoutes]:
        where = self.plan.tiers[0].coordinates()
        return {self.name(0, each): self.leaf_routes(each) for each in where}

    def leaf_routes(self, where: Coordinates) -> LeafRoutes:
        """Return what a leaf may say by now."""
        side = self._new if DeviceId(0, where) in self._passage.passed else self._former
        return side.leaf_routes(where)

    def lower_host(self, host: HostId) -> Host:
        """The model of one host: as in the new plan once all of its leafs have passed."""
        new, former = self._new.lower_host(host), self._former.lower_host(host)
        rails = list(self._rails(former, new))
        if all(rail is other for rail, other in zip(rails, new.rails, strict=True)):
            return new
        former.rails = [
            replace(rail, shape=own.shape) if rail is not own else own
            for rail, own in zip(rails, former.rails, strict=True)
        ]
        former.cls = replace(former.cls, key=f"former/{former.cls.key}")
        return former

    def _rails(self, former: Host, new: Host) -> Iterator[Rail]:
        """Yield the rails of a host, each as its leaf has it."""
        for own, other in zip(former.rails, new.rails, strict=True):
            peer = own.peer or next((link.peer for link in own.links), "")
            yield other if self._switches.get(peer) in self._passage.passed else own
