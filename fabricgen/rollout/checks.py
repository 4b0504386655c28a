"""Checks around the steps of a device: what the plan expects of it, with the command that shows it.

Which command shows what, the platform knows; what is expected, the room ``state``, which also judges the same of a
whole collection.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from fabricgen.diagnostics.words import counted
from fabricgen.platforms.patching.rollout import DrainProof
from fabricgen.rollout.bundle import PlannedCheck, PlannedPlace
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


class Command(NamedTuple):
    """A command line, and ``json`` where its whole answer is one JSON document, else ``text``."""

    line: str
    form: Literal["json", "text"] = "text"


def plan_checks(
    expected: Expected, commands: Mapping[str, Command], left: Collection[str] = ()
) -> Iterator[PlannedCheck]:
    """Yield the checks before the steps of a device and after them.

    Args:
        expected: State of the device once it is changed.
        commands: By state reading; those that its platform has no command for are left out.
        left: Checks that are left out.
    """
    wanted = [check for check in list_checks(expected) if check not in left]
    for check, words in _COUNTERS.items():
        for state in CHECKS[check] if check in wanted else ():
            if state in commands:
                yield _check("before", check, commands[state], f"note the {words}")
    for check in wanted:
        for state in CHECKS[check]:
            text, values = _expect(check, expected, state)
            if text and state in commands:
                yield _check("after", check, commands[state], text, values)


def plan_proofs(places: Iterable[tuple[PlannedPlace, DrainProof]], *, ended: bool = False) -> Iterator[PlannedCheck]:
    """Yield the checks on neighbors of a device that is drained, one for each command.

    Args:
        places: Neighbors, each with what shows there whether it sends over the device.
        ended: The drain has ended, and they should send over it as before.
    """
    found: dict[DrainProof, list[PlannedPlace]] = {}
    for place, proof in places:
        found.setdefault(proof, []).append(place)
    for proof, at in found.items():
        values = {key: getattr(proof, key) for key in ("routes", "preference", "paths", "via", "used")}
        when, text = ("undrained", proof.returned) if ended else ("drained", proof.expected)
        yield PlannedCheck(when, "neighbors", proof.command, "json", text, values, at=tuple(at))


def _check(when: str, check: str, command: Command, text: str, values: dict[str, Any] | None = None) -> PlannedCheck:
    return PlannedCheck(when, check, command.line, command.form, text, values=values or {})


def _expect(check: str, expected: Expected, state: str) -> tuple[str, dict[str, Any]]:
    """Return what a check expects, in words and as data; no words where there is nothing to compare."""
    if check == names.SESSIONS:
        return _expect_sessions(expected)
    if check == names.WIDTHS:
        return _expect_widths(expected, is_ipv6=state == "routes6")
    if check == names.BFD:
        number = sum(session.watched for session in expected.sessions)
        return f"{counted(number, 'BFD session')} up", {"up": number}
    if check == names.PORTS and state not in ADDED:
        return f"{counted(len(expected.links), 'cabled port')} up", {"up": len(expected.links)}
    if check == names.CABLES:
        return f"{counted(len(expected.links), 'cable')} with the planned neighbor at the other end", {}
    if check == names.SOFTWARE:
        return (f"release {expected.release}", {"release": expected.release}) if expected.release else ("", {})
    words = _COUNTERS.get(check, "")
    return (f"{words}: as before the steps", {"increase": 0}) if words else ("", {})


def _expect_sessions(expected: Expected) -> tuple[str, dict[str, Any]]:
    sessions = expected.sessions
    if not sessions:
        return "", {}
    numbers = Counter(session.asn for session in sessions)
    listed = ", ".join(f"{number} of AS {asn}" for asn, number in numbers.most_common(_NAMED_MAX))
    left = len(numbers) - _NAMED_MAX
    more = f", and {counted(left, 'more AS number')}" if left > 0 else ""
    rows = [{"neighbor": each.neighbor, "device": each.peer, "asn": each.asn} for each in sessions]
    return f"{counted(len(sessions), 'BGP neighbor')} established: {listed}{more}", {"neighbors": rows}


def _expect_widths(expected: Expected, *, is_ipv6: bool) -> tuple[str, dict[str, Any]]:
    by_number: dict[int, list[str]] = {}
    for width in expected.widths:
        prefixes = [prefix for prefix in width.prefixes if (":" in prefix) is is_ipv6]
        by_number.setdefault(width.next_hops, []).extend(prefixes)
    by_number = {hops: prefixes for hops, prefixes in by_number.items() if prefixes}
    if not by_number:
        return "", {}
    texts = [
        f"{counted(hops, 'next hop') if hops else 'no next hop'} towards {counted(len(prefixes), 'prefix', 'prefixes')}"
        for hops, prefixes in sorted(by_number.items(), reverse=True)
    ]
    rows = [{"next_hops": hops, "prefixes": prefixes} for hops, prefixes in sorted(by_number.items(), reverse=True)]
    return "; ".join(texts), {"widths": rows}
