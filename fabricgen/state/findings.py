"""Findings of a check of one device, and what became of each check."""

from __future__ import annotations

from collections.abc import Sequence
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
        check: Name of the check, one of ``CHECKS``.
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
    """Return the result of a check that was made; it passes only what it has read.

    Args:
        check: Name of the check.
        planned: How many things the plan has.
        findings: What is wrong with them.
        unread: Those that the answer leaves out, in words.
    """
    outcome = Outcome.different if findings else Outcome.partial if unread else Outcome.expected
    reason = f"the answer leaves out {unread[0]}" if unread else ""
    if len(unread) > 1:
        reason += f" and {len(unread) - 1} more of {planned}"
    return CheckResult(check, outcome, planned - len(unread), tuple(findings), reason)
