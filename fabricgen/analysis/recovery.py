"""Time from a failure until traffic goes around it, by kind of failure, and the mechanisms that move its flows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from fractions import Fraction
from typing import NamedTuple

from fabricgen.analysis.cells import Element
from fabricgen.analysis.failure_classes import FailureClass
from fabricgen.analysis.failures import Effect, Reachability
from fabricgen.analysis.timing import TimerPair, healed_s, list_detections
from fabricgen.physics.timers import (
    LACP_SHORT_S,
    MII_MONITOR_MS,
    RECEIVER_STALL_S,
    RESTART_S,
    retry_budget_s,
)
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, HostLinkId
from fabricgen.plan.model.topology import HostGroup

QUEUE_PAIR = "queue pair"
"""Name of what notices a dead NIC port: the queue pair whose retries are used up."""


class FailureKind(Enum):
    """Failures that differ in what reports them, and when."""

    LINK_DOWN = "link down, seen by both ends"
    LINK_SILENT = "link silent, up at both ends"
    SWITCH_DEAD = "switch dead, its ports dark"
    SWITCH_STUCK = "switch stuck, its ports up"
    NIC_PORT_DEAD = "NIC port dead"
    DAEMON_RESTART = "routing daemon restarts"


class Recovery(NamedTuple):
    """Recovery from one kind of failure.

    Attributes:
        scope: Link group, host group or tier.
        noticed_by: Signal or timer that reports it.
        noticed_ms: After how long; what a PHY takes to report a lost signal is not published and counts as 0.
        healed_ms: After how long the last switch has stopped using what failed; None where nothing in the fabric heals
            it.
        budget_ms: After how long a queue pair gives up.
    """

    kind: FailureKind
    scope: str
    noticed_by: str
    noticed_ms: float
    healed_ms: float | None
    budget_ms: float

    @property
    def margin(self) -> float | None:
        """Return how many times the recovery fits into the retry budget.

        None where nothing heals, or at once, or where it begins with the end of that budget.
        """
        return self.budget_ms / self.healed_ms if self.healed_ms and self.noticed_by != QUEUE_PAIR else None


def list_recoveries(plan: FabricPlan, *, graceful: bool) -> list[Recovery]:
    """Return the recovery from every kind of failure, on each group of links or hosts that it concerns.

    Reprogramming of forwarding tables is left to the margin, as in `worst_failover`.
    """
    budget_ms = retry_budget_s(plan.collectives.timeout_exponent, plan.collectives.retry_count) * 1000
    found = [*_of_links(plan, budget_ms), *_of_hosts(plan, budget_ms), *_of_daemons(plan, budget_ms, graceful)]
    return sorted(found, key=lambda each: list(FailureKind).index(each.kind))


def _of_links(plan: FabricPlan, budget_ms: float) -> Iterator[Recovery]:
    for each in list_detections(plan):
        silent = "BFD" if each.bfd else "BGP hold timer"
        for kind, by, seconds in (
            (FailureKind.LINK_DOWN, "loss of signal", 0.0),
            (FailureKind.SWITCH_DEAD, "loss of signal", 0.0),
            (FailureKind.LINK_SILENT, silent, each.seconds),
            (FailureKind.SWITCH_STUCK, silent, each.seconds),
        ):
            yield Recovery(kind, each.link, by, seconds * 1000, healed_s(plan, seconds) * 1000, budget_ms)


def _of_hosts(plan: FabricPlan, budget_ms: float) -> Iterator[Recovery]:
    """A NIC port: a bond goes on over its other leg; a library that fails over does so once retries are used up.

    In a VLAN a leaf announces the host until its ARP entry ends, and no source ties that to the port. The prefix of a
    routed bond is connected, and ends with it.

    VCCL's receiver learns of a path that fails towards it alone only by asking again, which has retries of its own.

    Source:
        ICCL paper (sii-research/VCCL af1ca510, asset/VCCL.pdf), section 3.3, case 2.
    """
    for group in plan.hosts:
        kind = FailureKind.NIC_PORT_DEAD
        if group.bond:
            ms = LACP_SHORT_S * 1000
            healed = healed_s(plan, LACP_SHORT_S) * 1000 if group.routed else None
            yield Recovery(kind, group.name, "loss of signal, or LACP", ms, healed, budget_ms)
        else:
            latest = budget_ms + (RECEIVER_STALL_S * 1000 if group.library == "vccl" else 0)
            healed = latest if plan.collectives.fault_tolerance else None
            yield Recovery(kind, group.name, QUEUE_PAIR, budget_ms, healed, budget_ms)


def _of_daemons(plan: FabricPlan, budget_ms: float, graceful: bool) -> Iterator[Recovery]:
    """A routing daemon: a leaf that restarts gracefully forwards on; from another switch its neighbours turn away."""
    for tier in plan.tiers if len(plan.tiers) > 1 else ():
        kind, leaf = FailureKind.DAEMON_RESTART, not tier.number
        if leaf and graceful:
            yield Recovery(kind, tier.name, f"none, it forwards on for {RESTART_S} s", 0.0, 0.0, budget_ms)
        else:
            healed = None if leaf else healed_s(plan, 0) * 1000
            yield Recovery(kind, tier.name, "end of the session", 0.0, healed, budget_ms)


_DARK = {FailureKind.LINK_DOWN, FailureKind.SWITCH_DEAD}
_SILENT = {FailureKind.LINK_SILENT, FailureKind.SWITCH_STUCK}
_ROUTING = ("BGP keepalive", "BFD detection", "choice deferred after a restart", "worst failover")
"""Timers that no failure of a NIC port involves."""


class ConvergenceTime(NamedTuple):
    """Time until traffic has moved around a failure.

    Attributes:
        dark_ms: Where the signal is lost; None where nothing in the fabric moves it.
        silent_ms: Where what failed stays lit.
        noticed_by: Signal or timer that then reports it.
    """

    dark_ms: float | None
    silent_ms: float | None
    noticed_by: str


def time_moved(plan: FabricPlan, scope: str, recoveries: Sequence[Recovery]) -> ConvergenceTime | None:
    """Return how long traffic takes to move around a failure of a tier or of links; None where nothing is known.

    Of several links the slowest counts, and of a leaf its hosts' ports too: they lose it at the same time.
    """
    bonds = {group.name for group in plan.hosts if group.bond}
    found = [*_of_switches(plan, scope, recoveries), *_of_ports(plan, scope, bonds, recoveries)]
    if not found:
        return None
    slowest = max((each for each in found if each.kind not in _DARK), key=_order)
    dark = max((each for each in found if each.kind not in _SILENT), key=_order)
    bonded = dark.kind is FailureKind.NIC_PORT_DEAD and dark.scope in bonds and dark.healed_ms is not None
    return ConvergenceTime(_monitored_ms(plan) if bonded else dark.healed_ms, slowest.healed_ms, slowest.noticed_by)


def _monitored_ms(plan: FabricPlan) -> float:
    """Return how long traffic takes to leave a leg of a routed bond that is dark."""
    return MII_MONITOR_MS + healed_s(plan, 0) * 1000


def _of_ports(plan: FabricPlan, scope: str, bonds: set[str], recoveries: Sequence[Recovery]) -> Iterator[Recovery]:
    """Yield recoveries of NIC ports that are lost; a dead leaf takes its ARP entries with it."""
    hosts, leaf = _involved(plan, scope)[2], scope == plan.tiers[0].name
    for each in recoveries:
        if each.kind is FailureKind.NIC_PORT_DEAD and each.scope in hosts:
            yield each._replace(healed_ms=each.noticed_ms) if leaf and each.scope in bonds else each


def _order(recovery: Recovery) -> float:
    return float("inf") if recovery.healed_ms is None else recovery.healed_ms


def _of_switches(plan: FabricPlan, scope: str, recoveries: Sequence[Recovery]) -> Iterator[Recovery]:
    """Yield recoveries over links between switches: those of a link group, or of the links at a switch."""
    tiers, links, _ = _involved(plan, scope)
    kinds = {FailureKind.LINK_DOWN, FailureKind.LINK_SILENT}
    if scope in tiers:
        kinds = {FailureKind.SWITCH_DEAD, FailureKind.SWITCH_STUCK}
    yield from (each for each in recoveries if each.kind in kinds and each.scope in links)


def _involved(plan: FabricPlan, scope: str) -> tuple[set[str], set[str], set[str]]:
    """Return the tiers, links between switches and host groups that a failure concerns; a leaf cuts off its hosts."""
    hosts = {group.name for group in plan.hosts if scope in (group.link.name, plan.tiers[0].name)}
    for tier in plan.tiers:
        if tier.name == scope:
            numbers = range(max(1, tier.number), min(len(plan.tiers), tier.number + 2))
            return {scope}, {plan.links[number].name for number in numbers}, hosts
    ends = {plan.tiers[0].name} if hosts else set[str]()
    for link in plan.links[1:]:
        if link.name == scope:
            ends |= {plan.tiers[link.lower].name, plan.tiers[link.upper].name}
    return ends, {scope}, hosts


def timers_of(plan: FabricPlan, scope: str, pairs: Sequence[TimerPair]) -> list[TimerPair]:
    """Return the pairs of timers that a failure of a tier or of links involves, in their order."""
    near = {"fabric"}.union(*_involved(plan, scope))
    of_hosts = scope in {group.link.name for group in plan.hosts}
    return [pair for pair in pairs if pair.scope in near and not (of_hosts and pair.shorter in _ROUTING)]


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
    """Yield the moves after a failure, the senders' first; last the flows that are lost until their senders move."""
    element = effect.classes[0].element
    groups = groups_below(plan, element)
    if reach.by_senders:
        yield _sent(groups, reach.by_senders, recoveries)
    if reach.by_routing:
        yield _routed(plan, effect.classes[0], reach.by_routing, recoveries)
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
    ports = (each for each in recoveries if each.kind is FailureKind.NIC_PORT_DEAD and each.scope in bonds)
    silent = max(each.noticed_ms for each in ports)
    return FlowMove("sent by the port", part, "link down at the bond", MII_MONITOR_MS, "LACP at the bond", silent)


