"""Checks around the steps of a device: what the plan expects of it, with the command that shows it.

Which command shows what, the platform knows; what is expected, the room ``state``, which also judges the same of a
whole collection.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from fabricgen.diagnostics.words import counted
from fabricgen.platforms.patching.rollout import DrainProof
from fabricgen.rollout.bundle import PlannedCheck
from fabricgen.rollout.expectation import StateReading
from fabricgen.state import findings as names
from fabricgen.state.expected import Expected
from fabricgen.state.findings import ADDED, CHECKS
from fabricgen.state.judge import list_checks

_NAMED_MAX = 3
_COUNTERS = {
    names.ERRORS: "errors and discards",
    names.DROPS: "drops of lossless queues",
    names.PFC: "PFC frames of priorities that are not lossless",
    names.WATCHDOG: "storms that the PFC watchdog detected",
}
"""Counters that a change must not move."""
ROUTING = (names.SESSIONS, names.PREFIXES, names.BFD, names.WIDTHS)
"""Checks whose expectations a device meets only once the last of its sessions and routes has moved."""


class NeighborContact(NamedTuple):
    """A neighbor of a device, where it is asked about it.

    Attributes:
        neighbor: What its routing calls the device, an address or an interface.
        address: Its management address, or a name that resolves.
        stays: It does not use the device again once a drain has ended, because the plan has one of them drained.
    """

    device: str
    neighbor: str
    platform: str
    address: str
    stays: bool = False


class Check(NamedTuple):
    """A check of one device, read on its neighbors ``at``, or on the device itself where that is empty."""

    planned: PlannedCheck
    at: tuple[NeighborContact, ...] = ()


def plan_checks(expected: Expected, asked: Mapping[str, StateReading], left: Collection[str] = ()) -> Iterator[Check]:
    """Yield the checks before the steps of a device and after them; ``expected`` is its state once it is changed.

    ``asked`` are commands by state reading; those that its platform has no command for are left out.
    """
    wanted = [check for check in list_checks(expected) if check not in left]
    for check, words in _COUNTERS.items():
        for state in CHECKS[check] if check in wanted else ():
            if state in asked:
                yield _check("before", check, asked[state], f"note the {words}")
    for check in wanted:
        for state in CHECKS[check]:
            text = _expect(check, expected, state)
            if text and state in asked:
                yield _check("after", check, asked[state], text, planned=check == names.SESSIONS)


def plan_proofs(places: Iterable[tuple[NeighborContact, DrainProof]], *, ended: bool = False) -> Iterator[Check]:
    """Yield checks, one a command, that neighbors do not send over a drained device, or do so again once ``ended``."""
    found: dict[DrainProof, list[NeighborContact]] = {}
    for place, proof in places:
        if not (ended and place.stays):
            found.setdefault(proof, []).append(place)
    for proof, at in found.items():
        values: dict[str, Any] = {key: getattr(proof, key) for key in ("routes", "preference", "paths", "via")}
        when, text = ("undrained", proof.returned) if ended else ("drained", proof.expected)
        values |= {"used": [*proof.used], "platform": min(place.platform for place in at)}
        planned = PlannedCheck(when, "neighbors", proof.command, "json", text, values)
        yield Check(planned, tuple(at))


def _check(when: str, check: str, command: StateReading, text: str, *, planned: bool = False) -> Check:
    return Check(PlannedCheck(when, check, command.command, command.form, text, {"planned": True} if planned else {}))


def _expect(check: str, expected: Expected, state: str) -> str:
    """Return what a check expects, in words; none where there is nothing to compare."""
    if check == names.SESSIONS:
        return _expect_sessions(expected)
    if check == names.WIDTHS:
        return _expect_widths(expected, is_ipv6=state == "routes6")
    if check == names.BFD:
        return f"{counted(sum(session.watched for session in expected.sessions), 'BFD session')} up"
    if check == names.PORTS and state not in ADDED:
        return f"{counted(len(expected.links), 'cabled port')} up"
    if check == names.CABLES:
        return f"{counted(len(expected.links), 'cable')} with the planned neighbor at the other end"
    if check == names.SOFTWARE:
        return f"release {expected.release}" if expected.release else ""
    words = _COUNTERS.get(check, "")
    return f"{words}: as before the steps" if words else ""


def _expect_sessions(expected: Expected) -> str:
    sessions = expected.sessions
    if not sessions:
        return ""
    numbers = Counter(session.asn for session in sessions)
    listed = ", ".join(f"{number} of AS {asn}" for asn, number in numbers.most_common(_NAMED_MAX))
    left = len(numbers) - _NAMED_MAX
    more = f", and {counted(left, 'more AS number')}" if left > 0 else ""
    return f"{counted(len(sessions), 'BGP neighbor')} established: {listed}{more}"


def _expect_widths(expected: Expected, *, is_ipv6: bool) -> str:
    by_number: Counter[int] = Counter()
    for width in expected.widths:
        by_number[width.next_hops] += sum((":" in prefix) is is_ipv6 for prefix in width.prefixes)
    return "; ".join(
        f"{counted(hops, 'next hop') if hops else 'no next hop'} towards {counted(number, 'prefix', 'prefixes')}"
        for hops, number in sorted(by_number.items(), reverse=True)
        if number
    )
