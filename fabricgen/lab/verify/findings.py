"""Findings of checks and drills, and their formats for people and for build servers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from fabricgen.diagnostics.writers.junit import frame_cases, show_case

Row = dict[str, str | int | float]


@dataclass(frozen=True, slots=True)
class LabFinding:
    """One thing that is not as planned: on which device, on which link or prefix, and why."""

    device: str
    link: str
    reason: str


@dataclass(frozen=True, slots=True)
class LabResult:
    """Findings of one check or one drill, none if it passed, and how much of ``what`` was examined."""

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
    cases: list[str] = []
    for result in results:
        if result.passed:
            cases += show_case(suite, result.name, "system-out" if result.note else "", result.note)
            continue
        text = "\n".join(f"{found.device} {found.link}: {found.reason}" for found in result.findings)
        message = f"{len(result.findings)} of {result.examined} {result.what}"
        cases += show_case(suite, result.name, "failure", text, message=message)
    return frame_cases(suite, len(results), cases)