def _routed(plan: FabricPlan, failed: FailureClass, part: Fraction, recoveries: Sequence[Recovery]) -> FlowMove:
    then = "BGP withdrawal"
    if isinstance(failed.element, HostLinkId):
        group = plan.hosts[failed.element.host.group]
        port = next(r for r in recoveries if r.kind is FailureKind.NIC_PORT_DEAD and r.scope == group.name)
        then = f"{'prefix of the bond' if group.routed else 'ARP/ND entry and host route'} gone, {then}"
        dark_ms = _monitored_ms(plan) if group.routed else None
        return FlowMove("on its way over it", part, f"link down, {then}", dark_ms, f"LACP, {then}", port.healed_ms)
    silent = (each for each in _of_switches(plan, failed.scope, recoveries) if each.kind in _SILENT)
    slowest = max(silent, key=_order)
    by = f"{slowest.noticed_by}, {then}"
    return FlowMove("on its way over it", part, f"link down, {then}", healed_s(plan, 0) * 1000, by, slowest.healed_ms)


def _end_of_loss(plan: FabricPlan, group: HostGroup) -> str:
    """Return what ends the loss of flows to a group that lost a port."""
    if group.bond:
        return "senders leave the plane, or it is back"
    if group.spread:
        return "their NICs leave the plane for this host"
    if plan.collectives.fault_tolerance and group.nic_ports > 1:
        return "the collective library uses another port"
    return "it is back"
