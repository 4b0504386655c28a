"""Consequences of an error that is already reported: guessed values, and findings that rest on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fabricgen.catalog import Catalog
from fabricgen.diagnostics import Diagnostic, IntentPath, Severity
from fabricgen.intent.fabric import FabricIntent
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.source import Document, Draft


def drop_follow_ups(found: Iterable[Diagnostic], guessed: frozenset[IntentPath]) -> list[Diagnostic]:
    """Return the diagnostics that rest on no guessed value.

    Args:
        found: What the stages after the guess found.
        guessed: Paths whose value was replaced or left out because of an error that is reported.
    """
    return [item for item in found if not _rests_on(item, guessed)]


def unknown_names(intent: FabricIntent, catalog: Catalog, platforms: Mapping[str, PlatformSpec]) -> set[IntentPath]:
    """Return every path that names a model or a platform of which nothing is known, not even a likely meaning."""
    tiers = intent.tiers.items()
    groups = intent.hosts.items()
    named = {("tiers", name, "model"): tier.model in catalog.switches for name, tier in tiers}
    named |= {("tiers", name, "platform"): tier.platform in platforms for name, tier in tiers}
    named |= {("hosts", name, "nic"): group.nic in catalog.nics for name, group in groups}
    named |= {("hosts", name, "server"): group.server in catalog.servers for name, group in groups}
    named |= {("hosts", name, "os"): group.os in platforms for name, group in groups}
    return {path for path, known in named.items() if not known}


def without_faults(document: Document, found: Iterable[Diagnostic]) -> Document:
    """Return the document without every value that an error is about, for what needs a fabric that can be rendered.

    Exceptions stay, as each is judged on its own.
    """
    return document.changed(lambda draft: _leave_out(draft, found))


def _leave_out(draft: Draft, found: Iterable[Diagnostic]) -> None:
    for item in found:
        if item.severity is Severity.ERROR and item.path[:1] != ("exceptions",) and draft.has(item.path or ("",)):
            draft.remove(item.path)


def _rests_on(item: Diagnostic, guessed: frozenset[IntentPath]) -> bool:
    """Return whether the value of a diagnostic, or one that takes part, is a guessed one or stands in it."""
    paths = (item.path, *(other.path for other in item.related)) if guessed else ()
    return any(path[:depth] in guessed for path in paths for depth in range(len(path) + 1))
