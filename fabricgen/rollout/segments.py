"""Waves of the switches that go out: planes one after another, or all together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fabricgen.plan.model.identity import DeviceId
from fabricgen.rollout.bound import Bound, floor_bound, highest_bound
from fabricgen.rollout.members import Limits, Member
from fabricgen.rollout.packing import Draft, pack


class Segment(NamedTuple):
    """Waves of one plane, or of everything.

    Attributes:
        plane: Number of the plane; -1 of everything.
        bound: No fewer waves keep the limits.
    """

    plane: int
    drafts: list[Draft]
    bound: Bound


def build_segments(limits: Limits, devices: Sequence[DeviceId]) -> Iterator[Segment]:
    """Yield the waves of switches that go out, plane by plane where planes go one after another.

    Args:
        limits: The limits, which every switch alone must keep.
        devices: The switches.
    """
    planes: dict[int, list[Member]] = {}
    for member in limits.members(devices):
        planes.setdefault(member.device.where.plane if limits.planes_apart else -1, []).append(member)
    for plane, members in sorted(planes.items()):
        uppers = sorted((member for member in members if member.device.tier), key=_column)
        leafs = sorted(member for member in members if not member.device.tier)
        floor = floor_bound(limits, uppers)
        upper, bound = highest_bound(limits, uppers, [floor]), highest_bound(limits, members, [floor])
        yield Segment(plane, pack(limits, uppers, leafs, (upper.waves, bound.waves)), bound)


def _column(member: Member) -> tuple[int, ...]:
    """Sort switches so that those that share traffic with each other stand together."""
    where = member.device.where
    return member.device.tier, where.index, where.group, where.plane, where.zone, where.pod
