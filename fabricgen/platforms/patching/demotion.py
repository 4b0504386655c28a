"""Import policies of any platform: whether one ignores graceful shutdown.

An entry that accepts routes needs one before it that accepts the same routes at local preference 0 if they carry the
community GRACEFUL_SHUTDOWN.

Source:
    RFC 8326 section 4.2: the receiver lowers the preference of a path that carries GRACEFUL_SHUTDOWN.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from fabricgen.platforms.reading.reader import Tree


class PolicyEntry(NamedTuple):
    """An entry of a policy.

    Attributes:
        permits: It accepts the routes that it matches.
        conditions: What a route has to meet, but for its communities.
        communities: The list of communities of which a route has to carry one; empty for none.
        last: It gives a route the local preference 0.
        native: The platform demotes drained routes behind it by itself.
    """

    number: int
    permits: bool
    conditions: Mapping[str, Any]
    communities: str
    last: bool
    native: bool = False

    def demotes(self, lists: Collection[str]) -> bool:
        """Return whether it demotes drained routes, with the lists of their community."""
        return self.permits and self.last and (not self.communities or self.communities in lists)


def ignores_shutdown(entries: Iterable[PolicyEntry], lists: Collection[str]) -> bool:
    """Return whether a policy accepts a drained route at the preference of others.

    Args:
        entries: Of the policy.
        lists: Names of the lists that hold the community of drained routes, and nothing else.
    """
    return next(_too_early(sorted(entries, key=_number), lists), None) is not None


def _too_early(entries: Iterable[PolicyEntry], lists: Collection[str]) -> Iterator[PolicyEntry]:
    """Yield the entries that accept drained routes before one demotes them."""
    demoted: list[Mapping[str, Any]] = []
    for entry in entries:
        if entry.demotes(lists):
            demoted.append(entry.conditions)
        elif not entry.permits or entry.last or entry.native:
            continue
        elif not any(not each or each == entry.conditions for each in demoted):
            yield entry


def _number(entry: PolicyEntry) -> int:
    return entry.number


class PolicyForm(NamedTuple):
    """Import policies as a platform writes them.

    Attributes:
        shutdown_lists: Returns the names of the lists that hold the community of drained routes and nothing else.
        maps: Returns the entries of every route map.
        attached: Yields the name of every import policy that is used; more than once if several neighbors use it.
    """

    shutdown_lists: Callable[[Tree], Collection[str]]
    maps: Callable[[Tree], Mapping[str, Sequence[PolicyEntry]]]
    attached: Callable[[Tree], Iterable[str]]


def all_honour(tree: Tree, form: PolicyForm) -> bool:
    """Return whether no import policy accepts a drained route at the preference of others."""
    lists, maps = form.shutdown_lists(tree), form.maps(tree)
    return not any(ignores_shutdown(maps.get(name, ()), lists) for name in {*form.attached(tree)})
