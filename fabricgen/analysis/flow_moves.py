"""Moves of flows after a failure: by which mechanism, how many and when, and those that nothing in the fabric moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from fabricgen.analysis.failures import Effect
from fabricgen.analysis.reachability import Reachability
from fabricgen.analysis.recovery import FailureKind, Recovery
from fabricgen.analysis.symmetry import Element
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, FabricLinkId, HostLinkId
from fabricgen.plan.model.topology import HostGroup


class FlowMove(NamedTuple):
    """Flows that move alike.

    Attributes:
        flows: Those that leave by the port that is lost, those on their way over it, or those that do not move.
        part: Their part of all flows.
        moved_by: Mechanism that moves them where the signal is lost; of flows that do not move, what ends the loss.
        dark_ms: After how long; None where nothing in the fabric does.
        silent_by: Mechanism where what failed stays lit.
        silent_ms: After how long.
    """

    flows: str
    part: Fraction
    moved_by: str
    dark_ms: float | None
    silent_by: str
    silent_ms: float | None


def list_moves(
    plan: FabricPlan, effect: Effect, reach: Reachability, recoveries: Sequence[Recovery]
) -> Iterator[FlowMove]:
    """Yield the moves after a failure, the senders' first; last the flows that are lost until their senders move.

    Args:
        plan: The plan.
        effect: The effect of the failure.
        reach: The reach of flows after it.
        recoveries: Times of ``list_recoveries``.
    """
    element = effect.classes[0].element
    groups = groups_below(plan, element)
    if reach.by_senders:
        yield _sent(groups, reach.by_senders, recoveries)
    if reach.by_routing:
        yield _routed(plan, element, reach.by_routing, recoveries)
    if reach.lost:
        where = "at the leaf, whose block stays announced" if isinstance(element, HostLinkId) else "where no route is"
        until = "; ".join(dict.fromkeys(_end_of_loss(plan, group) for group in groups)) or "it is back"
        yield FlowMove(f"lost {where}", reach.lost, until, None, until, None)


def groups_below(plan: FabricPlan, element: Element) -> list[HostGroup]:
    """Return the host groups whose ports an element takes with it."""
    if isinstance(element, HostLinkId):
        return [plan.hosts[element.host.group]]
    if isinstance(element, DeviceId) and not element.tier:
        return [group for group in plan.hosts if group.in_unit(element.where.unit)]
    return []


def _sent(groups: Sequence[HostGroup], part: Fraction, recoveries: Sequence[Recovery]) -> FlowMove:
    bonds = {group.name for group in groups if group.bond}
    if not bonds:
        return FlowMove("sent by the port", part, "link down at the NIC", 0.0, "nothing", None)
    kind = FailureKind.NIC_PORT_DEAD
    silent = max(each.noticed_ms for each in recoveries if each.kind is kind and each.scope in bonds)
    return FlowMove("sent by the port", part, "link down at the bond", 0.0, "LACP at the bond", silent)


def _routed(plan: FabricPlan, element: Element, part: Fraction, recoveries: Sequence[Recovery]) -> FlowMove:
    if isinstance(element, HostLinkId):
        name, kind = plan.hosts[element.host.group].name, FailureKind.NIC_PORT_DEAD
        silent = next(each for each in recoveries if each.kind is kind and each.scope == name)
        gone = "prefix of the bond" if plan.hosts[element.host.group].routed else "ARP/ND entry and host route"
        then = f"{gone} gone, BGP withdrawal"
        return FlowMove("on its way over it", part, f"link down, {then}", 0.0, f"LACP, {then}", silent.noticed_ms)
    switch = isinstance(element, DeviceId)
    kind = FailureKind.SWITCH_STUCK if switch else FailureKind.LINK_SILENT
    scopes = {plan.links[number].name for number in _groups_of_links(plan, element)}
    slowest = max((r for r in recoveries if r.kind is kind and r.scope in scopes), key=lambda r: r.healed_ms or 0.0)
    then = "BGP withdrawal"
    by = f"{slowest.noticed_by}, {then}"
    return FlowMove("on its way over it", part, f"link down, {then}", 0.0, by, slowest.healed_ms)


def _groups_of_links(plan: FabricPlan, element: Element) -> range:
    """Return the numbers of the links between switches that an element is, or that it ends."""
    if isinstance(element, DeviceId):
        return range(max(1, element.tier), min(len(plan.tiers), element.tier + 2))
    return range(element.lower.tier + 1, element.lower.tier + 2) if isinstance(element, FabricLinkId) else range(0)


def _end_of_loss(plan: FabricPlan, group: HostGroup) -> str:
    """Return what ends the loss of flows to a group that lost a port."""
    if group.bond:
        return "senders leave the plane, or it is back"
    if group.spread:
        return "their NICs leave the plane for this host"
    if plan.collectives.fault_tolerance and group.nic_ports > 1:
        return "the collective library uses another port"
    return "it is back"
