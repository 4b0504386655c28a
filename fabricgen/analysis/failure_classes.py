"""Classes of failures: elements of a fabric whose loss does the same, each with one that stands for all, by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.analysis.cells import Element, Partition
from fabricgen.analysis.forwarding import working_ports
from fabricgen.plan.model.cabling import FabricLink, HostLink, Link, link_of, up_links
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, FabricLinkId, HostId, HostLinkId, LinkId

ClassKey = tuple[object, ...]


class FailureClass(NamedTuple):
    """Elements that are alike.

    Attributes:
        scope: Name of their tier or of their links; ports of NICs are named after their links.
        element: The one that stands for all.
    """

    scope: str
    element: Element
    size: int
    key: ClassKey


def list_scopes(plan: FabricPlan) -> list[str]:
    """Return the names of everything of which one can fail: tiers, then links from the hosts up."""
    links = [*(group.link.name for group in plan.hosts), *(group.name for group in plan.links[1:])]
    return list(dict.fromkeys([*(tier.name for tier in plan.tiers), *links]))


def list_classes(partition: Partition, without: Element | None = None) -> list[FailureClass]:
    """Return the classes of single failures: switches, links between them, NIC ports that work; one may have failed."""
    found: dict[ClassKey, FailureClass] = {}
    for parts in (_switches, _links, _ports):
        for each in parts(partition):
            if each.element != without:
                known = found.get(each.key)
                found[each.key] = known._replace(size=known.size + each.size) if known else each
    return list(found.values())


def class_key(partition: Partition, element: Element) -> ClassKey:
    """Return the key of the class that an element is in."""
    if isinstance(element, DeviceId):
        return "switch", partition.key(element)
    if isinstance(element, HostId):
        return "host", partition.host_key(element)
    link = cabled_link(partition.plan, element)
    return port_key(partition, link) if isinstance(link, HostLink) else _link_key(partition, link)


def cabled_link(plan: FabricPlan, identity: LinkId) -> Link:
    """Return a link with the upper end that exceptions give it."""
    link, change = link_of(plan, identity), plan.exceptions.links.get(identity)
    return link if change is None or change.end is None else link._replace(upper=change.end)


def _switches(partition: Partition) -> Iterator[FailureClass]:
    for tier in partition.plan.tiers:
        for cell in partition.cells(tier.number):
            yield FailureClass(tier.name, cell.device, cell.size, ("switch", cell.key))


def _links(partition: Partition) -> Iterator[FailureClass]:
    """Yield every link upwards of each cell; those that exceptions drain stand apart."""
    plan = partition.plan
    for tier in plan.tiers[:-1]:
        for cell in partition.cells(tier.number):
            for link in up_links(plan, cell.device):
                yield FailureClass(plan.links[link.number].name, link.id, cell.size, _link_key(partition, link))


def _link_key(partition: Partition, link: FabricLink) -> ClassKey:
    change = partition.plan.exceptions.links.get(link.id)
    state = change.state if change is not None else ""
    return "link", partition.key(link.lower_end), partition.key(link.upper_end), state


def _ports(partition: Partition) -> Iterator[FailureClass]:
    """Yield the ports of each cell of hosts, by rail."""
    plan = partition.plan
    for hosts in partition.host_cells():
        scope = plan.hosts[hosts.host.group].link.name
        for rails in partition.rail_cells(hosts.host.group):
            for link in working_ports(plan, hosts.host, rails.rails[0]):
                plane = partition.plane_of(link.upper.plane)
                if link.upper.plane == plane.first:
                    size = hosts.size * len(rails.rails) * plane.size
                    yield FailureClass(scope, link.id, size, port_key(partition, link))


def port_key(partition: Partition, link: HostLink) -> ClassKey:
    """Return the key of the class that the port of a NIC is in."""
    rail = partition.rail_key(link.host.group, link.rail)
    return "port", partition.host_key(link.host), rail, partition.key(link.upper_end)


def element_name(plan: FabricPlan, element: Element) -> str:
    """Return what fails in words: a switch, the ends of a link, or a port of a NIC."""
    if isinstance(element, DeviceId):
        return plan.device_name(element)
    if isinstance(element, HostId):
        return plan.host_name(element)
    link = link_of(plan, element)
    upper = plan.device_name(link.upper_end)
    change = plan.exceptions.links.get(element)
    if change is not None and change.end is not None:
        upper = plan.device_name(DeviceId(link.upper_end.tier, change.end))
    if isinstance(element, FabricLinkId):
        parallel = element.position % plan.links[link.upper_end.tier].per_pair + 1
        return f"{plan.device_name(element.lower)} - {upper} n {parallel}"
    return f"{port_name(plan, element)} - {upper}"


def port_name(plan: FabricPlan, port: HostLinkId) -> str:
    """Return a host with the rail, and the port where its NIC has several."""
    several = plan.hosts[port.host.group].nic_ports > 1
    return f"{plan.host_name(port.host)} rail {port.rail}" + (f" port {port.port}" if several else "")
