"""Negotiation over copper: the common abilities of both ends of a link group, and lengths that need none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from fabricgen.catalog.records import SwitchModel
from fabricgen.plan.model.topology import LinkGroup
from fabricgen.plan.planner.platform_facts import PlatformFacts


class CopperEnd(NamedTuple):
    """A switch end of a link group."""

    facts: PlatformFacts
    model: SwitchModel


def settle_copper(group: LinkGroup, ends: Sequence[CopperEnd]) -> LinkGroup:
    """Return the group with what all of its switches can do over copper; a NIC follows the leaf.

    Args:
        group: The links.
        ends: Their switch ends: one towards hosts, two between switches.
    """
    lane_gbps = group.speed_gbps // group.lanes if group.lanes else 0
    return group._replace(
        negotiates=all(end.facts.negotiates_copper for end in ends),
        calibrated_m=_common(_calibrated(end, lane_gbps) for end in ends),
    )


def _calibrated(end: CopperEnd, lane_gbps: int) -> tuple[int, ...]:
    """Lengths for which an end has settings, where its software reads them."""
    return end.model.copper_m_by_lane_gbps.get(lane_gbps, ()) if end.facts.reads_calibration else ()


def _common(each: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    first, *others = each
    return tuple(length for length in first if all(length in other for other in others))
