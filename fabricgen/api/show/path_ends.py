"""The two ends of a path by name, and why there may be no way between them."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.analysis.ways import Way
from fabricgen.device.globs import name_close
from fabricgen.diagnostics import Bag, register
from fabricgen.diagnostics.words import counted
from fabricgen.plan.model.cabling import links_of_host
from fabricgen.plan.model.exceptions import DeviceException, LinkException
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import NicId
from fabricgen.plan.model.links import HostLink, host_links_of_host
from fabricgen.plan.model.names import find_host, find_switch

NO_END = register(
    "FG-OUT-024",
    "No such end of a path",
    why="A path leads from a rail of one host to a rail of another.",
    fix="Name two hosts as `fabricgen show INVENTORY devices` does, and a rail that both have.",
    source="README.md",
)
NO_WAY = register(
    "FG-OUT-025",
    "Two hosts cannot reach each other",
    why="What one of them sends is dropped; a collective over both does not start, or stops.",
    fix="Bring back what is absent, or choose a rail that has a way.",
    source="RFC 7938 section 6",
)


def find_ends(plan: FabricPlan, names: tuple[str, ...], rail: int, bag: Bag) -> tuple[NicId, NicId] | None:
    """Return the two NICs that a path is asked for.

    Args:
        plan: The plan.
        names: Names of two hosts.
        rail: Rail of both.
        bag: Takes what is wrong with a name or the rail.
    """
    found = [_find_end(plan, name, rail, bag) for name in names]
    if len(names) != 2:
        asked = f"show path takes two hosts, not {len(names)}"
        bag.add(NO_END, asked, hint="name two, such as fabricgen show INVENTORY path " + " ".join(_some_hosts(plan)))
        return None
    one, other = found
    if one is None or other is None:
        return None
    if one.host == other.host:
        bag.add(
            NO_END, f"{names[0]} is both ends", hint="name another host; traffic inside one does not enter the fabric"
        )
        return None
    return one, other


def _find_end(plan: FabricPlan, name: str, rail: int, bag: Bag) -> NicId | None:
    """Return the rail of a host by name."""
    host = find_host(plan, name)
    if host is None:
        what = f"{name} is a switch, not a host" if find_switch(plan, name) else f"no host has the name {name!r}"
        near = name_close(name, (plan.host_name(each) for each in plan.all_hosts()))
        bag.add(NO_END, what, hint=f"use for example {near[0]}" if near else "")
        return None
    rails = len(plan.hosts[host.group].rails)
    if not 0 <= rail < rails:
        bag.add(NO_END, f"{name} has {counted(rails, 'rail')}, and no rail {rail}", hint=f"use --rail 0 to {rails - 1}")
        return None
    return NicId(host, rail)


def _some_hosts(plan: FabricPlan) -> list[str]:
    """Names of the first host and of another, to show what is asked for."""
    hosts = plan.all_hosts()
    return [plan.host_name(host) for host, _ in zip(hosts, range(2), strict=False)]


def check_ways(plan: FabricPlan, one: NicId, other: NicId, ways: list[Way], bag: Bag) -> bool:
    """Return whether a way leads from one NIC to another; add the reason if none does.

    Args:
        plan: The plan.
        one: The sender.
        other: The receiver.
        ways: What was found between them.
        bag: Takes the reason.
    """
    if any(way.receiver for way in ways):
        return True
    names = f"{plan.host_name(one.host)} cannot reach {plan.host_name(other.host)} on rail {one.rail}"
    dead = [reason for nic in (one, other) for reason in _dead_ports(plan, nic)]
    if ways:
        stopped = plan.device_name(ways[0].steps[-1].device)
        reason = f"{stopped} has no route to {_leafs(plan, other)}"
    elif dead:
        reason = "; ".join(dict.fromkeys(dead))
    else:
        reason = "their ports are in different planes"
    bag.add(NO_WAY, f"{names}: {reason}")
    return False


def _leafs(plan: FabricPlan, nic: NicId) -> str:
    """Names of the leafs that a NIC has links to."""
    links = (link for link in links_of_host(plan, nic.host) if link.rail == nic.rail)
    return " or ".join(dict.fromkeys(plan.device_name(link.upper_end) for link in links))


def _dead_ports(plan: FabricPlan, nic: NicId) -> Iterator[str]:
    """Say of each port of a NIC that does not work why."""
    cabled = {link.id: link for link in links_of_host(plan, nic.host)}
    for planned in host_links_of_host(plan, nic.host):
        if planned.rail != nic.rail:
            continue
        link = cabled.get(planned.id)
        leaf = plan.device_name((link or planned).upper_end)
        if link is None:
            yield f"{_port_name(plan, planned)} has no cable to {leaf}{_why(plan.exceptions.links.get(planned.id))}"
        elif plan.exceptions.is_absent(link.upper_end):
            yield f"{leaf} is absent{_why(plan.exceptions.of(link.upper_end))}"


def _port_name(plan: FabricPlan, link: HostLink) -> str:
    return f"port {link.port} of rail {link.rail} of {plan.host_name(link.host)}"


def _why(found: LinkException | DeviceException | None) -> str:
    """The reason of an exception in brackets."""
    return f" ({found.reason})" if found is not None and found.reason else ""
