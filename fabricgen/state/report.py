"""Results of all devices: rows for tables, data for programs, cases for build servers, diagnostics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fabricgen.diagnostics import Diagnostic, Place, Severity
from fabricgen.diagnostics.words import name_few
from fabricgen.diagnostics.writers.junit import frame_cases, show_case, write_case
from fabricgen.state.cabling import CablingFault
from fabricgen.state.findings import CABLES, CHECKS, UNJUDGED, CheckResult, Outcome, StateFinding
from fabricgen.state.state_codes import DEVIATIONS

Row = dict[str, str | int | float]


@dataclass(frozen=True, slots=True)
class DeviceReport:
    """Results of one device, and the file of each check's first answer; a check without one is left out."""

    name: str
    kind: str
    tier: str
    platform: str
    results: tuple[CheckResult, ...]
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """Findings of a check that are the same mistake: devices, the first of ``count``, and the file of its answer."""

    check: str
    devices: tuple[str, ...]
    first: StateFinding
    count: int
    file: str


def explain_cables(reports: Iterable[DeviceReport], faults: Iterable[CablingFault]) -> list[DeviceReport]:
    """Return reports whose findings about cables say what to do."""
    texts = {(end.device, end.port): fault.text for fault in faults for end in fault.ends}

    def explained(name: str, result: CheckResult) -> CheckResult:
        found = (each._replace(about=texts.get((name, each.at), each.about)) for each in result.findings)
        return result._replace(findings=tuple(found)) if result.check == CABLES else result

    return [replace(one, results=tuple(explained(one.name, result) for result in one.results)) for one in reports]


def list_groups(reports: Iterable[DeviceReport]) -> list[FindingGroup]:
    """Return the findings with those together that differ only in their place."""
    found: dict[tuple[str, str, str], list[tuple[DeviceReport, StateFinding]]] = {}
    for report in reports:
        for result in report.results:
            for finding in result.findings:
                found.setdefault((result.check, finding.expected, finding.actual), []).append((report, finding))
    order = list(CHECKS)
    return [
        FindingGroup(
            check,
            tuple(dict.fromkeys(report.name for report, _ in members)),
            members[0][1],
            len(members),
            members[0][0].files.get(check, ""),
        )
        for (check, _, _), members in sorted(found.items(), key=lambda item: order.index(item[0][0]))
    ]


def list_checks(reports: Sequence[DeviceReport]) -> Iterator[Row]:
    """Yield a row for each check: on how many devices it was as expected, differed, or could not be made."""
    for check in CHECKS:
        results = [result for report in reports for result in report.results if result.check == check]
        if not results:
            continue
        counts = Counter(result.outcome for result in results)
        yield {
            "check": check,
            "devices": len(results),
            "examined": sum(result.examined for result in results),
            "as expected": counts[Outcome.expected],
            "differ": counts[Outcome.different],
            "not judged": len(results) - counts[Outcome.expected] - counts[Outcome.different],
            "because": ", ".join(
                f"{outcome} ({counts[outcome]})"
                for outcome in Outcome
                if counts[outcome] and outcome not in (Outcome.expected, Outcome.different)
            ),
        }


def list_mistakes(groups: Iterable[FindingGroup]) -> Iterator[Row]:
    """Yield a row for each mistake, with the first place where it was made and how often."""
    for group in groups:
        yield {"check": group.check, "device": name_few(group.devices), **group.first._asdict(), "count": group.count}


def list_findings(reports: Iterable[DeviceReport]) -> Iterator[Row]:
    """Yield a row for each finding, and one for each check of a device that could not be made."""
    for report in reports:
        for result in report.results:
            head = {"check": result.check, "device": report.name, "tier": report.tier, "outcome": result.outcome.value}
            for found in result.findings:
                yield {**head, **found._asdict()}
            if result.reason:
                yield {**head, **StateFinding("", "", "", result.reason)._asdict()}


