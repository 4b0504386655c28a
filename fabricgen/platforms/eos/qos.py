"""View of the contract for EOS's templates: code points, the QoS profile of each port speed, the PFC watchdog."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fabricgen.device.model import Contract, EcnThresholds, PortShape, SwitchClass

FIXED_CLASS = 7
"""Traffic class whose queue EOS does not let go: traffic class 7 leaves by queue 7."""

WATCHDOG_ACTIONS = {"drop": "drop", "alert": "notify-only"}
"""Action of the PFC watchdog by word of the intent; ``errdisable``, the default, takes the whole port down."""

SHORTEST_POLL_MS, LONGEST_POLL_MS = 5, 30000

GUARANTEED_KBPS = 100
"""Tells a queue that is starved from one that is stuck: the example of Arista EOS User Manual, PFC watchdog."""


@dataclass(frozen=True, slots=True)
class DscpRow:
    """Code points of one traffic class."""

    code_points: Annotated[str, "Contract.priority_by_dscp"]
    priority: Annotated[int, "TrafficClass.priority"]


@dataclass(frozen=True, slots=True)
class EosQueueRow:
    """A transmit queue; ``ecn`` is empty or the thresholds at which it marks."""

    number: Annotated[int, "TrafficClass.priority"]
    strict: Annotated[bool, "TrafficClass.strict"]
    weight_pct: Annotated[int, "TrafficClass.weight_pct"]
    ecn: Annotated[tuple[EcnThresholds, ...], "Contract.mode", "SwitchClass.ecn", "TrafficClass.lossless"]


@dataclass(frozen=True, slots=True)
class QosProfile:
    """Treatment of traffic at a port, by name; ports of one speed share it."""

    name: Annotated[str, "PortShape.speed_gbps"]
    lossless: Annotated[tuple[int, ...], "Contract.lossless"]
    queues: Annotated[tuple[EosQueueRow, ...], "Contract.classes"]


@dataclass(frozen=True, slots=True)
class EosWatchdogTimes:
    """PFC watchdog: seconds as EOS writes them."""

    timeout_s: Annotated[str, "Watchdog.detection_ms"]
    recovery_s: Annotated[str, "Watchdog.restoration_ms"]
    polling_s: Annotated[str, "Watchdog.detection_ms", "Watchdog.restoration_ms"]
    action: Annotated[str, "Watchdog.action"]


@dataclass(frozen=True, slots=True)
class UnmarkedRoce:
    """RoCE packets of hosts without a code point: one access list per family, and what they become."""

    words: Annotated[tuple[str, ...], "SwitchClass.ipv4", "SwitchClass.ipv6"]
    dscp: Annotated[int, "Contract.unmarked_dscp"]
    priority: Annotated[int, "Contract.unmarked_dscp", "Contract.priority_by_dscp"]


def build_unmarked(cls: SwitchClass) -> UnmarkedRoce | None:
    """Return how a leaf marks what hosts leave unmarked; None where it leaves it as well."""
    contract = cls.contract
    if cls.role != "leaf" or contract.unmarked_dscp < 0:
        return None
    words = tuple(word for word, has in (("ip", cls.ipv4), ("ipv6", cls.ipv6)) if has)
    return UnmarkedRoce(words, contract.unmarked_dscp, contract.priority_by_dscp[contract.unmarked_dscp])


def profile_name(speed_gbps: int) -> str:
    """Name of the QoS profile of ports of one speed."""
    return f"ROCE-{speed_gbps}G"


def dscp_rows(contract: Contract) -> tuple[DscpRow, ...]:
    """All 64 code points, one row per traffic class."""
    by_priority: dict[int, list[str]] = {}
    for dscp, priority in enumerate(contract.priority_by_dscp):
        by_priority.setdefault(priority, []).append(str(dscp))
    return tuple(DscpRow(" ".join(by_priority[priority]), priority) for priority in sorted(by_priority))


def build_profiles(used: list[PortShape], contract: Contract, ecn: dict[str, EcnThresholds]) -> tuple[QosProfile, ...]:
    """One profile per speed that is in use."""
    marks = {shape.speed_gbps: shape.ecn for shape in used}
    return tuple(
        QosProfile(profile_name(speed), contract.lossless, _queues(contract, ecn.get(marks[speed])))
        for speed in sorted(marks)
    )


def guaranteed_queues(contract: Contract) -> tuple[int, ...]:
    """The queues whose bandwidth is guaranteed: the lossless ones."""
    return tuple(row.priority for row in contract.classes if row.lossless)


def guaranteed_kbps(contract: Contract, *, sand: bool) -> int:
    """Return the guarantee of each in kb/s; 0 where the command is not written."""
    return GUARANTEED_KBPS if contract.lossless and not sand else 0


def _queues(contract: Contract, ecn: EcnThresholds | None) -> tuple[EosQueueRow, ...]:
    """The queue of every traffic class; lossless ones mark."""
    return tuple(
        EosQueueRow(row.priority, row.strict, row.weight_pct, (ecn,) if row.lossless and ecn else ())
        for row in contract.classes
    )


def watchdog_times(cls: SwitchClass) -> EosWatchdogTimes:
    """Watchdog times; EOS must poll at least twice within the shorter of the two.

    Source:
        Arista EOS User Manual, DCBX and Flow Control: polling-interval <= min(timeout, recovery-time) / 2.
    """
    dog = cls.watchdog
    poll_ms = max(SHORTEST_POLL_MS, min(dog.detection_ms, dog.restoration_ms, 2 * LONGEST_POLL_MS) // 2)
    return EosWatchdogTimes(
        timeout_s=f"{dog.detection_ms / 1000:.2f}",
        recovery_s=f"{dog.restoration_ms / 1000:.2f}",
        polling_s=f"{poll_ms / 1000:.3f}",
        action=WATCHDOG_ACTIONS[dog.action],
    )
