"""Outcomes of a collection as diagnostics and rows: the same cause on many devices is one line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from fabricgen.collect.collect_codes import NO_STATE
from fabricgen.collect.gather import CollectOutcome
from fabricgen.collect.target import Failure
from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.words import name_few

_SHOWN = 8
"""Devices that a line names, and lines of one code that stand apart."""


def report_outcomes(outcomes: Sequence[CollectOutcome], bag: Bag) -> None:
    """Report devices that were not collected, and readings that they did not give."""
    failed = [(outcome, outcome.failure) for outcome in outcomes if outcome.failure is not None]
    for _, of_code in groupby(sorted(failed, key=lambda pair: pair[1].code.id), key=lambda pair: pair[1].code.id):
        causes: dict[tuple[str, str], list[tuple[CollectOutcome, Failure]]] = {}
        for outcome, failure in of_code:
            causes.setdefault((failure.message, failure.hint), []).append((outcome, failure))
        groups = list(causes.values())
        if len(groups) > _SHOWN:
            rest = [pair for group in groups[_SHOWN - 1 :] for pair in group]
            groups = [*groups[: _SHOWN - 1], rest]
        for group in groups:
            _report(group, bag)
    _report_unread(outcomes, bag)


def _report(group: Sequence[tuple[CollectOutcome, Failure]], bag: Bag) -> None:
    """Report devices with one cause, or those that are too many to report each."""
    outcome, failure = group[0]
    old = [each for each, _ in group if each.old]
    if len(group) == 1:
        stays = f"; the files of {outcome.old} stay" if outcome.old else ""
        message = f"{outcome.target.name} ({outcome.target.address}): {failure.message}{stays}"
        bag.add(failure.code, message, hint=failure.hint, device=outcome.target.name)
        return
    stays = f"; older files of {len(old)} of them stay" if old else ""
    same = len({each.message for _, each in group}) == 1
    cause = failure.message if same else f"{failure.code.title[0].lower()}{failure.code.title[1:]}"
    bag.add(failure.code, f"{len(group)} devices: {cause}: {_name(each for each, _ in group)}{stays}", hint="")


def _report_unread(outcomes: Sequence[CollectOutcome], bag: Bag) -> None:
    causes: dict[tuple[str, str], list[CollectOutcome]] = {}
    for outcome in outcomes:
        if outcome.failure is None:
            for state, cause in outcome.unread:
                causes.setdefault((state, cause), []).append(outcome)
    for (state, cause), found in causes.items():
        bag.add(NO_STATE, f"{state}: {cause}: {_name(found)}")


def _name(outcomes: Iterable[CollectOutcome]) -> str:
    return name_few([outcome.target.name for outcome in outcomes], _SHOWN)


def to_row(outcome: CollectOutcome) -> dict[str, str | int | float]:
    """Return the row of a device."""
    target, failure = outcome.target, outcome.failure
    answers = outcome.record.answers.values() if outcome.record else ()
    taken = [answer for answer in answers if answer.file]
    return {
        "device": target.name,
        "address": target.address,
        "platform": " ".join(target.platforms),
        "via": target.via,
        "result": "collected" if failure is None else "old" if outcome.old else "missing",
        "files": len(taken),
        "bytes": sum(answer.size_bytes for answer in taken),
        "seconds": round(outcome.seconds, 1),
        "code": failure.code.id if failure else "",
        "reason": failure.message if failure else "",
    }