def to_data(reports: Sequence[DeviceReport], diagnostics: Sequence[Diagnostic] = ()) -> dict[str, object]:
    """Return everything for programs; with an error nothing is clean."""
    failed = any(each.severity is Severity.ERROR for each in diagnostics)
    return {
        "clean": is_clean(reports) and not failed,
        "diagnostics": show_diagnostics(diagnostics),
        "checks": list(list_checks(reports)),
        "devices": [
            {
                "device": report.name,
                "kind": report.kind,
                "tier": report.tier,
                "platform": report.platform,
                "checks": [
                    {
                        "check": result.check,
                        "outcome": result.outcome.value,
                        "examined": result.examined,
                        "reason": result.reason,
                        "findings": [found._asdict() for found in result.findings],
                    }
                    for result in report.results
                ],
            }
            for report in reports
        ],
    }


def show_diagnostics(diagnostics: Iterable[Diagnostic]) -> list[dict[str, str]]:
    """Return diagnostics for programs."""
    return [
        {"code": each.code, "severity": each.severity.value, "message": each.message, "device": each.device}
        for each in diagnostics
    ]


def is_clean(reports: Iterable[DeviceReport]) -> bool:
    """Return whether nothing is found that the plan does not expect, and nothing is left unjudged."""
    return not any(result.findings or not result.is_whole for report in reports for result in report.results)


def to_diagnostics(groups: Iterable[FindingGroup]) -> list[Diagnostic]:
    """Return each mistake once, with the file of the first answer that shows it."""
    found = []
    for group in groups:
        code, first = DEVIATIONS[group.check], group.first
        about = f" ({first.about})" if first.about else ""
        message = f"{group.devices[0]} {first.at}: expected {first.expected}, actual {first.actual}{about}"
        place = Place(group.file, 1, 1) if group.file else None
        device = group.devices[0] if len(group.devices) == 1 else ""
        found.append(
            Diagnostic(code.id, code.severity, message, hint=code.hint, place=place, count=group.count, device=device)
        )
    return found


def conclusion(reports: Sequence[DeviceReport], groups: Sequence[FindingGroup]) -> str:
    """Return the whole in one sentence."""
    noun = "device" if len(reports) == 1 else "devices"
    made = sum(result.outcome in (Outcome.expected, Outcome.different) for each in reports for result in each.results)
    lacking = sum(not result.is_whole for report in reports for result in report.results)
    rest = f"; {lacking:,} checks lack their answers" if lacking else ""
    if not groups:
        return f"{made:,} checks of {len(reports):,} {noun}: nothing differs from the plan{rest}"
    total, devices = sum(group.count for group in groups), {name for group in groups for name in group.devices}
    findings = "finding" if total == 1 else "findings"
    return f"{total:,} {findings} on {len(devices):,} of {len(reports):,} {noun}{rest}"


def to_junit(reports: Sequence[DeviceReport], diagnostics: Sequence[Diagnostic] = ()) -> str:
    """Return one test case for each check of each device, and one for each error beside them."""
    errors = [each for each in diagnostics if each.severity is Severity.ERROR]
    cases = [line for report in reports for result in report.results for line in _case(report, result)]
    cases += [line for error in errors for line in write_case(error)]
    return frame_cases("fabricgen check", sum(len(report.results) for report in reports) + len(errors), cases)


def _case(report: DeviceReport, result: CheckResult) -> list[str]:
    """Return the lines of a case: a finding is a failure, an answer that cannot be read an error."""
    if result.outcome is Outcome.expected:
        return show_case(report.name, result.check)
    if result.findings:
        text = "\n".join(_line(found) for found in result.findings)
        message = f"{len(result.findings)} of {result.examined} examined"
        kind = DEVIATIONS[result.check].id
        return show_case(report.name, result.check, "failure", text, kind=kind, message=message)
    if result.outcome in UNJUDGED:
        return show_case(report.name, result.check, "error", message=result.reason)
    return show_case(report.name, result.check, "skipped", message=f"{result.outcome}: {result.reason}")


def _line(found: StateFinding) -> str:
    about = f" ({found.about})" if found.about else ""
    return f"{found.at}: expected {found.expected}, actual {found.actual}{about}"
