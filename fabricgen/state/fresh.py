"""Findings that a device did not have before a change: what the change has made worse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabricgen.state import findings as names
from fabricgen.state.findings import UNJUDGED, CheckResult, Outcome, StateFinding

_COUNTED = frozenset((names.ERRORS, names.FEC, names.DROPS, names.PFC, names.ECN))
"""Checks whose findings, where two readings are compared, are what happened between them."""
_LACKING = UNJUDGED | {Outcome.lacking}


def pick_new(now: Sequence[CheckResult], before: Sequence[CheckResult], *, compared: bool) -> list[CheckResult]:
    """Return results without the findings that are as old as the earlier reading.

    Args:
        now: Results of a device after a change.
        before: Results of the same checks before it, each of that reading alone.
        compared: Counters of ``now`` are the difference of both readings.

    Returns:
        The results, as ``pick_lost`` gives them.
    """
    earlier = {result.check: result for result in before}
    return [_pick(result, earlier.get(result.check), compared=compared) for result in pick_lost(now, before)]


def pick_lost(now: Sequence[CheckResult], before: Sequence[CheckResult]) -> list[CheckResult]:
    """Return results in which an answer that is missing now, or a part of it, and was there before is a finding.

    Args:
        now: Results of a device after a change.
        before: Results of the same checks before it.
    """
    earlier = {result.check: result for result in before}
    return [_lose(result, earlier.get(result.check)) for result in now]


def _lose(now: CheckResult, before: CheckResult | None) -> CheckResult:
    is_there = before is not None and before.is_whole and before.outcome not in _LACKING
    if not is_there or (now.is_whole and now.outcome not in _LACKING):
        return now
    lost = StateFinding("", "an answer as before", now.reason)
    return now._replace(outcome=Outcome.different, findings=(*now.findings, lost), reason="")


def _pick(now: CheckResult, before: CheckResult | None, *, compared: bool) -> CheckResult:
    if before is None or (compared and now.check in _COUNTED):
        return now
    known = set(map(_key, before.findings))
    left = tuple(found for found in now.findings if _key(found) not in known)
    return now._replace(outcome=Outcome.different if left else Outcome.expected, findings=left) if now.findings else now


def list_known(now: Sequence[CheckResult], new: Sequence[CheckResult]) -> Iterator[tuple[str, StateFinding]]:
    """Yield each finding that was left out, with its check.

    Args:
        now: All results.
        new: What ``pick_new`` left of them.
    """
    for whole, left in zip(now, new, strict=True):
        yield from ((whole.check, found) for found in whole.findings if found not in left.findings)


def _key(finding: StateFinding) -> tuple[str, str]:
    """Return what a finding is about, whatever was found there: a session that is down may be idle or active."""
    return finding.at, finding.expected
