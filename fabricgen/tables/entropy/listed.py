"""From a list of flows to hosts of the plan, with every entry that the fabric cannot carry reported."""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.analysis.flows import Connection, Flows
from fabricgen.diagnostics import Bag, Nearest
from fabricgen.intent.flows import ListedFlow
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, HostId, NicId
from fabricgen.plan.planner.exceptions.names import Names, find_names
from fabricgen.tables.path_ends import NO_END


def find_flows(plan: FabricPlan, listed: Sequence[ListedFlow], bag: Bag, channels: int = 1) -> Flows:
    """Return the flows of a list.

    Args:
        plan: The plan.
        listed: Its entries.
        bag: Takes every entry that names no host, or two hosts between which there is no path.
        channels: Connections from NIC to NIC that each entry stands for.
    """
    names = find_names(plan, {name for flow in listed for name in (flow.src, flow.dst)})
    found, nearest = Flows("listed flows"), Nearest()
    known: list[str] = []
    for flow in listed:
        ends = _ends(plan, flow, names, bag, nearest, known)
        if ends is None or not _has_path(plan, flow, ends, bag):
            continue
        rails = range(_rails(plan, ends)) if flow.rail is None else (flow.rail,)
        for rail in rails:
            found.add(plan, NicId(ends[0], rail), ends[1], Connection(flow.weight, flow.queue_pairs * channels))
    return found


def _ends(
    plan: FabricPlan, flow: ListedFlow, names: Names, bag: Bag, nearest: Nearest, known: list[str]
) -> tuple[HostId, HostId] | None:
    """The hosts of an entry; None if one is no host."""
    found: list[HostId] = []
    for key, name in (("src", flow.src), ("dst", flow.dst)):
        end = names.get(name)
        if isinstance(end, HostId):
            found.append(end)
            continue
        if not known:
            known += [plan.host_name(host) for host in plan.all_hosts()]
        close = nearest.find(name, known)
        what = "a switch, not a host" if isinstance(end, DeviceId) else "no host of the fabric"
        hint = f"did you mean {close!r}?" if close else "use a name that fabricgen show devices lists"
        bag.add(NO_END, f"{key} {name!r} is {what}", place=flow.at(key), hint=hint)
    return (found[0], found[1]) if len(found) == 2 else None


def _has_path(plan: FabricPlan, flow: ListedFlow, ends: tuple[HostId, HostId], bag: Bag) -> bool:
    sound = True
    for key, end in zip(("src", "dst"), ends, strict=True):
        exception = plan.exceptions.of(end)
        if exception and exception.state in ("absent", "drained"):
            bag.add(NO_END, f"{plan.host_name(end)} is {exception.state}: {exception.reason}", place=flow.at(key))
            sound = False
    lacking = [end for end in ends if flow.rail is not None and flow.rail >= len(plan.hosts[end.group].rails)]
    if lacking:
        last = len(plan.hosts[lacking[0].group].rails) - 1
        message = f"rail {flow.rail} of {plan.host_name(lacking[0])} does not exist; its rails are 0 to {last}"
        bag.add(NO_END, message, place=flow.at("rail"), hint=f"use a rail from 0 to {last}")
        sound = False
    if ends[0] == ends[1]:
        bag.add(NO_END, f"{flow.src} sends to itself; no link of the fabric carries that", place=flow.at("dst"))
        sound = False
    return sound


def _rails(plan: FabricPlan, ends: tuple[HostId, HostId]) -> int:
    return min(len(plan.hosts[end.group].rails) for end in ends)
