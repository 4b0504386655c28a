"""Waivers: diagnostics with an accepted risk and an expiry date, from ``waivers.yaml`` beside the intent."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date
from difflib import get_close_matches
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from fabricgen.catalog.library import KNOWN_FAULTS
from fabricgen.compiler.positions import written_path
from fabricgen.diagnostics import Bag, Diagnostic, IntentPath, Place, Severity, Waiver, format_path, lookup, register
from fabricgen.diagnostics.registry import RETIRED
from fabricgen.intent.waivers import AREA, read_waivers
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.source import Document, load_data

WAIVER_FILE = "waivers.yaml"
declare = partial(register, source="docs/intent.md, waivers")

MALFORMED = declare(
    "FG-WVR-001",
    "Malformed waiver",
    why="It is unclear which diagnostic would be waived, by whom or for how long.",
    fix="Write code, owner, expires as YYYY-MM-DD and reason; add path to waive one place only.",
)
EXPIRED = declare(
    "FG-WVR-002",
    "Expired waiver or override",
    why="The risk was taken for a while that is over.",
    fix="Fix what was waived or remove the override, or have the owner decide again.",
)
IDLE = declare(
    "FG-WVR-003",
    "Waiver that matches nothing",
    severity=Severity.WARNING,
    why="What it waived is mended, or code, path or fault is misspelt and the diagnostic still counts.",
    fix="Remove it, or correct code, path and fault.",
)
NOT_WAIVABLE = declare(
    "FG-WVR-004",
    "Waiver of an error that cannot be waived",
    why="The configuration would be wrong, not merely risky.",
    fix="Fix the error; what can be waived is marked so by `fabricgen explain`.",
)
RETIRED_CODE = declare(
    "FG-WVR-005",
    "Waiver of a code that is another one now",
    severity=Severity.INFO,
    why="It holds for the code that took its place; the file is easier to read with that one.",
    fix="Write the code that took its place.",
)
ENDS_SOON = declare(
    "FG-WVR-011",
    "Waiver or override that ends soon",
    severity=Severity.WARNING,
    why="After its last day it is an error, and the fabric no longer renders.",
    fix="Fix what it covers, or have the owner decide again.",
)
_PATTERNS_MAX = 1000
"""Each may have to be held against every diagnostic."""
SOON_DAYS = 14
"""Time before its last day at which the end of a waiver is announced."""


def list_waived(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return what every report shows, whatever else it is about: what is waived, and what is said of waivers."""
    return [item for item in found if item.waived or item.code.startswith(AREA)]


def apply_waivers(folder: Path, intent: Document, bag: Bag, today: date | None, *, overlaid: bool = False) -> None:
    """Mark every diagnostic in the bag that the inventory waives; the bag receives what is wrong with the waivers.

    Waivers that end before ``today`` are errors; None judges no date. With ``overlaid`` the intent has an overlay on
    it, which may mend what a waiver is needed for without it; a waiver that matches nothing is then no finding.
    """
    running = _read_running(folder, bag, today)
    used = _waive(running, intent, bag)
    for entry in running:
        code = lookup(entry.code)
        if code is not None and not code.waivable:
            bag.add(NOT_WAIVABLE, f"{entry.code} ({code.title.lower()}) cannot be waived", place=entry.place)
        elif entry not in used and not overlaid:
            where = f" at {entry.pattern}" * bool(entry.pattern) + f" of {entry.fault}" * bool(entry.fault)
            met = [item.record[1] for item in bag if item.record[:1] == (KNOWN_FAULTS,)]
            near = get_close_matches(entry.fault, met, 1, 0.85)
            hint = f"did you mean {near[0]}?" if near else ""
            bag.add(IDLE, f"no diagnostic {entry.code} is reported{where}", place=entry.place, hint=hint)


def waive_more(folder: Path, intent: Document, bag: Bag, today: date | None) -> None:
    """Mark what was found after compiling; what is wrong with the waivers was reported then."""
    _waive(_read_running(folder, Bag(), today), intent, bag)


def _read_running(folder: Path, bag: Bag, today: date | None) -> list[Waived]:
    """The waivers of an inventory that are not over."""
    file = folder / WAIVER_FILE
    document = load_data(file, bag, inside=folder) if os.path.lexists(file) else None
    return [entry for entry in _entries(document, bag) if not _is_over(entry, today, bag)] if document else []


def _waive(running: list[Waived], intent: Document, bag: Bag) -> set[Waived]:
    """Mark every diagnostic in the bag that a waiver covers; return the waivers that cover one."""
    used = set[Waived]()

    @cache
    def of_fault(name: str) -> WaiverIndex:
        return WaiverIndex(entry for entry in running if entry.fault in ("", name))

    def choose(diagnostic: Diagnostic) -> Waiver | None:
        code, path = lookup(diagnostic.code), format_path(written_path(intent, diagnostic.path))
        fault = diagnostic.record[1] if diagnostic.record[:1] == (KNOWN_FAULTS,) else ""
        found = of_fault(fault).find(diagnostic.code, path)
        if found is None or code is None:
            return None
        used.add(found)
        return found.waiver if code.waivable else None

    bag.waive(choose)
    return used


