"""Queues, priority groups and the buffer pool as the agent's tables write them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from fabricgen.device.model import Buffers, Contract, EcnThresholds, PgProfile, PortShape, SwitchClass, TrafficClass
from fabricgen.platforms.views.switch import groups_by_class

QUEUES = range(8)
ASICS = {
    "tomahawk3": (5, 2), "tomahawk4": (6, 2), "silicon_one_ebro": (8, 1), "tomahawk5": (13, 2),
    "silicon_one_g200": (15, 1), "spectrum4": (17, 1), "tomahawk6": (18, 1), "tomahawk_ultra": (22, 2),
    "silicon_one_p200": (26, 1),
}  # fmt: skip
"""AsicType and memories by the catalog's name: the ASICs of ``numbered_asics``. G200 is Yuba, Spectrum-4 Chenab.

Source:
    facebook/fboss 14ec47ec, switch_config.thrift; agent/hw/switch_asics, getNumMemoryBuffers.
"""
WEIGHTED, STRICT = 0, 1
"""QueueScheduling (facebook/fboss 14ec47ec, switch_config.thrift)."""
PLAIN_QUEUES = "fabric"
LOSSY_PROFILE = "ingress_lossy_profile"
SCALING_FACTORS = {3: 1, 2: 10, 1: 9, 0: 0, -1: 8, -2: 7, -3: 6, -4: 5, -5: 4, -6: 3, -7: 2, 7: 12, -15: 11}
"""MMUScalingFactor by log2 of alpha (facebook/fboss 14ec47ec, switch_config.thrift); its numbers are in no order."""


@dataclass(frozen=True, slots=True)
class DscpGroup:
    """The code points of one traffic class."""

    priority: Annotated[int, "TrafficClass.priority"]
    dscp: Annotated[tuple[int, ...], "Contract.priority_by_dscp"]


@dataclass(frozen=True, slots=True)
class FbossQueueRow:
    """A queue: how it is served, and its marking if it has any; ``weight`` is 0 for a strict queue."""

    traffic: Annotated[TrafficClass, "Contract.classes"]
    number: Annotated[int, "TrafficClass.priority"]
    name: Annotated[str, "TrafficClass.name"]
    scheduling: Annotated[int, "TrafficClass.strict"]
    weight: Annotated[int, "TrafficClass.weight_pct"]
    ecn: Annotated[EcnThresholds | None, "Contract.mode", "TrafficClass.lossless"]


@dataclass(frozen=True, slots=True)
class QueueConfig:
    """Queues of every port with these marking thresholds."""

    name: Annotated[str, "EcnThresholds.name"]
    queues: Annotated[tuple[FbossQueueRow, ...], "Contract.classes"]


@dataclass(frozen=True, slots=True)
class FbossGroupRow:
    """A priority group; ``headroom_bytes`` above 0 makes it lossless."""

    number: Annotated[int, "TrafficClass.priority_group"]
    minimum_bytes: Annotated[int, "PgProfile.size_bytes", "Profile.size_bytes"]
    scaling_factor: Annotated[int, "PgProfile.dynamic_th", "Profile.dynamic_th"]
    headroom_bytes: Annotated[int, "PgProfile.xoff_bytes", "Contract.lossless"]
    resume_bytes: Annotated[int, "PgProfile.xon_offset_bytes"]


@dataclass(frozen=True, slots=True)
class GroupConfig:
    """Priority groups of every port of one side with one headroom profile."""

    profile: Annotated[PgProfile, "Buffers.headroom"]
    name: Annotated[str, "PgProfile.name"]
    groups: Annotated[tuple[FbossGroupRow, ...], "Contract.lossless"]


@dataclass(frozen=True, slots=True)
class PoolRow:
    """The pool of all priority groups; sizes of one memory of the ASIC."""

    name: Annotated[str, "Pool.name"]
    shared_bytes: Annotated[int, "Pool.size_bytes", "Pool.xoff_bytes"]
    headroom_bytes: Annotated[int, "Pool.xoff_bytes"]


def group_config_name(shape: PortShape) -> str:
    """Name of a port's priority group profile; empty where nothing pauses.

    Source:
        facebook/fboss 14ec47ec, agent/test/utils/ConfigUtils.cpp, getRtswUplinkDownlinkPorts: ``uplink`` and
        ``downlink`` in this name distinguish the sides of a leaf.
    """
    return f"{shape.side}link_{shape.headroom.name}" if shape.headroom else ""


def dscp_groups(contract: Contract) -> tuple[DscpGroup, ...]:
    """Code points by traffic class; each of the 64 stands in one."""
    found: dict[int, list[int]] = {}
    for dscp, priority in enumerate(contract.priority_by_dscp):
        found.setdefault(priority, []).append(dscp)
    return tuple(DscpGroup(priority, tuple(found[priority])) for priority in sorted(found))


def queue_configs(cls: SwitchClass, used: Iterable[PortShape]) -> tuple[QueueConfig, ...]:
    """One table of queues per speed that marks, or one for all ports."""
    thresholds = {ecn.name: ecn for ecn in cls.ecn} if cls.contract.mode != "pfc_only" else {}
    names = dict.fromkeys(queue_config_name(shape, cls.contract) for shape in used)
    return tuple(QueueConfig(name, _queues(cls.contract, thresholds.get(name))) for name in names)


def queue_config_name(shape: PortShape, contract: Contract) -> str:
    """Name of a port's table of queues."""
    return shape.ecn if shape.ecn and contract.mode != "pfc_only" else PLAIN_QUEUES


def group_configs(cls: SwitchClass, used: Iterable[PortShape]) -> tuple[GroupConfig, ...]:
    """One table of priority groups per side and headroom profile."""
    profiles = {group_config_name(shape): shape.headroom for shape in used if shape.headroom}
    paused = {traffic.priority_group for traffic in cls.contract.classes if traffic.priority in cls.contract.lossless}
    lossy = next((profile for profile in cls.buffers.profiles if profile.name == LOSSY_PROFILE), None)
    lossy_bytes, lossy_alpha = (lossy.size_bytes, lossy.dynamic_th or 0) if lossy else (0, 0)
    configs = []
    for name, row in profiles.items():
        groups = tuple(
            FbossGroupRow(
                number, row.size_bytes, SCALING_FACTORS[row.dynamic_th], row.xoff_bytes, row.xon_offset_bytes or 0
            )
            if number in paused
            else FbossGroupRow(number, lossy_bytes, SCALING_FACTORS[lossy_alpha], 0, 0)
            for number in sorted(set(groups_by_class(cls.contract)))
        )
        configs.append(GroupConfig(row, name, groups))
    return tuple(configs)


def pool_row(buffers: Buffers) -> PoolRow | None:
    """The shared pool, its headroom apart; None if unpublished."""
    pool = next((pool for pool in buffers.pools if pool.kind == "ingress"), None)
    if pool is None:
        return None
    headroom, (_, memories) = pool.xoff_bytes or 0, ASICS[buffers.asic.id]
    return PoolRow(pool.name, (pool.size_bytes - headroom) // memories, headroom // memories)


def _queues(contract: Contract, ecn: EcnThresholds | None) -> tuple[FbossQueueRow, ...]:
    """A queue per class, by number; a lossless one marks."""
    return tuple(
        FbossQueueRow(
            traffic,
            traffic.priority,
            f"queue{traffic.priority}.{traffic.name}",
            STRICT if traffic.strict else WEIGHTED,
            0 if traffic.strict else traffic.weight_pct,
            ecn if traffic.lossless else None,
        )
        for traffic in contract.classes
    )
