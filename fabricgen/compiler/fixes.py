"""Fixes: the changes a diagnostic proposes, as the user would write them."""

from __future__ import annotations

import re
from dataclasses import replace

from fabricgen.compiler.positions import written_path
from fabricgen.diagnostics import Bag, Diagnostic, Fix, KeyChange, format_path
from fabricgen.diagnostics.words import and_list
from fabricgen.source import Document

_SHORT = ("count", "ipv4", "ipv6")
"""Keys whose value may be written in place of the mapping that holds them."""


def settle_fixes(document: Document, bag: Bag) -> None:
    """Leave every diagnostic its first fix as the user would write it, and put it into the hint where it has a text.

    Args:
        document: What the user wrote.
        bag: What the stages found; revised.
    """

    def settle(diagnostic: Diagnostic) -> Diagnostic:
        if not diagnostic.fixes:
            return diagnostic
        fix = diagnostic.fixes[0]
        written = replace(fix, changes=tuple(_as_written(document, change) for change in fix.changes))
        suggestion = fix.text or ("" if not fix.hinted or _is_in_hint(written, diagnostic.hint) else _in_words(written))
        hint = (
            f"{suggestion}, or {diagnostic.hint}" if suggestion and diagnostic.hint else suggestion or diagnostic.hint
        )
        return replace(diagnostic, fixes=(written,), hint=hint)

    bag.revise(settle)


def _is_in_hint(fix: Fix, hint: str) -> bool:
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


def _as_written(document: Document, change: KeyChange) -> KeyChange:
    """A change at the path the user wrote, where ``units: 4`` may stand for ``units: {count: 4}``."""
    path = written_path(document, change.path)
    holder = path[:-1]
    if not holder or not document.is_scalar(holder):
        return KeyChange(path, change.value)
    if path[-1] in _SHORT:
        return KeyChange(holder, change.value)
    return KeyChange(holder, {"count": document.value(holder), path[-1]: change.value})
