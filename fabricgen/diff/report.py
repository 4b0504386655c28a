"""A summary as text for the terminal, as JSON, and as diagnostics for other tools."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import groupby
from typing import Any

from fabricgen.diagnostics import Diagnostic, Place, Severity, register
from fabricgen.diagnostics.visible import show_line
from fabricgen.diff.diff_codes import NO_CONFIG
from fabricgen.diff.groups import CHANGE_WORDS, DRIFT_WORDS, ChangeGroup, Instance, plural
from fabricgen.diff.summary import DiffSummary
from fabricgen.diff.values import cut, number, whole_value

_declare = partial(register, severity=Severity.WARNING, source="docs/diff.md, disruption")
_WHY = "The deployed configuration is not the intended one."
_FIX = "Carry out the procedure that --patch writes, or change the intent."
CODES = {
    "hitless": _declare("FG-DIF-101", "A difference whose repair disturbs nothing", why=_WHY, fix=_FIX),
    "login": _declare("FG-DIF-107", "A difference whose repair cuts the login", why=f"{_WHY} Its repair changes how the device is reached: its management address, VRF or gateway, SSH, AAA or a management access list.", fix=f"{_FIX} Keep a session on the console open meanwhile."),  # noqa: E501
    "session reset": _declare("FG-DIF-102", "A difference whose repair resets BGP sessions", why=_WHY, fix=_FIX),
    "port flap": _declare("FG-DIF-103", "A difference whose repair takes ports down", why=_WHY, fix=_FIX),
    "drain": _declare("FG-DIF-104", "A difference whose repair needs the device drained", why=_WHY, fix=_FIX),
    "reboot": _declare("FG-DIF-105", "A difference whose repair reboots the device", why=_WHY, fix=_FIX),
}  # fmt: skip
"""A code per disruption."""
MEMBERSHIP = _declare(
    "FG-DIF-106",
    "A device that only one side has, or that is another box",
    why="The fabric grows or shrinks by it, or its asset list gives it another serial number or MAC address.",
    fix="No action is needed if this is intended.",
)
_NAMED_MAX = 8
_RANGE_MIN = 2
"""Names that are no range yet."""
_NUMBER = re.compile(r"([0-9]{1,9})")
_KINDS = {"switches": "switch", "hosts": "host"}


def write_text(summary: DiffSummary, *, details: bool = False, unmanaged: bool = False) -> str:
    """Write for people: by disruption, each kind of change in a line, an example, and the intent that decides it."""
    lines = list_first(summary)
    for disruption, groups in groupby(summary.groups(), key=lambda group: group.disruption):
        listed = list(groups)
        members = {id(member) for group in listed for member in group.members}
        names = [verdict.name for verdict in summary.verdicts if id(verdict) in members]
        lines.append(f"{disruption}: {list_names(names)}")
        for group in listed:
            lines.append(f"  {group.headline()}")
            lines += [f"    {show_line(condition)}" for condition in group.conditions]
            lines += [f"    {place_of(each)}{values_of(group, each)}" for each in _instances(group, details)]
            lines += [f"    decided by {show_line(cause.text)}" for cause in group.causes]
    lines += list_rest(summary, unmanaged=unmanaged)
    lines.append(conclusion(summary, unmanaged=unmanaged))
    return "\n".join(lines) + "\n"


def list_names(names: Sequence[str], write: Callable[[str], str] = show_line, most: int = _NAMED_MAX) -> str:
    """Return names of devices in one line, alike ones as ranges, and some of them if there are many."""
    runs = _runs(names)
    left = sum(map(len, runs[most:]))
    return ", ".join(write(_range(run)) for run in runs[:most]) + (f" and {left:,} more" if left else "")


def to_data(summary: DiffSummary, diagnostics: list[Diagnostic], *, details: bool, unmanaged: bool) -> dict[str, Any]:
    """Return everything for programs, with whole values."""
    totals = summary.totals
    return {
        "clean": totals.is_clean(unmanaged=unmanaged),
        "compared_with": "devices" if summary.is_drift else "revision",
        "worst": summary.worst(),
        "devices": {
            "compared": totals.compared,
            "different": totals.different,
            "failed": totals.failed,
            "added": totals.added,
            "removed": totals.removed,
            "exchanged": totals.exchanged,
        },
        "intent": summary.intent,
        "waves": [
            {"disruption": word, "devices": [verdict.name for verdict in verdicts]}
            for word, verdicts in summary.waves().items()
        ],
        "changes": totals.changes,
        "groups": [_group_data(group, details) for group in summary.groups()],
        "unmanaged": dict(sorted(totals.unmanaged.items())),
        "negated": dict(sorted(totals.negated.items())),
        "not_collected": dict(sorted(totals.absent.items())),
        "kinds_not_collected": dict(sorted(totals.missing.items())),
        "secrets_not_compared": totals.secrets,
        "diagnostics": [
            {
                "code": found.code,
                "severity": found.severity.value,
                "device": found.device,
                "message": found.message,
                "place": str(found.place),
                "waived": asdict(found.waived) if found.waived else None,
            }
            for found in diagnostics
        ],
    }


def to_diagnostics(summary: DiffSummary, *, details: bool = False) -> list[Diagnostic]:
    """Return each kind of change once, or each change, at the intent that decides it if that is known."""
    found = []
    for group in summary.groups():
        code, place = CODES[group.disruption], _place(group)
        both = "".join(f"; {condition}" for condition in group.conditions)
        for instance in _instances(group, details):
            if details:
                message = f"{place_of(instance)}: {group.title_line()}{values_of(group, instance)}{both}"
            else:
                message = f"{group.headline()}, for example {place_of(instance)}{both}"
            device = instance.device if details else ""
            found.append(Diagnostic(code.id, code.severity, message, hint=code.hint, place=place, device=device))
    members = _list_members(summary, show_line)
    found += [Diagnostic(MEMBERSHIP.id, MEMBERSHIP.severity, each, hint=MEMBERSHIP.hint) for each in members]
    return found


def conclusion(summary: DiffSummary, *, unmanaged: bool = False) -> str:
    """Return the whole in one sentence."""
    totals, noun = summary.totals, "difference" if summary.is_drift else "change"
    failed = f"; {_count(totals.failed, 'device')} could not be compared" if totals.failed else ""
    if totals.is_clean(unmanaged=unmanaged) and not totals.compared:
        return f"nothing was compared{failed}"
    if totals.is_clean(unmanaged=unmanaged):
        return f"no {noun} on {_count(totals.compared, 'device')}{failed}"
    worst = f", at worst: {summary.worst()}" if summary.worst() else ""
    members = [f"{_count(len(names), 'device')} {word}" for word, names in _membership(summary)]
    devices = totals.compared + len(totals.added) + len(totals.removed)
    members += [f"{_count(len(totals.exchanged), 'device')} exchanged"] if totals.exchanged else []
    parts = [f"{_count(totals.changes, noun)} on {totals.different:,} of {_count(devices, 'device')}", *members]
    if unmanaged and totals.unmanaged:
        parts.append(f"{_count(totals.unmanaged.total(), 'file')} not ours")
    return f"{', '.join(parts)}{worst}{failed}"


def place_of(instance: Instance) -> str:
    """Return the device, file and path of an instance."""
    return show_line(" ".join(part for part in (instance.device, instance.path, " > ".join(instance.steps)) if part))


def values_of(group: ChangeGroup, instance: Instance) -> str:
    """Return the values of an instance where the headline does not have them."""
    if group.values == 1:
        return ""
    return f": {number(cut(instance.before))} → {number(cut(instance.after))}"


def list_first(summary: DiffSummary, write: Callable[[str], str] = show_line) -> list[str]:
    """Return the lines that an approver reads first: the change of intent, devices that come, go or are exchanged."""
    return [*([f"intent: {write(summary.intent)}"] if summary.intent else []), *_list_members(summary, write)]


def _list_members(summary: DiffSummary, write: Callable[[str], str]) -> list[str]:
    """Return the lines about devices that come, go or are exchanged."""
    exchanged = summary.totals.exchanged
    lines = [f"{word}: {name_devices(names, write)}" for word, names in _membership(summary)]
    return lines + ([f"exchanged: {list_names(exchanged, write)}"] if exchanged else [])


def name_devices(names: Sequence[str], write: Callable[[str], str] = show_line) -> str:
    """Return how many devices there are, and their names, alike ones as ranges."""
    return f"{_count(len(names), 'device')}: {list_names(names, write)}"


def fold_ranges(names: Sequence[str]) -> list[str]:
    """Return names with those that only count up in one number as a range, such as ``gpu-u003-h01 … gpu-u003-h04``."""
    return [_range(run) for run in _runs(names)]


def _runs(names: Sequence[str]) -> list[list[str]]:
    """Return names in runs: several that only count up in one number, each of the others by itself."""
    folded: list[list[str]] = []
    steps: list[tuple[int, int] | None] = []
    for name in names:
        step = _step(folded[-1][-1], name) if folded else None
        if step is not None and steps[-1] in (None, step):
            folded[-1].append(name)
            steps[-1] = step
        else:
            folded.append([name])
            steps.append(None)
    return [each for run in folded for each in ([run] if len(run) > _RANGE_MIN else [[name] for name in run])]


def _range(run: Sequence[str]) -> str:
    return f"{run[0]} … {run[-1]}" if len(run) > 1 else run[0]


def _step(one: str, other: str) -> tuple[int, int] | None:
    """Return which part of a name counts up to the next one, and by how much; None if they differ otherwise."""
    pair = _NUMBER.split(one), _NUMBER.split(other)
    differing = [at for at, (old, new) in enumerate(zip(*pair, strict=False)) if old != new]
    if len(pair[0]) != len(pair[1]) or len(differing) != 1 or not pair[1][differing[0]].isdecimal():
        return None
    step = int(pair[1][differing[0]]) - int(pair[0][differing[0]])
    return (differing[0], step) if step > 0 else None


def list_rest(summary: DiffSummary, write: Callable[[str], str] = show_line, *, unmanaged: bool = False) -> list[str]:
    """Return the lines about what is no change."""
    totals, lines = summary.totals, []
    parts = [f"all {_count(count, _KINDS.get(kind, 'device'))}" for kind, count in sorted(totals.missing.items())]
    parts += [f"{write(path)} of {_count(count, 'device')}" for path, count in sorted(totals.absent.items())]
    if parts:
        lines.append(f"not collected: {', '.join(parts)}")
    if totals.unmanaged:
        named = ", ".join(map(write, sorted(totals.unmanaged)))
        count = f"{totals.unmanaged.total():,} (--unmanaged lists them)"
        lines.append(f"unmanaged, not ours: {named if unmanaged else count}")
    if totals.negated:
        named = list_names(sorted(totals.negated), write)
        lines.append(f"off on the device, left alone because its default is not known: {named}")
    if totals.secrets:
        lines.append(count_secrets(totals.secrets))
    return lines


def count_secrets(places: int) -> str:
    """Return the line about secrets that one side only refers to."""
    return f"secret not compared: {_count(places, 'place')}"


def _membership(summary: DiffSummary) -> list[tuple[str, list[str]]]:
    """Return the devices that only one side has, with the word for it."""
    words = DRIFT_WORDS if summary.is_drift else CHANGE_WORDS
    pairs = ((words["add"], summary.totals.added), (words["remove"], summary.totals.removed))
    return [(word, names) for word, names in pairs if names]


def _count(number_: int, noun: str) -> str:
    return f"{number_:,} {noun if number_ == 1 else plural(noun)}"


def _instances(group: ChangeGroup, details: bool) -> list[Instance]:
    return group.details if details and group.details else [group.first]


def _group_data(group: ChangeGroup, details: bool) -> dict[str, Any]:
    example = _instance_data(group.first)
    data: dict[str, Any] = {
        "disruption": group.disruption,
        "title": group.title,
        "action": group.action,
        "word": group.words[group.action],
        "before": example["before"] if group.values == 1 else None,
        "after": example["after"] if group.values == 1 else None,
        "unit": group.unit,
        "values": group.values,
        "devices": group.devices,
        "names": [member.name for member in group.members],
        "count": group.things,
        "counted": group.noun or "place",
        "both_ends": group.takes_both_ends,
        "remedy": group.first.file.remedy,
        "example": example,
        "causes": [cause.text for cause in group.causes],
    }
    if details:
        data["details"] = [_instance_data(instance) for instance in group.details]
    return data


def _instance_data(instance: Instance) -> dict[str, Any]:
    change, redaction = instance.change, instance.redaction
    return {
        "device": instance.device,
        "file": instance.path,
        "path": list(instance.steps),
        "before": whole_value(change.before, change.steps, redaction),
        "after": whole_value(change.after, change.steps, redaction),
    }


def _place(group: ChangeGroup) -> Place:
    """Return the intent that decides a group, else the deployed file of its representative."""
    for cause in group.causes:
        if cause.place is not None:
            return cause.place
    return Place(group.first.file.shown or f"{group.first.device}/{group.first.path}", 1, 1)


def fold_missing(found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return diagnostics with one for all devices that were not collected."""
    missing = [item for item in found if item.code == NO_CONFIG.id]
    if len(missing) < 2:
        return [*found]
    first, names = missing[0], list_names([item.device for item in missing])
    side = first.place.file if first.place else "the deployed side"
    message = f"{side} has no configuration of {len(missing)} devices: {names}"
    folded = replace(first, message=message, hint="collect them, or choose the others with --only", device="")
    return [folded if item is first else item for item in found if item is first or item.code != NO_CONFIG.id]
