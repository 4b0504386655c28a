"""Findings that a change has made: those of after that were not there before."""

from __future__ import annotations

import pytest

from fabricgen.state.findings import CHECKS, CheckResult, Outcome, StateFinding, list_known, pick_new

SWAPPED = StateFinding("Ethernet0", "leaf-01 Ethernet4", "leaf-02 Ethernet4")
GONE = StateFinding("Ethernet0", "leaf-01 Ethernet4", "nothing")
OTHER = StateFinding("Ethernet4", "leaf-01 Ethernet8", "nothing")


def result(check: str, *findings: StateFinding, outcome: Outcome | None = None) -> CheckResult:
    found = Outcome.different if findings else Outcome.expected
    return CheckResult(check, outcome or found, 2, findings, "why" if outcome else "")


def test_what_was_wrong_before_does_not_count_however_it_is_wrong_now() -> None:
    now, before = [result("cables", GONE, OTHER)], [result("cables", SWAPPED)]
    new = pick_new(now, before, compared=True)
    assert new == [result("cables", OTHER)]
    assert list(list_known(now, new)) == [("cables", GONE)]
    assert pick_new([result("cables", GONE)], before, compared=True)[0].outcome is Outcome.expected


@pytest.mark.parametrize("check", ["errors", "fec", "drops", "pfc", "ecn"])
def test_counters_that_rose_count_unless_they_began_anew(check: str) -> None:
    rose = StateFinding("Ethernet0", "none", "9")
    assert check in CHECKS
    for compared in (True, False):
        (new,) = pick_new([result(check, rose)], [result(check, rose)], compared=compared)
        assert bool(new.findings) is compared


@pytest.mark.parametrize("lack", [Outcome.missing, Outcome.unreadable])
def test_answer_that_is_missing_only_now_is_a_finding(lack: Outcome) -> None:
    now = [result("bfd", outcome=lack)]
    (new,) = pick_new(now, [result("bfd")], compared=True)
    assert (new.outcome, [found.expected for found in new.findings]) == (Outcome.different, ["an answer as before"])
    assert pick_new(now, now, compared=True) == now
