"""The contract as one table, and what is said of the watchdog."""

from __future__ import annotations

from fabricgen.intent.lossless import Lossless
from fabricgen.physics.watchdog import default_watchdog_times
from fabricgen.plan.model.contract import Contract, TrafficClass
from fabricgen.plan.model.watchdog import WatchdogChoice, WatchdogDefault

RESTORATION_FACTOR = 2
"""A NIC that has just recovered is not trusted at once: restoration takes twice what the system would give it."""


def build_contract(lossless: Lossless) -> Contract:
    """One row per class by priority; code points nobody names belong to the lowest priority without any."""
    classes = sorted(
        (
            TrafficClass(
                name,
                tuple(sorted(c.dscp)),
                c.priority,
                c.priority if c.lossless else 0,
                c.lossless,
                c.strict,
                c.weight_pct or 0,
            )
            for name, c in lossless.classes.items()
        ),
        key=lambda c: (c.priority, c.name),
    )
    rest = next((c.priority for c in classes if not c.dscp), classes[0].priority)
    by_dscp = [rest] * 64
    for cls in classes:
        for dscp in cls.dscp:
            by_dscp[dscp] = cls.priority
    under_pfc = tuple(sorted({c.priority for c in classes if c.lossless})) if lossless.mode != "ecn_only" else ()
    data = next((c.dscp[0] for c in classes if c.lossless and c.dscp), -1)
    return Contract(
        lossless.mode,
        tuple(classes),
        tuple(by_dscp),
        under_pfc,
        lossless.reason or "",
        data if lossless.mark_unmarked and by_dscp[0] != by_dscp[data] else -1,
    )


def build_watchdog(lossless: Lossless) -> WatchdogChoice:
    """What the intent says of the watchdog."""
    dog = lossless.watchdog
    return WatchdogChoice(dog.detection_ms or 0, dog.restoration_ms or 0, dog.action)


def default_watchdog(polled_ports: int) -> WatchdogDefault:
    """The watchdog's timers on a tier where the intent states none.

    Args:
        polled_ports: Ports that one poll goes through; 0 where the platform's poll does not depend on them.
    """
    times = default_watchdog_times(polled_ports)
    return WatchdogDefault(times.detection_ms, RESTORATION_FACTOR * times.restoration_ms, times.poll_ms, polled_ports)
