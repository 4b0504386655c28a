"""Judgement of the PFC watchdog: that it runs, and that it saw no storm."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from fabricgen.platforms.observations.records import Observation, QueueWatchdog, Storms
from fabricgen.state.counters import FELL
from fabricgen.state.expected import Expected
from fabricgen.state.findings import WATCHDOG, CheckResult, StateFinding, judged

_OFF, _RUNS, _STORMED = "off", "operational", "stormed"
_NEVER = QueueWatchdog("", 0, "", 0, 0)
"""Queue that a device leaves out, because it never had a storm."""


def judge_watchdog(expected: Expected, now: Sequence[Observation], before: Sequence[Observation] | None) -> CheckResult:
    """Return whether the watchdog runs on each lossless priority of each cabled port, and saw no storm lately.

    Where a device lists only queues that had a storm, whether it runs is not known, and is not judged.
    """
    known, earlier = _by_queue(expected, now), _by_queue(expected, before or ())
    quiet = _NEVER if any(isinstance(each, Storms) for each in now) else None
    past = quiet if before is not None else None
    wanted = list(product((link.port for link in expected.links), expected.lossless if expected.watchdog else ()))
    findings = [found for key in wanted for found in _judge_queue(key, known.get(key, quiet), earlier.get(key, past))]
    return judged(WATCHDOG, len(wanted), findings)


def _by_queue(expected: Expected, seen: Sequence[Observation]) -> dict[tuple[str, int], QueueWatchdog]:
    listed = [each for storms in seen if isinstance(storms, Storms) for each in storms.queues]
    listed += [each for each in seen if isinstance(each, QueueWatchdog)]
    return {(expected.aliases.get(each.port, each.port), each.priority): each for each in listed}


def _judge_queue(
    key: tuple[str, int], now: QueueWatchdog | None, before: QueueWatchdog | None
) -> Iterator[StateFinding]:
    port, priority = key
    about = f"priority {priority}"
    state = _OFF if now is None else now.state
    if now is not None and not state:
        state = _STORMED if now.detected > now.restored else _RUNS
    if now is None or state == _OFF:
        yield StateFinding(port, "watchdog on", "watchdog off", about)
    elif state != _RUNS:
        yield StateFinding(port, "no PFC storm", state, about)
    elif before is not None and now.detected < before.detected:
        yield StateFinding(port, "counters that rise", f"a counter fell: {FELL}", about)
    elif before is not None and now.detected > before.detected:
        yield StateFinding(
            port, "no PFC storm", "a storm came and went", f"{about}, {now.detected - before.detected} more"
        )
