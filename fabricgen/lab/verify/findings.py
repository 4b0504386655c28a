"""Findings of checks and drills, and their formats for people and for build servers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from fabricgen.diagnostics.writers.junit import in_xml, in_xml_attribute

Row = dict[str, str | int | float]


@dataclass(frozen=True, slots=True)
class LabFinding:
    """One thing that is not as planned: on which device, on which link or prefix, and why."""

    device: str
    link: str
    reason: str


@dataclass(frozen=True, slots=True)
class LabResult:
    """Findings of one check or one drill.

    Attributes:
        name: Name of the check.
        examined: How much was looked at, ``what`` of it.
        findings: What is wrong; empty if it passed.
        note: What else there is to say, for example that a sample was taken.
        seconds: How long it took.
    """

    name: str
    examined: int
    what: str
    findings: tuple[LabFinding, ...] = ()
    note: str = ""
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        """Return whether nothing is wrong."""
        return not self.findings


def list_results(results: Iterable[LabResult]) -> Iterable[Row]:
    """One row per check."""
    for result in results:
        yield {
            "check": result.name,
            "result": "pass" if result.passed else "FAIL",
            "examined": f"{result.examined} {result.what}",
            "wrong": len(result.findings),
            "seconds": round(result.seconds, 1),
            "note": result.note,
        }


def list_findings(results: Iterable[LabResult], limit: int = 0) -> Iterable[Row]:
    """One row per fault; of each check at most ``limit``, then how many more there are."""
    for result in results:
        shown = result.findings[:limit] if limit else result.findings
        for finding in shown:
            yield {"check": result.name, **asdict(finding)}
        if len(shown) < len(result.findings):
            more = f"{len(result.findings) - len(shown)} more"
            yield {"check": result.name, "device": "…", "link": "", "reason": more}


def to_data(results: Sequence[LabResult]) -> list[dict[str, object]]:
    """Everything, for JSON."""
    return [
        {
            "check": result.name,
            "passed": result.passed,
            "examined": result.examined,
            "what": result.what,
            "note": result.note,
            "seconds": round(result.seconds, 3),
            "findings": [asdict(finding) for finding in result.findings],
        }
        for result in results
    ]


def to_junit(suite: str, results: Sequence[LabResult]) -> str:
    """One test case per check; a failed one holds what it found."""
    failures = sum(not result.passed for result in results)
    counts = f'tests="{len(results)}" failures="{failures}" errors="0" skipped="0"'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuite name={in_xml_attribute(suite)} {counts}>"]
    for result in results:
        named = f"classname={in_xml_attribute(suite)} name={in_xml_attribute(result.name)}"
        head = f"  <testcase {named} time='{result.seconds:.3f}'>"
        text = "\n".join(f"{found.device} {found.link}: {found.reason}" for found in result.findings)
        message = f"{len(result.findings)} of {result.examined} {result.what}"
        body = f"    <failure message={in_xml_attribute(message)}>{in_xml(text)}</failure>"
        note = f"    <system-out>{in_xml(result.note)}</system-out>"
        lines += [head, *([] if result.passed else [body]), *([note] if result.note else []), "  </testcase>"]
    return "\n".join([*lines, "</testsuite>"]) + "\n"
