"""Fixes: the changes a diagnostic proposes, as the user would write them, and tried before they are recommended."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from fabricgen.api.positions import written_path
from fabricgen.diagnostics import Bag, Change, Diagnostic, Fix, IntentPath, Severity, format_path
from fabricgen.diagnostics.words import and_list
from fabricgen.source import Document

Judge = Callable[[Document], Iterable[Diagnostic]]
"""Gives what the stages find in a document."""

_TRIALS_MAX = 40
"""Proposals tried in one run; each takes a plan and its checks."""
_MANY = 50
_TRIALS_OF_MANY = 2
"""So few trials where there are more diagnostics: a text with thousands of faults is not judged forty times over."""
_JUDGED_MAX = 4000
"""Values that all trials together read, and diagnostics that they find again: where there is more of either, none is
tried, for each would take as long as the run."""
_SHORT = ("count", "ipv4", "ipv6")
"""Keys whose value may be written in place of the mapping that holds them."""


def settle_fixes(document: Document, bag: Bag, judge: Judge) -> None:
    """Leave every diagnostic the first fix that mends it, and put it into the hint where it has a text of its own.

    Args:
        document: What the user wrote.
        bag: What the stages found; revised.
        judge: Gives what they find in a changed document.
    """
    if not any(item.fixes for item in bag):
        return
    before = _errors(bag)
    most = _TRIALS_MAX if len(bag) <= _MANY else _TRIALS_OF_MANY
    left = min(most, _JUDGED_MAX // (_values(document.data) + len(bag)))

    def settle(diagnostic: Diagnostic) -> Diagnostic:
        nonlocal left
        if not diagnostic.fixes:
            return diagnostic
        for fix in diagnostic.fixes:
            left -= fix.to_try
            if fix.to_try and left < 0:
                continue
            written = replace(fix, changes=tuple(_as_written(document, change) for change in fix.changes))
            if fix.to_try and not _mends(document, written, diagnostic, before, judge):
                continue
            said = fix.text or ("" if not fix.to_try or _is_said(written, diagnostic.hint) else _in_words(written))
            hint = f"{said}, or {diagnostic.hint}" if said and diagnostic.hint else said or diagnostic.hint
            return replace(diagnostic, fixes=(written,), hint=hint)
        return replace(diagnostic, fixes=())

    bag.revise(settle)


def _values(data: object) -> int:
    """Return how many values plain data holds, mappings and lists among them."""
    if isinstance(data, dict):
        return 1 + sum(map(_values, data.values()))
    return 1 + sum(map(_values, data)) if isinstance(data, list) else 1


def _is_said(fix: Fix, hint: str) -> bool:
    """Return whether a hint says the changes of a fix in its own words."""
    if len(fix.changes) > 1 and fix.changes[-1].value is None:
        # Another key takes the place of the one that is taken away.
        words = [fix.changes[0].path[-1]]
    else:
        words = ["remove" if change.value is None else _as_yaml(change.value) for change in fix.changes]
    return all(re.search(rf"(?<![\w.]){re.escape(word)}(?!\w)", hint) for word in words)


def _in_words(fix: Fix) -> str:
    """The changes of a fix, for example ``set planes.host to separate``."""
    return and_list(
        f"remove {format_path(change.path)}"
        if change.value is None
        else f"set {format_path(change.path)} to {_as_yaml(change.value)}"
        for change in fix.changes
    )


def _as_yaml(value: object) -> str:
    """Plain data as one would write it on one line."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {_as_yaml(item)}' for key, item in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_as_yaml, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def apply_fix(document: Document, fix: Fix) -> Document:
    """Return the document with the changes of a fix.

    Raises:
        KeyError: A change leads through a plain value.
    """
    for change in fix.changes:
        if change.value is not None:
            document = document.replaced(change.path, change.value)
        elif document.has(change.path):
            document = document.without(change.path)
    return document


def _errors(found: Iterable[Diagnostic]) -> set[tuple[str, IntentPath]]:
    return {(item.code, item.path) for item in found if item.severity is Severity.ERROR}


def _mends(
    document: Document, fix: Fix, diagnostic: Diagnostic, before: set[tuple[str, IntentPath]], judge: Judge
) -> bool:
    """Return whether the fault is gone with a fix, and no error is new."""
    try:
        found = [*judge(apply_fix(document, fix))]
    except KeyError:
        return False
    stays = any((item.code, item.path) == (diagnostic.code, diagnostic.path) for item in found)
    return not stays and _errors(found) <= before


def _as_written(document: Document, change: Change) -> Change:
    """A change at the path the user wrote, where ``units: 4`` may stand for ``units: {count: 4}``."""
    path = written_path(document, change.path)
    holder = path[:-1]
    if not holder or not document.is_scalar(holder):
        return Change(path, change.value)
    if path[-1] in _SHORT:
        return Change(holder, change.value)
    return Change(holder, {"count": document.value(holder), path[-1]: change.value})
