"""The two ends of a path by name, and the ports of their NICs over which no way leads, each with the reason."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.analysis.ways import PortPath
from fabricgen.device.globs import name_close
from fabricgen.device.wiring import host_port
from fabricgen.diagnostics import Bag, register
from fabricgen.diagnostics.words import counted
from fabricgen.plan.model.cabling import HostLink, host_links_of_host, links_of_host
from fabricgen.plan.model.fabric import DeviceException, FabricPlan, LinkException
from fabricgen.plan.model.identity import NicId
from fabricgen.plan.model.names import find_host, find_switch
from fabricgen.tables.sections import Row

NO_END = register(
    "FG-OUT-024",
    "No such end of a path or flow",
    why="A path leads from a rail of one host to a rail of another; what leads nowhere loads no link.",
    fix="Name two different hosts in service as `fabricgen show INVENTORY devices` does, and a rail that both have.",
    source="docs/entropy.md; README.md",
)


def find_ends(plan: FabricPlan, names: tuple[str, ...], rail: int, bag: Bag) -> tuple[NicId, NicId] | None:
    """Return the two NICs that a path is asked for."""
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


NO_WAY = register(
    "FG-OUT-025",
    "Two hosts cannot reach each other",
    why="What one of them sends is dropped; a collective over both does not start, or stops.",
    fix="Bring back what is absent, or choose a rail that has a way.",
    source="RFC 7938 section 6",
)


class PathGap(NamedTuple):
    """A port over which no way leads; ``dead`` if the reason is its own cable or leaf."""

    port: HostLink
    reason: str
    dead: bool = False


def list_gaps(plan: FabricPlan, one: NicId, other: NicId, ways: list[PortPath]) -> list[PathGap]:
    """Return the ports of two NICs that traffic from one to the other does not use, and why.

    Args:
        plan: The plan.
        one: The sender.
        other: The receiver.
        ways: What ``list_ways`` found between them.
    """
    gaps = [gap for nic in (one, other) for gap in _dead_ports(plan, nic)]
    begun, dead = {way.sender.id: way for way in ways}, {gap.port.id for gap in gaps}
    for link in links_of_host(plan, one.host):
        if link.rail != one.rail or link.id in dead:
            continue
        way = begun.get(link.id)
        if way is None:
            reason = f"{_port_name(plan, link)} has no working counterpart at {plan.host_name(other.host)}"
            gaps.append(PathGap(link, reason))
        elif way.receiver is None:
            stopped = plan.device_name(way.steps[-1].device)
            gaps.append(PathGap(link, f"{stopped} has no route to {_leafs(plan, other, link)}"))
    return [*gaps, *_avoided_ports(plan, other, [way for way in ways if way.receiver])]


def gap_row(plan: FabricPlan, gap: PathGap) -> Row:
    """Return a port over which no way leads, as a row."""
    port = gap.port
    return {
        "host": plan.host_name(port.host),
        "port": host_port(plan.hosts[port.host.group], port),
        "reason": gap.reason,
    }


def check_ways(plan: FabricPlan, one: NicId, other: NicId, ways: list[PortPath], bag: Bag) -> bool:
    """Return whether a way leads from one NIC to another; add the reason if none does."""
    if any(way.receiver for way in ways):
        return True
    names = f"{plan.host_name(one.host)} cannot reach {plan.host_name(other.host)} on rail {one.rail}"
    gaps = list_gaps(plan, one, other, ways)
    shown = [gap for gap in gaps if gap.dead or ways] or gaps
    bag.add(NO_WAY, f"{names}: {'; '.join(dict.fromkeys(gap.reason for gap in shown))}")
    return False


def _leafs(plan: FabricPlan, nic: NicId, sender: HostLink) -> str:
    """Names of the leafs that a NIC has links to in the plane of a sender's link."""
    links = (link for link in links_of_host(plan, nic.host) if link.rail == nic.rail)
    there = [link.upper_end for link in links if link.upper.plane == sender.upper.plane]
    working = [leaf for leaf in there if not plan.exceptions.is_absent(leaf)]
    return " or ".join(dict.fromkeys(plan.device_name(leaf) for leaf in working))


def _dead_ports(plan: FabricPlan, nic: NicId) -> Iterator[PathGap]:
    """Yield each port of a NIC that does not work."""
    cabled = {link.id: link for link in links_of_host(plan, nic.host)}
    for planned in host_links_of_host(plan, nic.host):
        if planned.rail != nic.rail:
            continue
        link = cabled.get(planned.id)
        leaf = plan.device_name((link or planned).upper_end)
        if link is None:
            why = _why(plan.exceptions.links.get(planned.id))
            yield PathGap(planned, f"{_port_name(plan, planned)} has no cable to {leaf}{why}", dead=True)
        elif plan.exceptions.is_absent(link.upper_end):
            yield PathGap(link, f"{leaf} is absent{_why(plan.exceptions.of(link.upper_end))}", dead=True)


def _avoided_ports(plan: FabricPlan, nic: NicId, ways: list[PortPath]) -> Iterator[PathGap]:
    """Yield each port of a receiver's bond at a drained leaf, where another leaf is preferred."""
    ends = {way.steps[-1].device for way in ways}
    if not plan.hosts[nic.host.group].bond or not ends:
        return
    for link in links_of_host(plan, nic.host):
        leaf, found = link.upper_end, plan.exceptions.of(link.upper_end)
        rivals = {end for end in ends if end.where.plane == leaf.where.plane}
        if link.rail == nic.rail and rivals and leaf not in ends and found is not None and found.state == "drained":
            taken = " or ".join(plan.device_name(end) for end in sorted(rivals))
            yield PathGap(link, f"{plan.device_name(leaf)} is drained{_why(found)}; traffic arrives by {taken}")


def _port_name(plan: FabricPlan, link: HostLink) -> str:
    return f"port {link.port} of rail {link.rail} of {plan.host_name(link.host)}"


def _why(found: LinkException | DeviceException | None) -> str:
    """The reason of an exception in brackets."""
    return f" ({found.reason})" if found is not None and found.reason else ""
