"""Files of others that a system merges with one of ours: the values of ours that they override."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from fabricgen.diagnostics.file_codes import NOT_READ
from fabricgen.diff.diff_codes import UNJUDGED
from fabricgen.diff.kinds import FileKind
from fabricgen.diff.sides import File, Unreadable, decode
from fabricgen.diff.tree_changes import Steps, TreeComparison, compare_trees
from fabricgen.platforms.patching.steps import Change
from fabricgen.platforms.reading.file_format import generic_format
from fabricgen.platforms.reading.reader import ReadFault, Tree, matches
from fabricgen.platforms.reading.semantics import Meaning, MergedEntry

_TRUTH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
"""Words that systems take for a truth value where ours is one."""


class Merged(NamedTuple):
    """A file of others that a system merges with ours by a rule: it wins, or only its lists are joined with ours."""

    path: str
    file: File
    wins: bool
    entry: MergedEntry


class Overridden(NamedTuple):
    """A file of others, and values of ours that have another one in effect in it; or why it cannot be read."""

    path: str
    file: File
    found: TreeComparison | Unreadable


def list_merged(kind: FileKind, found: Mapping[str, File]) -> list[Merged]:
    """Return the files among others that a system merges with one of ours, in the order in which it takes them."""
    ranked = []
    for rank, entry in enumerate(kind.semantics.merged):
        for path, file in found.items():
            if path.count("/") == entry.files.count("/") and matches(entry.files, path):
                name = PurePosixPath(path).name
                comes_last = entry.order == "last"
                merged = Merged(path, file, comes_last or name > kind.name, entry)
                ranked.append(((comes_last, name, rank), merged))
    return [merged for _, merged in sorted(ranked, key=lambda pair: pair[0])]


def find_overridden(ours: Tree, kind: FileKind, merged: Iterable[Merged]) -> Iterator[Overridden]:
    """Yield what files of others, in the order in which the system takes them, make of ours as it should be."""
    sources: dict[Steps, Merged] = {}
    effective = ours
    for each in merged:
        read = _read(kind, each, ours)
        if isinstance(read, Unreadable):
            yield Overridden(each.path, each.file, read)
            continue
        tree, unjudged = read
        effective = _overlay(effective, tree, each, (kind.semantics.root, ()), sources)
        yield from (Overridden(each.path, each.file, Unreadable(UNJUDGED, reason)) for reason in unjudged)
    found: dict[Merged, list[Change]] = {}
    for change in compare_trees(effective, ours, kind.semantics).changes:
        found.setdefault(sources[change.steps], []).append(change)
    for each, changes in found.items():
        yield Overridden(each.path, each.file, TreeComparison(changes, [], []))


def _read(kind: FileKind, merged: Merged, ours: Tree) -> tuple[Tree, list[str]] | Unreadable:
    """Return the tree of a file of others, in the steps of our file, and what of it may change ours all the same."""
    data = merged.file.load()
    text = data if isinstance(data, Unreadable) else decode(data)
    if isinstance(text, Unreadable):
        return text
    if all(line.strip()[:1] in ("", "#", ";") for line in text.split("\n")):
        return {}, []
    read, unjudged = kind.format.read_merged, kind.format.list_unjudged
    try:
        tree = read(text, merged.path, ours) if read else generic_format(merged.path).read(text)
        return tree, [*unjudged(text, merged.path, ours)] if unjudged else []
    except ReadFault as fault:
        return Unreadable(NOT_READ, str(fault), max(fault.line, 1))


def _overlay(ours: Tree, theirs: Tree, by: Merged, at: tuple[Meaning, Steps], sources: dict[Steps, Merged]) -> Tree:
    """Return a tree of ours with the values that another file gives to what ours sets."""
    result = dict(ours)
    for key, value in theirs.items():
        if key not in ours:
            continue
        meaning, steps = at[0].child(key), (*at[1], key)
        mine = result[key]
        if isinstance(mine, dict) and isinstance(value, dict):
            result[key] = _overlay(mine, value, by, (meaning, steps), sources)
            continue
        effective = _combine(mine, value, meaning, wins=by.wins)
        if effective != mine:
            result[key], sources[steps] = effective, by
    return result


def _combine(mine: Any, value: Any, meaning: Meaning, *, wins: bool) -> Any:
    """Return what is in effect of a value of ours and that of another file; an empty first item empties a list."""
    if value is None:
        return mine
    if isinstance(mine, list) and isinstance(value, list) and meaning.get("merged") != "whole":
        cleared, items = value[:1] == [""], [item for item in value if item != ""]
        kept = [] if cleared and wins else mine
        return [*kept, *(item for item in items if item not in kept)]
    return _typed(value, mine) if wins else mine


def _typed(value: Any, mine: Any) -> Any:
    """Return a value in the type of ours, where that is another spelling of it."""
    if isinstance(mine, bool) and not isinstance(value, bool):
        return _TRUTH.get(str(value).lower(), value)
    if str(value) == str(mine):
        return mine
    return value
