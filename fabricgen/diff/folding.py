"""Faults that many devices share, as one line for people; other formats have one for each device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fabricgen.diagnostics import Diagnostic
from fabricgen.diff.diff_codes import NO_CONFIG
from fabricgen.diff.report import list_names


def fold_missing(found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return diagnostics with one for all devices that were not collected.

    Args:
        found: Diagnostics of a comparison.
    """
    missing = [item for item in found if item.code == NO_CONFIG.id]
    if len(missing) < 2:
        return [*found]
    first, names = missing[0], list_names([item.device for item in missing])
    side = first.place.file if first.place else "the deployed side"
    message = f"{side} has no configuration of {len(missing)} devices: {names}"
    folded = replace(first, message=message, hint="collect them, or choose the others with --only", device="")
    return [folded if item is first else item for item in found if item is first or item.code != NO_CONFIG.id]
