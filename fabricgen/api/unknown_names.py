"""Every place at which an intent names a model or a platform that is not known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from fabricgen.catalog.catalog_codes import UNKNOWN_MODEL, UNSAFE_NAME
from fabricgen.diagnostics import Change, Diagnostic, IntentPath, Related
from fabricgen.intent.fabric import FabricIntent
from fabricgen.platforms.manifest.platform_codes import UNKNOWN_PLATFORM

_CODES = frozenset(code.id for code in (UNKNOWN_MODEL, UNSAFE_NAME, UNKNOWN_PLATFORM))


def name_each_place(found: Iterable[Diagnostic], intent: FabricIntent) -> list[Diagnostic]:
    """Return the diagnostics, those on an unknown name with all of its places beside the first.

    Args:
        found: What reading the records that an intent names has found.
        intent: The intent.
    """
    return [_with_places(item, intent) if item.code in _CODES else item for item in found]


def _with_places(item: Diagnostic, intent: FabricIntent) -> Diagnostic:
    """The diagnostic on a name; a fix changes the name at all places, as one of them alone would mend nothing."""
    names = dict(_list_names(intent))
    name = names.get(item.path)
    others = [path for path, other in names.items() if other == name and path != item.path and _alike(path, item.path)]
    if name is None or not others:
        return item
    fixes = tuple(
        replace(fix, changes=(*fix.changes, *(Change(path, fix.changes[0].value) for path in others)))
        for fix in item.fixes
    )
    return replace(
        item, related=(*item.related, *(Related("it is named here as well", path) for path in others)), fixes=fixes
    )


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
