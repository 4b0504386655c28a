"""Import policies of any platform: whether one ignores graceful shutdown, and the configuration in which none does."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from fabricgen.platforms.patching.demotion import (
    SHUTDOWN_LIST,
    CannotPrepare,
    Entry,
    demote_first,
    ignores_shutdown,
)
from fabricgen.platforms.reading.reader import Tree


class PolicyForm(NamedTuple):
    """Import policies as a platform writes them.

    Attributes:
        shutdown_lists: Returns the names of the lists that hold the community of drained routes and nothing else.
        has_list: Returns whether there is a list of communities with a name.
        put_list: Returns the tree with a list of that community.
        maps: Returns the entries of every route map.
        attached: Yields the name of every import policy that is used; more than once if several neighbors use it.
        put_map: Returns the tree with number, permission and body of all entries of a route map.
        demote: Returns the body of an entry that demotes drained routes that a given one accepts, by a list.
    """

    shutdown_lists: Callable[[Tree], Collection[str]]
    has_list: Callable[[Tree, str], bool]
    put_list: Callable[[Tree, str], Tree]
    maps: Callable[[Tree], Mapping[str, Sequence[Entry]]]
    attached: Callable[[Tree], Iterable[str]]
    put_map: Callable[[Tree, str, list[tuple[int, bool, Any]]], Tree]
    demote: Callable[[Any, str], Any]


def all_honour(tree: Tree, form: PolicyForm) -> bool:
    """Return whether no import policy accepts a drained route at the preference of others."""
    lists, maps = form.shutdown_lists(tree), form.maps(tree)
    return not any(ignores_shutdown(maps.get(name, ()), lists) for name in {*form.attached(tree)})


def make_honour(before: Tree, after: Tree, form: PolicyForm) -> Tree:
    """Return a configuration in which no import policy ignores graceful shutdown, and nothing else has changed.

    Args:
        before: What the device runs.
        after: What is intended.
        form: How its platform writes policies.

    Raises:
        CannotPrepare: The policy cannot be put into what the device runs.
    """
    shutdown = choose_list(after, form)
    tree = _with_list(before, shutdown, form)
    lists, runs, intended = form.shutdown_lists(tree), form.maps(before), form.maps(after)
    for name in dict.fromkeys(form.attached(before)):
        entries = runs.get(name, ())
        if ignores_shutdown(entries, lists):
            wanted = intended.get(name, ())
            demoted = demote_first(name, entries, wanted, shutdown, lambda body: form.demote(body, shutdown))
            tree = form.put_map(tree, name, demoted)
    return tree


def choose_list(intended: Tree, form: PolicyForm) -> str:
    """Return the name of the list of the community of drained routes: the intended one, if there is one."""
    return min(form.shutdown_lists(intended), default=SHUTDOWN_LIST)


def _with_list(tree: Tree, name: str, form: PolicyForm) -> Tree:
    """Return the tree with a list of the community of drained routes."""
    if name in form.shutdown_lists(tree):
        return tree
    if form.has_list(tree, name):
        raise CannotPrepare(f"its community list {name} holds other communities", f"rename {name} on the switch")
    return form.put_list(tree, name)
