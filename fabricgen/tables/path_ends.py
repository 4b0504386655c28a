"""The two ends of a path by name, and whether a way leads from one to the other."""

from __future__ import annotations

from fabricgen.analysis.ways import PortPath
from fabricgen.device.globs import name_close
from fabricgen.diagnostics import Bag, register
from fabricgen.diagnostics.words import counted
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import NicId

NO_END = register(
    "FG-OUT-024",
    "No such end of a path",
    why="A path leads from a rail of one host to a rail of another.",
    fix="Name two different hosts in service as `fabricgen show INVENTORY devices` does, and a rail that both have.",
    source="README.md",
)


def find_ends(plan: FabricPlan, names: tuple[str, ...], rail: int, bag: Bag) -> tuple[NicId, NicId] | None:
    """Return the two NICs that a path is asked for."""
    found = [_find_end(plan, name, rail, bag) for name in names]
    if len(names) != 2:
        asked = f"show path takes two hosts, not {len(names)}"
        bag.add(NO_END, asked, hint="name two that fabricgen show INVENTORY devices lists")
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
    hosts = {plan.host_name(each): each for each in plan.all_hosts()}
    host = hosts.get(name)
    if host is None:
        is_switch = name in map(plan.device_name, plan.switches())
        what = f"{name} is a switch, not a host" if is_switch else f"no host has the name {name!r}"
        near = name_close(name, hosts)
        bag.add(NO_END, what, hint=f"use for example {near[0]}" if near else "")
        return None
    rails = len(plan.hosts[host.group].rails)
    if not 0 <= rail < rails:
        bag.add(NO_END, f"{name} has {counted(rails, 'rail')}, and no rail {rail}", hint=f"use --rail 0 to {rails - 1}")
        return None
    return NicId(host, rail)


NO_WAY = register(
    "FG-OUT-025",
    "Two hosts cannot reach each other",
    why="What one of them sends is dropped; a collective over both does not start, or stops.",
    fix="Bring back what is absent, or choose a rail that has a way.",
    source="RFC 7938 section 6",
)


def check_ways(plan: FabricPlan, one: NicId, other: NicId, ways: list[PortPath], bag: Bag) -> bool:
    """Return whether a way leads from one NIC to another; add a diagnostic if none does."""
    if any(way.receiver for way in ways):
        return True
    names = f"{plan.host_name(one.host)} cannot reach {plan.host_name(other.host)} on rail {one.rail}"
    bag.add(NO_WAY, names, hint="look for what is absent in fabricgen show INVENTORY exceptions")
    return False
