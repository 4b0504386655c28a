"""A summary as JUnit XML for the test pages of build servers: one case per device.

A difference is a failure, an unreadable device an error; a device that was not collected is skipped, an equal one
passes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fabricgen.diagnostics import Diagnostic
from fabricgen.diagnostics.writers.junit import frame_cases, show_case, write_case
from fabricgen.diff.groups import DeviceState, DeviceSummary
from fabricgen.diff.report import place_of, values_of
from fabricgen.diff.summary import DiffSummary, worst_of

_TAGS = {
    DeviceState.equal: "",
    DeviceState.different: "failure",
    DeviceState.added: "failure",
    DeviceState.removed: "failure",
    DeviceState.missing: "skipped",
    DeviceState.unreadable: "error",
}


def write_junit(summary: DiffSummary, diagnostics: Sequence[Diagnostic], *, details: bool = False) -> str:
    """Write one suite with a case per device, and one for what is about no device."""
    about: dict[str, list[Diagnostic]] = {}
    for found in diagnostics:
        about.setdefault(found.device, []).append(found)
    every = _details(summary) if details else {}
    general = about.pop("", [])
    cases = [line for verdict in summary.verdicts for line in _case(summary, verdict, about, every)]
    cases += [line for found in general for line in write_case(found)]
    return frame_cases("fabricgen diff", len(summary.verdicts) + len(general), cases)


def _case(
    summary: DiffSummary,
    verdict: DeviceSummary,
    about: Mapping[str, Sequence[Diagnostic]],
    every: Mapping[str, Sequence[str]],
) -> list[str]:
    """Return the case of a device; line feeds inside an element are written as they are."""
    found = about.get(verdict.name, ())
    tag = _TAGS[verdict.state]
    lines = [f"{one.code}: {one.message}" for one in found]
    lines += every.get(verdict.name) or [f"{group.disruption}: {group.title_line()}" for group in verdict.groups]
    lines += [f"not collected: {path}" for path in verdict.absent]
    group, text = f"fabricgen.{verdict.kind or 'devices'}", "\n".join(lines)
    if not tag:
        return show_case(group, verdict.name, "system-out" if lines else "", text)
    kind, message = _outcome(summary, verdict, found)
    attributes = {"message": message} if tag == "skipped" else {"kind": kind, "message": message}
    return show_case(group, verdict.name, tag, text, **attributes)


def _outcome(summary: DiffSummary, verdict: DeviceSummary, found: Sequence[Diagnostic]) -> tuple[str, str]:
    """Return the type and the message of a case that does not pass."""
    if verdict.state is DeviceState.different:
        noun = "difference" if summary.is_drift else "change"
        count = f"{verdict.changes:,} {noun}{'s' if verdict.changes != 1 else ''}"
        return worst_of(verdict), f"{count}, at worst: {worst_of(verdict)}"
    if verdict.state is DeviceState.unreadable and found:
        return found[0].code, found[0].message
    if verdict.state is DeviceState.removed and summary.is_drift:
        return verdict.state.value, "unexpected"
    return verdict.state.value, verdict.state.value


def _details(summary: DiffSummary) -> dict[str, list[str]]:
    """Return every change in one line, by device."""
    found: dict[str, list[str]] = {}
    for group in summary.groups():
        for instance in group.details:
            line = f"{group.disruption}: {group.title_line()}{values_of(group, instance)}: {place_of(instance)}"
            found.setdefault(instance.device, []).append(line)
    return found
