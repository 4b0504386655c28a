"""The contract as one table, and the times of the watchdog."""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.intent.lossless import Lossless
from fabricgen.physics.pause import default_watchdog_times
from fabricgen.plan.model.contract import Contract, TrafficClass, WatchdogClock, WatchdogTimes

RESTORATION_FACTOR = 2
"""A NIC that has just recovered is not trusted at once: restoration takes twice what the system would give it."""


def build_contract(lossless: Lossless) -> Contract:
    """One row per class by priority; unnamed code points belong to the lowest priority without any."""
    classes = _build_classes(lossless)
    rest = next((c.priority for c in classes if not c.dscp), classes[0].priority)
    by_dscp = [rest] * 64
    for cls in classes:
        for dscp in cls.dscp:
            by_dscp[dscp] = cls.priority
    under_pfc = tuple(sorted({c.priority for c in classes if c.lossless})) if lossless.mode != "ecn_only" else ()
    data = _find_data(lossless, classes)
    return Contract(
        lossless.mode,
        classes,
        tuple(by_dscp),
        under_pfc,
        lossless.reason or "",
        data,
        data if lossless.mark_unmarked and by_dscp[0] != by_dscp[data] else -1,
    )


def _find_data(lossless: Lossless, classes: Sequence[TrafficClass]) -> int:
    """Return the mark of the first lossless class that states one, or else of the first; -1 if there is none."""
    marked = [c for c in classes if c.lossless and c.dscp]
    stated = (c for c in marked if lossless.classes[c.name].mark is not None)
    return next((c.mark for c in (*stated, *marked)), -1)


def _build_classes(lossless: Lossless) -> tuple[TrafficClass, ...]:
    found = (
        TrafficClass(
            name,
            tuple(sorted(c.dscp)),
            c.priority,
            c.priority if c.lossless else 0,
            c.lossless,
            c.strict,
            c.weight_pct or 0,
            c.mark if c.mark is not None else min(c.dscp, default=-1),
        )
        for name, c in lossless.classes.items()
    )
    return tuple(sorted(found, key=lambda c: (c.priority, c.name)))


def build_watchdog(lossless: Lossless, clocks: Sequence[WatchdogClock]) -> WatchdogTimes:
    """Return the fabric's watchdog: what the intent leaves out is what the tier with the most ports to poll needs.

    Both ends of every link then call the same pause a storm.
    """
    dog, needed = lossless.watchdog, default_watchdog_times(max(clock.ports for clock in clocks))
    return WatchdogTimes(
        dog.detection_ms or min([needed.detection_ms, *(c.detection_max_ms for c in clocks if c.detection_max_ms)]),
        dog.restoration_ms or RESTORATION_FACTOR * needed.restoration_ms,
        dog.action,
    )


def build_clock(polled_ports: int, detection_max_ms: int) -> WatchdogClock:
    """Return the pace of the watchdog on a tier; see ``WatchdogClock``."""
    return WatchdogClock(default_watchdog_times(polled_ports).poll_ms, polled_ports, detection_max_ms)
