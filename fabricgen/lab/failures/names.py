"""Names that plan and lab have for the same thing: switches, the ends of links, NICs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.lab.model.blueprint import Blueprint, Node
from fabricgen.lab.model.planned import linux_name
from fabricgen.lab.verify.reach import Endpoint, list_endpoints
from fabricgen.plan.model.cabling import cables_below, links_at_ports
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, HostId, LinkId
from fabricgen.plan.model.links import HostLink, Link

End = tuple[str, str]
"""Device and interface."""


class Ends(NamedTuple):
    """A link with its two ends in the lab."""

    link: Link
    lower: End
    upper: End


class Attached(NamedTuple):
    """An address of a NIC, with the links it is reached over: several if its ports bond."""

    nic: Endpoint
    links: tuple[HostLink, ...]

    @property
    def plane(self) -> int:
        """The plane it is in; a bond is in one."""
        return self.links[0].upper.plane

    @property
    def leafs(self) -> tuple[DeviceId, ...]:
        """The leafs it hangs on."""
        return tuple(sorted({link.upper_end for link in self.links}))


class Names:
    """Names of a plan and of the lab that was made of it.

    Attributes:
        ends: Ends of every cable by its identity in the plan.
        devices: Switches by name.
        attached: Addresses of the NICs of hosts in service.
        prefixes: Prefixes by which traffic is routed to them: blocks of leafs, or hosts of a bond one by one.
    """

    def __init__(self, plan: FabricPlan, blueprint: Blueprint) -> None:
        """Join both."""
        self.plan, self.blueprint = plan, blueprint
        self.devices = {plan.device_name(device): device for device in plan.switches()}
        self.ends: dict[LinkId, Ends] = {each.link.id: each for each in self._ends()}
        below = {each.lower: each.link for each in self.ends.values() if isinstance(each.link, HostLink)}
        serving = {plan.host_name(host) for host in plan.all_hosts() if self.serves(host)}
        self.attached = tuple(
            Attached(nic, links)
            for nic in list_endpoints(blueprint)
            if nic.place.device in serving and (links := tuple(self._links_of(nic, below)))
        )

        leafs = [node for node in blueprint.switches if not node.tier]
        self.prefixes = frozenset(prefix for node in leafs for prefix in _prefixes(node))

    def serves(self, host: HostId) -> bool:
        """Return whether a host takes part in the traffic: it is neither a spare nor taken out."""
        found = self.plan.exceptions.of(host)
        return host.host < self.plan.hosts[host.group].per_unit and not (found and found.state)

    def _ends(self) -> Iterator[Ends]:
        """Yield every cable, as its upper end in the lab knows it."""
        for name, device in self.devices.items():
            tier, node = self.plan.tier_of(device), self.blueprint.node(name)
            ports = {end.name: end for end in node.interfaces}
            for link, slot in links_at_ports(tier, cables_below(self.plan, device), ()):
                end = ports.get(linux_name(tier.slots[slot].name))
                if end is not None:
                    yield Ends(link, (end.peer, end.peer_interface), (name, end.name))

    def _links_of(self, nic: Endpoint, below: dict[End, HostLink]) -> Iterator[HostLink]:
        """Yield the links of a NIC by the interfaces that have its address."""
        for end in self.blueprint.node(nic.place.device).interfaces:
            addresses = {address.partition("/")[0] for address in end.addresses}
            link = below.get((nic.place.device, end.name))
            if nic.place.address in addresses and link is not None:
                yield link


def _prefixes(leaf: Node) -> Iterator[str]:
    announced = [prefix for end in leaf.interfaces for prefix in end.announces]
    yield from announced or (prefix for prefix in leaf.originates if prefix not in leaf.loopbacks)
