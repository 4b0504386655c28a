"""Findings of a check of one device, what became of each check, and what a change has made worse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple


class Outcome(StrEnum):
    """Outcome of one check of one device."""

    expected = "as expected"
    different = "differs"
    missing = "not collected"
    unreadable = "unreadable"
    unread = "not read"
    partial = "not all read"
    lacking = "the device has none"
    single = "needs a second collection"


class StateFinding(NamedTuple):
    """One thing that is not as planned.

    Attributes:
        at: Port, neighbor or prefix it is about, which no other finding of the same kind shares.
        expected: State that the plan expects; ``actual`` is what the device answered.
        about: What else takes part, for example the device at the other end; the same for no two ports.
    """

    at: str
    expected: str
    actual: str
    about: str = ""


class CheckResult(NamedTuple):
    """Outcome of one check of one device.

    Attributes:
        examined: How many of the planned things the answer has.
        findings: What is wrong; empty unless the outcome is ``different``.
        reason: Why there is no judgement, or none of all that is planned, in words.
    """

    check: str
    outcome: Outcome
    examined: int = 0
    findings: tuple[StateFinding, ...] = ()
    reason: str = ""

    @property
    def is_whole(self) -> bool:
        """Return whether nothing is left unjudged that the device should have answered."""
        return self.outcome not in UNJUDGED and not (self.findings and self.reason)


UNJUDGED = frozenset((Outcome.missing, Outcome.unreadable, Outcome.partial))
"""Outcomes of a check whose answer is not there, or not all of it: no pass, and no finding."""


SESSIONS, PREFIXES, BFD, WIDTHS, CABLES, PORTS = "sessions", "prefixes", "bfd", "next hops", "cables", "ports"
ERRORS, FEC, OPTICS, DROPS, PFC = "errors", "fec", "optics", "drops", "pfc"
WATCHDOG, ECN, CONTRACT, FILES, SAVED, SOFTWARE = "watchdog", "ecn", "contract", "files", "saved", "software"

CHECKS: dict[str, tuple[str, ...]] = {
    SESSIONS: ("sessions",),
    PREFIXES: ("sessions",),
    BFD: ("bfd",),
    WIDTHS: ("routes", "routes6"),
    CABLES: ("lldp",),
    PORTS: ("ports", "fec_modes", "rdma"),
    ERRORS: ("errors",),
    FEC: ("fec",),
    OPTICS: ("optics",),
    DROPS: ("queues",),
    PFC: ("pfc",),
    WATCHDOG: ("watchdog",),
    ECN: ("ecn",),
    CONTRACT: ("contract",),
    FILES: ("sysctl", "netplan", "units"),
    SAVED: (),
    SOFTWARE: ("system",),
}
"""State readings that each check looks at, by the name of the check; those of ``saved`` are each platform's own."""
ADDED = frozenset(("fec_modes", "rdma"))
"""Readings that add to another one of their check; a platform whose other one has everything does not have them."""


def judged(check: str, planned: int, findings: Sequence[StateFinding], unread: Sequence[str] = ()) -> CheckResult:
    """Return the result of a check that was made; it passes only what it has read."""
    outcome = Outcome.different if findings else Outcome.partial if unread else Outcome.expected
    reason = f"the answer leaves out {unread[0]}" if unread else ""
    if len(unread) > 1:
        reason += f" and {len(unread) - 1} more of {planned}"
    return CheckResult(check, outcome, planned - len(unread), tuple(findings), reason)


_COUNTED = frozenset((ERRORS, FEC, DROPS, PFC, ECN))
"""Checks whose findings, where two readings are compared, are what happened between them."""
_LACKING = UNJUDGED | {Outcome.lacking}


def pick_new(now: Sequence[CheckResult], before: Sequence[CheckResult], *, compared: bool) -> list[CheckResult]:
    """Return results after a change, as ``pick_lost`` gives them, without the findings that are as old as before it.

    Results before it are of that reading alone; where both are ``compared``, counters of ``now`` are the difference.
    """
    earlier = {result.check: result for result in before}
    return [_pick_new(result, earlier.get(result.check), compared=compared) for result in pick_lost(now, before)]


def pick_lost(now: Sequence[CheckResult], before: Sequence[CheckResult]) -> list[CheckResult]:
    """Return results in which an answer that is missing now, or a part of it, and was there before is a finding."""
    earlier = {result.check: result for result in before}
    return [_lose(result, earlier.get(result.check)) for result in now]


def _lose(now: CheckResult, before: CheckResult | None) -> CheckResult:
    is_there = before is not None and before.is_whole and before.outcome not in _LACKING
    if not is_there or (now.is_whole and now.outcome not in _LACKING):
        return now
    lost = StateFinding("", "an answer as before", now.reason)
    return now._replace(outcome=Outcome.different, findings=(*now.findings, lost), reason="")


def _pick_new(now: CheckResult, before: CheckResult | None, *, compared: bool) -> CheckResult:
    if before is None or (compared and now.check in _COUNTED):
        return now
    known = set(map(_key, before.findings))
    left = tuple(found for found in now.findings if _key(found) not in known)
    return now._replace(outcome=Outcome.different if left else Outcome.expected, findings=left) if now.findings else now


def list_known(now: Sequence[CheckResult], new: Sequence[CheckResult]) -> Iterator[tuple[str, StateFinding]]:
    """Yield each finding that was left out, with its check."""
    for whole, left in zip(now, new, strict=True):
        yield from ((whole.check, found) for found in whole.findings if found not in left.findings)


def _key(finding: StateFinding) -> tuple[str, str]:
    """Return what a finding is about, whatever was found there: a session that is down may be idle or active."""
    return finding.at, finding.expected
