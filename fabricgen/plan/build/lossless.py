"""The contract as one table, and the watchdog's timers."""

from __future__ import annotations

from fabricgen.intent.lossless import Lossless
from fabricgen.plan.model.contract import Contract, TrafficClass, Watchdog


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


def build_watchdog(lossless: Lossless) -> Watchdog:
    """Watchdog timers; the poll interval is the detection time where that is legal, else SONiC's 1000 ms cap.

    Source:
        sonic-net/sonic-utilities pfcwd: detection and restoration times may not be below the poll interval,
        which lies within 100..1000 ms.
    """
    dog = lossless.watchdog
    return Watchdog(dog.detection_ms, dog.restoration_ms, min(dog.detection_ms, dog.restoration_ms, 1000), dog.action)
