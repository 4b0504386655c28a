"""Consequences of an error that is already reported: guessed values, and findings that rest on them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace

from fabricgen.catalog import Catalog
from fabricgen.catalog.catalog_codes import UNKNOWN_MODEL, UNSAFE_NAME
from fabricgen.diagnostics import Diagnostic, IntentPath, Related, Severity
from fabricgen.intent.fabric import FabricIntent
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.platforms.platform_codes import UNKNOWN_PLATFORM
from fabricgen.source import Document, EditedTree


def drop_follow_ups(found: Iterable[Diagnostic], guessed: frozenset[IntentPath]) -> list[Diagnostic]:
    """Return the diagnostics that rest on no guessed value: none replaced or left out because of a reported error."""
    return [item for item in found if not _rests_on(item, guessed)]


def unknown_names(intent: FabricIntent, catalog: Catalog, platforms: Mapping[str, PlatformSpec]) -> set[IntentPath]:
    """Return every path that names a model or a platform of which nothing is known, not even a likely meaning."""
    known: dict[str, Container[str]] = {
        "model": catalog.switches,
        "server": catalog.servers,
        "nic": catalog.nics,
        "platform": platforms,
        "os": platforms,
    }
    named = (each for each in _list_names(intent) if each[0][0] in ("tiers", "hosts"))
    unknown = {path for path, name in named if name not in known[path[-1]]}
    return unknown | {("hosts", name, "os") for name, group in intent.hosts.items() if group.os is None}


def without_faults(document: Document, found: Iterable[Diagnostic]) -> Document:
    """Return the document without every value that an error is about, for what needs a fabric that can be rendered.

    Exceptions stay, as each is judged on its own.
    """
    return document.changed(lambda draft: _leave_out(draft, found))


def _leave_out(draft: EditedTree, found: Iterable[Diagnostic]) -> None:
    for item in found:
        if item.severity is Severity.ERROR and item.path[:1] != ("exceptions",) and draft.has(item.path or ("",)):
            draft.remove(item.path)


def _rests_on(item: Diagnostic, guessed: frozenset[IntentPath]) -> bool:
    """Return whether the value of a diagnostic, or one that takes part, is a guessed one or stands in it."""
    paths = [item.path, *(other.path for other in item.related)] if guessed else []
    # The only group of hosts may be written without its name.
    paths += [("hosts", *path[2:]) for path in paths if path[:1] == ("hosts",)]
    return any(path[:depth] in guessed for path in paths for depth in range(len(path) + 1))


_CODES = frozenset(code.id for code in (UNKNOWN_MODEL, UNSAFE_NAME, UNKNOWN_PLATFORM))


def name_each_place(found: Iterable[Diagnostic], intent: FabricIntent) -> list[Diagnostic]:
    """Return the diagnostics, those on an unknown name with all of its places beside the first."""
    return [_with_places(item, intent) if item.code in _CODES else item for item in found]


def _with_places(item: Diagnostic, intent: FabricIntent) -> Diagnostic:
    """The diagnostic on a name with its other places."""
    names = dict(_list_names(intent))
    name = names.get(item.path)
    others = [path for path, other in names.items() if other == name and path != item.path and _alike(path, item.path)]
    if name is None or not others:
        return item
    return replace(item, related=(*item.related, *(Related("it is named here as well", path) for path in others)))


def _alike(one: IntentPath, other: IntentPath) -> bool:
    """Return whether two places name the same kind of thing."""
    return (one[0], one[-1]) == (other[0], other[-1]) or one[:1] == other[:1] == ("lossless",)


def _list_names(intent: FabricIntent) -> Iterator[tuple[IntentPath, str]]:
    """Every place that names a model, a platform or a marking profile, and the name."""
    for tier, own in sorted(intent.tiers.items()):
        yield ("tiers", tier, "model"), own.model
        yield ("tiers", tier, "platform"), own.platform
    for group, host in sorted(intent.hosts.items()):
        yield ("hosts", group, "server"), host.server
        yield ("hosts", group, "nic"), host.nic
        if host.os is not None:
            yield ("hosts", group, "os"), host.os
    for name, path in intent.lossless.marking_choices():
        if isinstance(name, str):
            yield path, name
