"""Findings of a check of one device, and what became of each check."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Outcome(StrEnum):
    """Outcome of one check of one device."""

    expected = "as expected"
    different = "differs"
    missing = "not collected"
    unreadable = "unreadable"
    unread = "not read"
    lacking = "the device has none"
    single = "needs a second collection"


class Finding(NamedTuple):
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


class Result(NamedTuple):
    """Outcome of one check of one device.

    Attributes:
        check: Name of the check, one of ``CHECKS``.
        examined: How many things were looked at.
        findings: What is wrong; empty unless the outcome is ``different``.
        reason: Why there is no judgement, in words.
    """

    check: str
    outcome: Outcome
    examined: int = 0
    findings: tuple[Finding, ...] = ()
    reason: str = ""


SESSIONS, PREFIXES, BFD, WIDTHS, CABLES, PORTS = "sessions", "prefixes", "bfd", "next hops", "cables", "ports"
ERRORS, FEC, OPTICS, DROPS, PFC = "errors", "fec", "optics", "drops", "pfc"
WATCHDOG, ECN, SOFTWARE = "watchdog", "ecn", "software"

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
    SOFTWARE: ("system",),
}
"""State readings that each check looks at, by the name of the check."""
ADDED = frozenset(("fec_modes", "rdma"))
"""Readings that add to another one of their check; a platform whose other one has everything does not have them."""


def judged(check: str, examined: int, findings: list[Finding]) -> Result:
    """Return the result of a check that was made."""
    return Result(check, Outcome.different if findings else Outcome.expected, examined, tuple(findings))
