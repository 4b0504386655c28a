"""Recovery from the failures of one tier or link group, and the timers whose order decides it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fabricgen.analysis.recovery import FailureKind, Recovery
from fabricgen.analysis.timer_order import TimerPair
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.topology import Tier

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

    Args:
        plan: The plan.
        scope: Name of the tier, or of the links.
        recoveries: What ``list_recoveries`` returns.
    """
    found = [*_of_switches(plan, scope, recoveries), *_of_ports(plan, scope, recoveries)]
    if not found:
        return None
    slowest = max((each for each in found if each.kind not in _DARK), key=_order)
    dark = max((each for each in found if each.kind not in _SILENT), key=_order)
    bonded = dark.kind is FailureKind.NIC_PORT_DEAD and _is_bonded(plan, dark.scope)
    return ConvergenceTime(0.0 if bonded else dark.healed_ms, slowest.healed_ms, slowest.noticed_by)


def _order(recovery: Recovery) -> float:
    return float("inf") if recovery.healed_ms is None else recovery.healed_ms


def _of_switches(plan: FabricPlan, scope: str, recoveries: Sequence[Recovery]) -> Iterator[Recovery]:
    """Yield recoveries over links between switches: those of a link group, or of the links at a switch."""
    kinds = {FailureKind.LINK_DOWN, FailureKind.LINK_SILENT}
    links = {scope}
    for tier in plan.tiers:
        if tier.name == scope:
            kinds = {FailureKind.SWITCH_DEAD, FailureKind.SWITCH_STUCK}
            links = _links_at(plan, tier)
    yield from (each for each in recoveries if each.kind in kinds and each.scope in links)


def _of_ports(plan: FabricPlan, scope: str, recoveries: Sequence[Recovery]) -> Iterator[Recovery]:
    """Yield recoveries of NIC ports: those of a host group's links, or of all that a leaf takes with it."""
    groups = {group.name for group in plan.hosts if scope in (group.link.name, plan.tiers[0].name)}
    yield from (each for each in recoveries if each.kind is FailureKind.NIC_PORT_DEAD and each.scope in groups)


def _is_bonded(plan: FabricPlan, hosts: str) -> bool:
    return any(group.bond for group in plan.hosts if group.name == hosts)


def _links_at(plan: FabricPlan, tier: Tier) -> set[str]:
    """Return the names of the links between switches that a tier has."""
    numbers = range(max(1, tier.number), min(len(plan.tiers), tier.number + 2))
    return {plan.links[number].name for number in numbers}


def timers_of(plan: FabricPlan, scope: str, pairs: Sequence[TimerPair]) -> list[TimerPair]:
    """Return the pairs of timers that a failure of a tier or of links involves, in their order.

    Args:
        plan: The plan.
        scope: Name of the tier, or of the links.
        pairs: What ``order_timers`` returns.
    """
    hosts = {group.name for group in plan.hosts if scope in (group.link.name, plan.tiers[0].name)}
    near = {"fabric", scope, *hosts}
    for tier in plan.tiers:
        links = _links_at(plan, tier)
        if scope == tier.name:
            near |= links
        elif scope in links:
            near.add(tier.name)
    if scope in {group.link.name for group in plan.hosts}:
        near.add(plan.tiers[0].name)
        return [pair for pair in pairs if pair.scope in near and pair.shorter not in _ROUTING]
    return [pair for pair in pairs if pair.scope in near]
