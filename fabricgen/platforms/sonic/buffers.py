"""Queues and priority groups of SONiC's ports, and the buffer profiles they take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated

from fabricgen.device.model import Contract, PortShape

QUEUES = range(8)
CPU_QUEUE = 7
"""Queue of what the switch's own CPU sends.

Source:
    sonic-net/sonic-swss pull request 2697: control packets are pinned to transmit queue 7.
"""

COMPUTED_PROFILE = "NULL"
"""Profile of a priority group whose headroom the switch computes.

Source:
    sonic-net/sonic-buildimage files/build_templates/buffers_config.j2, dynamic mode; sonic-buffer-pg.yang.
"""

LOSSY_GROUP_PROFILE = "ingress_lossy_profile"

_HEADROOM = ("PortShape.headroom", "Contract.lossless")
_COMPUTED = ("Contract.lossless", "Buffers.computed")
_LOSSY = ("Profile.name",)


@dataclass(frozen=True, slots=True)
class SonicQueueRow:
    """A queue of a port: its scheduler, and whether it marks."""

    shape: Annotated[PortShape, "SwitchClass.ports"]
    number: Annotated[int, "Contract.classes"]
    scheduler: Annotated[str, "TrafficClass.priority", "TrafficClass.name"]
    marked: Annotated[bool, "Contract.mode", "TrafficClass.lossless"]


@dataclass(frozen=True, slots=True)
class SonicGroupRow:
    """Priority groups of a port that share a buffer profile, as ``3`` or ``3-4``; ``origins`` are its own."""

    shape: Annotated[PortShape, "SwitchClass.ports"]
    numbers: Annotated[str, "TrafficClass.priority_group"]
    profile: Annotated[str, "PortShape.headroom", "Contract.lossless"]
    origins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QueueBufferRow:
    """Queues of a port that share a buffer profile, as ``3`` or ``0-2``."""

    shape: Annotated[PortShape, "SwitchClass.ports"]
    numbers: Annotated[str, "Contract.lossless"]
    profile: Annotated[str, "Contract.lossless", "Profile.name"]


def groups_by_class(contract: Contract) -> tuple[int, ...]:
    """Priority group of each traffic class; one that no class uses shares group 0."""
    groups = {traffic.priority: traffic.priority_group for traffic in contract.classes}
    return tuple(groups.get(number, 0) for number in QUEUES)


def queue_rows(used: Iterable[PortShape], contract: Contract, *, marking: bool) -> tuple[SonicQueueRow, ...]:
    """Every queue of every used port: the scheduler of its class, and marking where the class is lossless."""
    schedulers = dict.fromkeys(QUEUES, "idle") | {CPU_QUEUE: "cpu"}
    schedulers |= {traffic.priority: f"scheduler.{traffic.name}" for traffic in contract.classes}
    marked = {traffic.priority for traffic in contract.classes if traffic.lossless and marking}
    return tuple(
        SonicQueueRow(shape, number, scheduler, number in marked and bool(shape.ecn))
        for shape in used
        for number, scheduler in schedulers.items()
    )


def group_rows(used: Iterable[PortShape], contract: Contract, *, computed: bool) -> tuple[SonicGroupRow, ...]:
    """Headroom for each priority under PFC, or that it is computed; every other priority group in use is lossy."""
    groups = sorted(set(groups_by_class(contract)))
    paused = {traffic.priority_group for traffic in contract.classes if traffic.priority in contract.lossless}
    return tuple(
        SonicGroupRow(shape, numbers, profile, _LOSSY if profile == LOSSY_GROUP_PROFILE else origins)
        for shape in used
        for own, origins in [
            (COMPUTED_PROFILE, _COMPUTED) if computed else (shape.headroom.name if shape.headroom else "", _HEADROOM)
        ]
        for numbers, profile in _runs({number: own if number in paused else LOSSY_GROUP_PROFILE for number in groups})
    )


def queue_buffer_rows(
    used: Iterable[PortShape], contract: Contract, pools: Mapping[str, str]
) -> tuple[QueueBufferRow, ...]:
    """Buffer profile of every queue of every used port; ``pools`` is the pool of every profile."""
    lossy = _lossy_profile(pools)
    runs = _runs({number: "egress_lossless_profile" if number in contract.lossless else lossy for number in QUEUES})
    return tuple(QueueBufferRow(shape, numbers, profile) for shape in used for numbers, profile in runs)


def _runs(profiles: Mapping[int, str]) -> list[tuple[str, str]]:
    """Neighbouring numbers of equal profile as ranges: ``3-4``, never ``3`` and ``4``, as buffermgrd writes them."""
    found: list[tuple[int, int, str]] = []
    for number, profile in profiles.items():
        first, last, previous = found[-1] if found else (number, number - 2, "")
        if last + 1 == number and profile == previous:
            found[-1] = (first, number, profile)
        else:
            found.append((number, number, profile))
    return [(f"{first}-{last}" if last > first else str(first), profile) for first, last, profile in found]


def _lossy_profile(pools: Mapping[str, str]) -> str:
    """Profile of a lossy queue; vendors that list profiles per port keep a smaller one for its queues."""
    return "q_lossy_profile" if "q_lossy_profile" in pools else "egress_lossy_profile"


def profile_list(side: str, pools: Mapping[str, str]) -> str:
    """The profiles a port takes on one side: one per pool, the lossless one first."""
    by_pool: dict[str, str] = {}
    for name in (f"{side}_lossless_profile", f"{side}_lossy_profile"):
        if name in pools:
            by_pool.setdefault(pools[name], name)
    return ",".join(by_pool.values())
