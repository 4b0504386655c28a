"""Import policies that demote the routes of a drained neighbour (RFC 8326), put in front of what a policy accepts.

The policy that a device runs is kept: each entry that accepts routes gets one before it that accepts the same routes at
local preference 0 if they carry the community GRACEFUL_SHUTDOWN. Where the intended policy is the one that runs but for
such entries, it is taken as it is.

Source:
    RFC 8326 section 4.2: the receiver lowers the preference of a path that carries GRACEFUL_SHUTDOWN.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

SHUTDOWN_LIST, SHUTDOWN_MAP = "GSHUT", "GSHUT_IN"
"""Names of a community list and a policy that a device gets where the intended side has none in their place."""
_STEP = 10


BY_HAND = (
    "add an entry before it that gives routes with 65535:0 the local preference 0, collect the switch, and plan again"
)


class CannotPrepare(Exception):  # noqa: N818 - a property of the configuration
    """A configuration that cannot get the policy by itself; the message is the reason, after "because".

    Attributes:
        hint: What would do.
    """

    def __init__(self, reason: str, hint: str = BY_HAND) -> None:
        """Take the reason."""
        super().__init__(reason)
        self.hint = hint


class Entry(NamedTuple):
    """An entry of a policy.

    Attributes:
        permits: It accepts the routes that it matches.
        conditions: What a route has to meet, but for its communities.
        communities: The list of communities of which a route has to carry one; empty for none.
        last: It gives a route the local preference 0.
        jumps: It does not decide, but goes on elsewhere.
        body: The entry as the platform writes it.
        native: The platform demotes drained routes behind it by itself.
    """

    number: int
    permits: bool
    conditions: Mapping[str, Any]
    communities: str
    last: bool
    jumps: bool
    body: Any
    native: bool = False

    def demotes(self, lists: Collection[str]) -> bool:
        """Return whether it demotes drained routes, with the lists of their community."""
        return self.permits and self.last and (not self.communities or self.communities in lists)


def ignores_shutdown(entries: Iterable[Entry], lists: Collection[str]) -> bool:
    """Return whether a policy accepts a drained route at the preference of others.

    Args:
        entries: Of the policy.
        lists: Names of the lists that hold the community of drained routes, and nothing else.
    """
    return next(_too_early(sorted(entries, key=_number), lists), None) is not None


def _too_early(entries: Iterable[Entry], lists: Collection[str]) -> Iterator[Entry]:
    """Yield the entries that accept drained routes before one demotes them."""
    demoted: list[Mapping[str, Any]] = []
    for entry in entries:
        if entry.demotes(lists):
            demoted.append(entry.conditions)
        elif not entry.permits or entry.last or entry.native:
            continue
        elif not any(not each or each == entry.conditions for each in demoted):
            yield entry


def demote_first(
    name: str, deployed: Iterable[Entry], intended: Iterable[Entry], shutdown: str, demote: Callable[[Any], Any]
) -> list[tuple[int, bool, Any]]:
    """Return number, permission and body of the entries of a policy that demotes drained routes.

    Args:
        name: Of the policy.
        deployed: Its entries on the device.
        intended: The entries of the intended policy of that name; none if there is none.
        shutdown: The list that holds the community of drained routes, and nothing else.
        demote: Gives the body of an entry that demotes drained routes that the given one accepts.

    Raises:
        CannotPrepare: It has entries that none can be put before.
    """
    runs, wanted = sorted(deployed, key=_number), sorted(intended, key=_number)
    if _is_all_but_demotion(runs, wanted, (shutdown,)):
        return [(entry.number, entry.permits, entry.body) for entry in wanted]
    for entry in runs:
        if entry.jumps:
            raise CannotPrepare(f"entry {entry.number} of {name} goes on elsewhere")
    before = set(map(_number, _too_early(runs, (shutdown,))))
    for entry in runs:
        if entry.number in before and entry.communities:
            raise CannotPrepare(f"entry {entry.number} of {name} matches communities already")
    return list(_numbered(runs, before, demote))


def _is_all_but_demotion(runs: Sequence[Entry], wanted: Sequence[Entry], lists: Collection[str]) -> bool:
    """Return whether a policy that demotes is the one that runs but for entries that demote."""
    if not wanted or ignores_shutdown(wanted, lists):
        return False
    added = [entry.body for entry in wanted if entry.demotes(lists)]
    left = [(entry.permits, entry.body) for entry in wanted if entry.body not in added]
    return left == [(entry.permits, entry.body) for entry in runs if entry.body not in added]


def _numbered(
    entries: Sequence[Entry], before: Collection[int], demote: Callable[[Any], Any]
) -> Iterator[tuple[int, bool, Any]]:
    """Yield the entries with those that come before some of them; all get other numbers if there is no room."""
    pairs = zip([0, *map(_number, entries)], entries, strict=False)
    has_room = all(entry.number - last > 1 for last, entry in pairs if entry.number in before)
    last, number = 0, 0
    for entry in entries:
        if entry.number in before:
            number = (last + entry.number) // 2 if has_room else number + _STEP
            yield number, True, demote(entry.body)
        number = entry.number if has_room else number + _STEP
        yield number, entry.permits, entry.body
        last = entry.number


def _number(entry: Entry) -> int:
    return entry.number
