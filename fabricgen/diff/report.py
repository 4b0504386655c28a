"""A summary as text for the terminal, as Markdown for a pull request, as JSON, and as diagnostics for other tools."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from itertools import groupby
from typing import Any

from fabricgen.diagnostics import Diagnostic, Place, Severity, register
from fabricgen.diagnostics.visible import in_markdown, show_line
from fabricgen.diff.summary import Group, Instance, Summary, number

_SOURCE = "docs/diff.md, disruption"
_WHY = "A device does not do what the intent says."
_FIX = "Apply the patch that --patch writes, or change the intent."
CODES = {
    "hitless": register("FG-DIF-101", "A difference whose repair disturbs nothing", severity=Severity.WARNING, why=_WHY, fix=_FIX, source=_SOURCE),  # noqa: E501
    "session reset": register("FG-DIF-102", "A difference whose repair resets BGP sessions", severity=Severity.WARNING, why=_WHY, fix=_FIX, source=_SOURCE),  # noqa: E501
    "port flap": register("FG-DIF-103", "A difference whose repair takes ports down", severity=Severity.WARNING, why=_WHY, fix=_FIX, source=_SOURCE),  # noqa: E501
    "drain": register("FG-DIF-104", "A difference whose repair needs the device drained", severity=Severity.WARNING, why=_WHY, fix=_FIX, source=_SOURCE),  # noqa: E501
    "reboot": register("FG-DIF-105", "A difference whose repair reboots the device", severity=Severity.WARNING, why=_WHY, fix=_FIX, source=_SOURCE),  # noqa: E501
}  # fmt: skip
"""A code per disruption."""
MEMBERSHIP = register(
    "FG-DIF-106",
    "A device that only one of two trees has",
    severity=Severity.WARNING,
    why="The fabric grows or shrinks by it.",
    fix="Nothing, if that is meant.",
    source=_SOURCE,
)
_NAMED_MAX = 8
BOTH_ENDS = "needs both ends of each session in one wave: with one end alone the session stays down"


def write_text(summary: Summary, *, details: bool = False, unmanaged: bool = False) -> str:
    """For people: by disruption, one line per kind of change, a representative, and where the intent decides it."""
    lines: list[str] = []
    for disruption, groups in groupby(summary.groups(), key=lambda group: group.disruption):
        lines.append(disruption)
        for group in groups:
            lines.append(f"  {group.headline()}")
            lines += [f"    {BOTH_ENDS}"] if group.takes_both_ends else []
            lines += [f"    {place_of(instance)}{_values(group, instance)}" for instance in _instances(group, details)]
            lines += [f"    because of {show_line(cause.text)}" for cause in group.causes]
    lines += _rest(summary, unmanaged)
    lines.append(conclusion(summary, unmanaged=unmanaged))
    return "\n".join(lines) + "\n"


def write_markdown(summary: Summary, diagnostics: list[Diagnostic], *, unmanaged: bool = False) -> str:
    """For a comment on a pull request."""
    lines = [f"### fabricgen diff: {conclusion(summary, unmanaged=unmanaged)}", ""]
    groups = summary.groups()
    if groups:
        lines += ["| disruption | change | for example | decided by |", "|---|---|---|---|"]
        for group in groups:
            cells = (
                group.disruption,
                group.headline(in_markdown) + (f"; {BOTH_ENDS}" if group.takes_both_ends else ""),
                in_markdown(place_of(group.first)),
                "<br>".join(in_markdown(cause.text) for cause in group.causes) or "–",
            )
            lines.append(f"| {' | '.join(cells)} |")
        lines.append("")
    lines += [f"* {line}" for line in _rest(summary, unmanaged, in_markdown)]
    standing = [found for found in diagnostics if found.waived or found.code.startswith("FG-WVR-")]
    others = [found for found in diagnostics if found not in standing]
    for title, listed in (("waivers", standing), ("not compared", others)):
        if listed:
            lines += ["", f"<details><summary>{title}</summary>", ""]
            lines += [f"* `{found.code}` {in_markdown(found.message)}{_waiver(found, in_markdown)}" for found in listed]
            lines += ["", "</details>"]
    return "\n".join(lines).rstrip("\n") + "\n"


def to_data(summary: Summary, diagnostics: list[Diagnostic], *, details: bool, unmanaged: bool) -> dict[str, Any]:
    """For programs."""
    totals = summary.totals
    return {
        "clean": totals.is_clean(unmanaged=unmanaged),
        "worst": summary.worst(),
        "devices": {
            "compared": totals.compared,
            "different": totals.different,
            "failed": totals.failed,
            "added": totals.added,
            "removed": totals.removed,
        },
        "changes": totals.changes,
        "groups": [_group_data(group, details) for group in summary.groups()],
        "unmanaged": dict(sorted(totals.unmanaged.items())),
        "not_collected": dict(sorted(totals.absent.items())),
        "secrets_not_compared": totals.withheld,
        "diagnostics": [
            {
                "code": found.code,
                "severity": found.severity.value,
                "message": found.message,
                "place": str(found.place),
                "waived": asdict(found.waived) if found.waived else None,
            }
            for found in diagnostics
        ],
    }


def _waiver(found: Diagnostic, show: Callable[[str], str]) -> str:
    """Who waives a diagnostic, and until when."""
    return f", waived {show(str(found.waived))}" if found.waived else ""


def to_diagnostics(summary: Summary) -> list[Diagnostic]:
    """For tools that take diagnostics: each kind of change once, at the intent that decides it if that is known."""
    found = []
    for group in summary.groups():
        code = CODES[group.disruption]
        shown = place_of(group.first)
        message = f"{group.headline()}, for example {shown}" + (f"; {BOTH_ENDS}" if group.takes_both_ends else "")
        place = _place(group)
        found.append(Diagnostic(code.id, code.severity, message, (), False, code.fix, (), place, 1))
    for word, names in (("new", summary.totals.added), ("to go", summary.totals.removed)):
        if names:
            message = f"{len(names)} devices are {word}: {', '.join(names[:_NAMED_MAX])}"
            found.append(
                Diagnostic(MEMBERSHIP.id, MEMBERSHIP.severity, message, (), False, MEMBERSHIP.fix, (), None, 1)
            )
    return found


def conclusion(summary: Summary, *, unmanaged: bool = False) -> str:
    """The whole in one sentence."""
    totals = summary.totals
    failed = f"; {totals.failed:,} could not be compared" if totals.failed else ""
    if totals.is_clean(unmanaged=unmanaged) and not totals.compared:
        return f"nothing was compared{failed}"
    if totals.is_clean(unmanaged=unmanaged):
        return f"no difference on {totals.compared:,} devices{failed}"
    worst = f", at worst: {summary.worst()}" if summary.worst() else ""
    count = f"{totals.changes:,} change{'s' if totals.changes != 1 else ''}"
    devices = totals.compared + len(totals.added) + len(totals.removed)
    return f"{count} on {totals.different:,} of {devices:,} devices{worst}{failed}"


def place_of(instance: Instance) -> str:
    """Where an instance stands."""
    return show_line(" ".join(part for part in (instance.device, instance.path, " > ".join(instance.steps)) if part))


def _values(group: Group, instance: Instance) -> str:
    """The values of an instance where the headline does not have them."""
    if group.values == 1:
        return ""
    return f": {number(instance.before)} → {number(instance.after)}"


def _instances(group: Group, details: bool) -> list[Instance]:
    return group.details if details and group.details else [group.first]


def _rest(summary: Summary, unmanaged: bool, write: Callable[[str], str] = show_line) -> list[str]:
    """What is not a change but worth a line."""
    totals, lines = summary.totals, []
    for word, names in (("new", totals.added), ("to go", totals.removed)):
        if names:
            listed = ", ".join(map(write, names[:_NAMED_MAX])) + (" …" if len(names) > _NAMED_MAX else "")
            lines.append(f"{word}: {len(names):,} device{'s' if len(names) != 1 else ''}: {listed}")
    if totals.absent:
        listed = ", ".join(f"{write(path)} of {count:,} devices" for path, count in sorted(totals.absent.items()))
        lines.append(f"not collected: {listed}")
    if totals.unmanaged:
        named = sorted(totals.unmanaged) if unmanaged else sorted(totals.unmanaged)[:_NAMED_MAX]
        more = " …" if len(named) < len(totals.unmanaged) else ""
        lines.append(f"unmanaged, not ours: {', '.join(map(write, named))}{more}")
    if totals.withheld:
        lines.append(f"secret not compared: {totals.withheld:,} places")
    return lines


def _group_data(group: Group, details: bool) -> dict[str, Any]:
    data: dict[str, Any] = {
        "disruption": group.disruption,
        "title": group.title,
        "action": group.action,
        "before": group.before,
        "after": group.after,
        "unit": group.unit,
        "values": group.values,
        "devices": group.devices,
        "count": group.things,
        "counted": group.noun or "place",
        "both_ends": group.takes_both_ends,
        "example": _instance_data(group.first),
        "causes": [cause.text for cause in group.causes],
    }
    if details:
        data["details"] = [_instance_data(instance) for instance in group.details]
    return data


def _instance_data(instance: Instance) -> dict[str, Any]:
    return {
        "device": instance.device,
        "file": instance.path,
        "path": list(instance.steps),
        "before": instance.before,
        "after": instance.after,
    }


def _place(group: Group) -> Place:
    """Where the intent decides a group, else the deployed file of its representative."""
    for cause in group.causes:
        if cause.place is not None:
            return cause.place
    return Place(group.first.file.shown or f"{group.first.device}/{group.first.path}", 1, 1)
