"""Judgement of counters, of the PFC watchdog and of congestion notification between hosts.

Counters are judged by the difference of two readings where there are two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from fabricgen.platforms.observations import records
from fabricgen.platforms.observations.records import (
    CNP_HANDLED,
    CNP_IGNORED,
    CNP_SENT,
    MARKED,
    MARKED_RECEIVED,
    PAUSE_STORMS,
    PFC_RECEIVED,
    PFC_SENT,
    Counter,
    Observation,
    QueueWatchdog,
    Storms,
)
from fabricgen.state.expected import Expected
from fabricgen.state.findings import DROPS, ECN, ERRORS, FEC, PFC, WATCHDOG, CheckResult, Outcome, StateFinding, judged

_Key = tuple[str, str, int | None]
_NO_FEC = ("", "none")
FELL = "the device restarted, or its counters were cleared"


class Readings(NamedTuple):
    """Counters by port, name and priority; ``before`` is None without an earlier reading, ``idle`` without traffic."""

    now: Mapping[_Key, int]
    before: Mapping[_Key, int] | None
    idle: bool

    def rise(self, key: _Key) -> int:
        """Return by how much a counter rose, or all of it without an earlier reading; 0 if it fell."""
        earlier = self.before.get(key, 0) if self.before is not None else 0
        return max(0, self.now.get(key, 0) - earlier)

    def fell(self) -> Iterator[StateFinding]:
        """Yield each port of which a counter fell since the earlier reading, with the first of them."""
        seen = set()
        for key, value in self.now.items():
            earlier = self.before.get(key, 0) if self.before is not None else 0
            if value < earlier and key[0] not in seen:
                seen.add(key[0])
                about = f"{name(key)}: {earlier:,} to {value:,}"
                yield StateFinding(key[0], "counters that rise", f"a counter fell: {FELL}", about)


def index(expected: Expected, seen: Sequence[Counter]) -> dict[_Key, int]:
    """Return the counters of the cabled ports of a device by port, name and priority."""
    cabled = {link.port for link in expected.links}
    found = {}
    for counter in seen:
        port = expected.aliases.get(counter.port, counter.port)
        if port in cabled:
            found[port, counter.name, counter.priority] = counter.value
    return found


def name(key: _Key) -> str:
    """Return a counter in words."""
    return key[1] if key[2] is None else f"{key[1]}, priority {key[2]}"


def list_unread(readings: Readings, keys: Sequence[_Key]) -> list[str]:
    """Return the planned counters that a reading leaves out, or the earlier one with which it is compared."""
    missing = [f"{name(key)} of {key[0]}" for key in keys if key not in readings.now]
    if missing or readings.before is None:
        return missing
    return [f"{name(key)} of {key[0]}, at the earlier time" for key in keys if key not in readings.before]


def judge_errors(expected: Expected, readings: Readings) -> CheckResult:
    """Return whether no cabled port has new errors."""
    keys: list[_Key] = [(link.port, records.ERRORS, None) for link in expected.links]
    return _judge_rises(ERRORS, readings, keys, "no new errors")


def judge_fec(expected: Expected, readings: Readings) -> CheckResult:
    """Return whether no cabled port with FEC has codewords that FEC could not correct."""
    keys: list[_Key] = [
        (link.port, records.UNCORRECTED, None)
        for link in expected.links
        if expected.kind == "hosts" or link.fec not in _NO_FEC
    ]
    return _judge_rises(FEC, readings, keys, "every codeword corrected")


def judge_drops(expected: Expected, readings: Readings) -> CheckResult:
    """Return whether no lossless queue dropped a packet."""
    in_bytes = any(key[1] == records.DROPPED_BYTES for key in readings.now)
    counter = records.DROPPED_BYTES if in_bytes else records.DROPS
    keys = list(product((link.port for link in expected.links), (counter,), expected.lossless))
    return _judge_rises(DROPS, readings, keys, "no drops of lossless queues")


def _judge_rises(check: str, readings: Readings, keys: Sequence[_Key], wanted: str) -> CheckResult:
    """Return whether none of some counters rose; undecided with one reading, which has all that ever happened."""
    unread = list_unread(readings, keys)
    if readings.before is None and not unread:
        return CheckResult(check, Outcome.single, len(keys), reason="counters are compared with an earlier collection")
    risen = [key for key in keys if readings.before is not None and readings.rise(key)]
    findings = [*readings.fell(), *(_risen(key, readings, wanted) for key in risen)]
    return judged(check, len(keys), findings, unread)


def _risen(key: _Key, readings: Readings, wanted: str) -> StateFinding:
    return StateFinding(key[0], wanted, name(key), f"{readings.rise(key):,}{' more' if readings.before else ''}")


def judge_pfc(expected: Expected, readings: Readings) -> CheckResult:
    """Return whether lossless priorities have PFC counters on every cabled port, and no other priority pauses."""
    by_priority = any(key[2] is not None for key in readings.now)
    ports = [link.port for link in expected.links]
    wanted = list(product(ports, (PFC_RECEIVED, PFC_SENT), expected.lossless if by_priority else (None,)))
    findings = [
        StateFinding(key[0], "a PFC counter", f"no counter of {name(key)}")
        for key in wanted
        if expected.lossless and key not in readings.now
    ]
    findings += [one for key in readings.now for one in _judge_pause(key, expected, readings, by_priority=by_priority)]
    if not expected.lossless and not readings.now:
        return CheckResult(PFC, Outcome.lacking, reason="no port counts PFC frames")
    planned = len(wanted) if expected.lossless else len(readings.now)
    return judged(PFC, planned, [*readings.fell(), *findings])


def _judge_pause(key: _Key, expected: Expected, readings: Readings, *, by_priority: bool) -> Iterator[StateFinding]:
    """Yield a counter that rose and should not have; storms of all time are no judgement of today."""
    if not readings.rise(key):
        return
    later = readings.before is not None
    if key[1] == PAUSE_STORMS:
        if later:
            yield _risen(key, readings, "no pause storm")
    elif (key[2] not in expected.lossless) if by_priority else not expected.lossless:
        yield _risen(key, readings, "no PFC of lossy priorities")
    elif readings.idle and later:
        yield _risen(key, readings, "no PFC while idle")


def judge_ecn(expected: Expected, readings: Readings) -> CheckResult:
    """Return whether each queue that the plan marks counts its marks on every cabled port, and no other one marks."""
    wanted = list(product((link.port for link in expected.links), expected.marking))
    findings = [
        StateFinding(port, "a counter of ECN marks", f"no counter of {name((port, MARKED, priority))}")
        for port, priority in wanted
        if (port, MARKED, priority) not in readings.now
    ]
    for key in readings.now:
        if key[2] not in expected.marking and readings.rise(key):
            findings.append(_risen(key, readings, "no ECN marks of this queue"))
        elif readings.idle and readings.before is not None and readings.rise(key):
            findings.append(_risen(key, readings, "no ECN marks while idle"))
    return judged(ECN, len(wanted) or len(readings.now), [*readings.fell(), *findings])


_OFF, _RUNS, _STORMED = "off", "operational", "stormed"
_NEVER_STORMED = QueueWatchdog("", 0, "", 0, 0)
"""Queue that a device leaves out, because it never had a storm."""


def judge_watchdog(expected: Expected, now: Sequence[Observation], before: Sequence[Observation] | None) -> CheckResult:
    """Return whether the watchdog runs on each lossless priority of each cabled port, and saw no storm lately.

    Where a device lists only queues that had a storm, whether it runs is not known, and is not judged.
    """
    known, earlier = _by_queue(expected, now), _by_queue(expected, before or ())
    quiet = _NEVER_STORMED if any(isinstance(each, Storms) for each in now) else None
    past = quiet if before is not None else None
    wanted = list(product((link.port for link in expected.links), expected.lossless if expected.watchdog else ()))
    findings = [found for key in wanted for found in _judge_queue(key, known.get(key, quiet), earlier.get(key, past))]
    return judged(WATCHDOG, len(wanted), findings)


def _by_queue(expected: Expected, seen: Sequence[Observation]) -> dict[tuple[str, int], QueueWatchdog]:
    listed = [each for storms in seen if isinstance(storms, Storms) for each in storms.queues]
    listed += [each for each in seen if isinstance(each, QueueWatchdog)]
    return {(expected.aliases.get(each.port, each.port), each.priority): each for each in listed}


def _judge_queue(key: tuple[str, int], now: QueueWatchdog | None, was: QueueWatchdog | None) -> Iterator[StateFinding]:
    port, priority = key
    what = f"priority {priority}"
    state = _OFF if now is None else now.state
    if now is not None and not state:
        state = _STORMED if now.detected > now.restored else _RUNS
    if now is None or state == _OFF:
        yield StateFinding(port, "watchdog on", "watchdog off", what)
    elif state != _RUNS:
        yield StateFinding(port, "no PFC storm", state, what)
    elif was is not None and now.detected < was.detected:
        yield StateFinding(port, "counters that rise", f"a counter fell: {FELL}", what)
    elif was is not None and now.detected > was.detected:
        yield StateFinding(port, "no PFC storm", "a storm came and went", f"{what}, {now.detected - was.detected} more")


_COUNTERS = (MARKED_RECEIVED, CNP_SENT, CNP_HANDLED, CNP_IGNORED)


def judge_cnps(expected: Expected, readings: Readings) -> CheckResult:
    """Return whether NICs answer marked packets with CNPs, and act on them; ports of a bond share counters."""
    known = dict.fromkeys(port for port, _, _ in readings.now)
    ports = known if expected.bonded and known else [link.port for link in expected.links]
    findings = [*readings.fell(), *(finding for port in ports for finding in _judge_port(port, readings))]
    keys = [(port, name, None) for port in ports for name in _COUNTERS]
    return judged(ECN, len(keys), findings, list_unread(readings, keys))


def _judge_port(port: str, readings: Readings) -> Iterator[StateFinding]:
    """Yield what the counters of one port say against its NIC."""
    marked, sent, handled, ignored = (readings.rise((port, name, None)) for name in _COUNTERS)
    if marked and not sent:
        yield StateFinding(port, "CNPs for marked packets", "no CNP sent", f"{marked:,} marked packets")
    if ignored:
        yield StateFinding(port, "every CNP acted on", "CNPs ignored", f"{ignored:,} CNPs")
    if readings.idle and readings.before is not None and (sent or handled):
        yield StateFinding(port, "no CNPs while idle", "CNPs", f"{sent:,} sent, {handled:,} received")