def _unwaived(path: IntentPath, diagnostic: Diagnostic) -> Diagnostic:
    """A diagnostic on an override that counts again; any other as it is."""
    return replace(diagnostic, waived=None) if diagnostic.path[: len(path)] == path else diagnostic


def _is_over(entry: Waived, today: date | None, bag: Bag) -> bool:
    left, words = days_left(entry.waiver.expires, today), f"the waiver of {entry.code} by {entry.waiver.owner}"
    if left < 0:
        bag.add(EXPIRED, f"{words} expired on {entry.waiver.expires}", place=entry.place)
    elif left <= SOON_DAYS:
        bag.add(ENDS_SOON, f"{words} expires on {entry.waiver.expires}, {_in_days(left)}", place=entry.place)
    return left < 0


def days_left(expires: str, today: date | None) -> int:
    """Return the days from today to the last day of a waiver; below 0 after it, more than any if no date is judged."""
    return (date.fromisoformat(expires) - today).days if today else date.max.toordinal()


def _in_days(left: int) -> str:
    return {0: "today", 1: "tomorrow"}.get(left, f"in {left} days")


def check_override_dates(plan: FabricPlan, bag: Bag, today: date | None) -> None:
    """Report every override of the plan's snippets whose last day is over or near; None judges no date."""
    for device, exception in sorted(plan.exceptions.switches.items()):
        for snippet in exception.raw:
            if not snippet.expires:
                continue
            left, path = days_left(snippet.expires, today), (*snippet.named_at, "expires")
            words = f"the overrides of {snippet.file} on {plan.device_name(device)}, owned by {snippet.owner},"
            if left < 0:
                bag.revise(partial(_unwaived, (*snippet.named_at, "overrides")))
                bag.add(EXPIRED, f"{words} expired on {snippet.expires}", path)
            elif left <= SOON_DAYS:
                bag.add(ENDS_SOON, f"{words} expire on {snippet.expires}, {_in_days(left)}", path)


def _entries(document: Document, bag: Bag) -> Iterator[Waived]:
    """The sound entries of the file; what is wrong with the others goes into the bag."""
    entries, faults = read_waivers(document)
    if any(fault.path[-1:] == ("code",) for fault in faults):
        from fabricgen.snippets import changed, load  # noqa: F401 - their codes, which an inventory without any lacks

        entries, faults = read_waivers(document)
    for fault in faults:
        place = document.place(fault.path, on_key=fault.on_key)
        bag.add(MALFORMED, fault.message, place=place, hint=fault.hint or MALFORMED.hint)
    patterns = 0
    for index, entry in entries:
        patterns += ANY in entry.path
        if patterns > _PATTERNS_MAX and ANY in entry.path:
            if patterns == _PATTERNS_MAX + 1:
                message = f"this is waiver {patterns} with {ANY} in its path; {_PATTERNS_MAX} are read"
                place = document.place(document.to_path((index, "path")))
                bag.add(MALFORMED, message, place=place, hint="write whole paths")
            continue
        place = document.place(document.to_path((index, "code")))
        code = RETIRED.get(entry.code, entry.code)
        if code != entry.code:
            new = lookup(code)
            hint = f"write {code}" if new is not None and new.waivable else "remove it: an info needs no waiver"
            bag.add(RETIRED_CODE, f"{entry.code} is {code} now", place=place, hint=hint)
            if new is None or not new.waivable:
                continue
        yield Waived(code, entry.path, Waiver(entry.owner, entry.expires, entry.reason), place, entry.fault)


ANY = "*"
"""Stands for any text in the path of a waiver."""


class Waived(NamedTuple):
    """One entry of the file.

    ``pattern`` is an intent path with ``*`` for any text, ``fault`` the name of a known fault; each is empty for all.
    """

    code: str
    pattern: str
    waiver: Waiver
    place: Place | None
    fault: str = ""


def _compile_pattern(pattern: str) -> re.Pattern[str]:
    """A pattern of paths; each text between two ``*`` is taken where it stands first, and none is tried again."""
    head, *middle, tail = map(re.escape, pattern.split(ANY))
    return re.compile("".join([head, *(f"(?>.*?{text})" for text in middle), f".*{tail}"]))


class WaiverIndex:
    """Finds the first waiver of the file that covers a diagnostic."""

    def __init__(self, entries: Iterable[Waived]) -> None:
        """Sort the entries by code and kind of path; one without a path is of all places."""
        self._exact: dict[tuple[str, str], tuple[int, Waived]] = {}
        self._patterns: dict[str, list[tuple[re.Pattern[str], tuple[int, Waived]]]] = {}
        for placed in enumerate(entries):
            code, pattern = placed[1][:2]
            if ANY in pattern:
                self._patterns.setdefault(code, []).append((_compile_pattern(pattern), placed))
            else:
                self._exact.setdefault((code, pattern), placed)

    def find(self, code: str, path: str) -> Waived | None:
        """Return the first entry for a code at a path; None if there is none."""
        matching = (placed for pattern, placed in self._patterns.get(code, ()) if pattern.fullmatch(path))
        found = [self._exact.get((code, "")), self._exact.get((code, path)), next(matching, None)]
        return min(filter(None, found), default=(0, None))[1]
