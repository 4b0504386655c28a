"""Names of what can fail: a switch, the ends of a link, a port of a NIC."""

from __future__ import annotations

from fabricgen.analysis.symmetry import Element
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, FabricLinkId, HostId, HostLinkId
from fabricgen.plan.model.links import link_of


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
