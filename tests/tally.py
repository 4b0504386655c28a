"""Files that outside judges tried and refused in a run, and the page that ``make judge-all`` writes of it.

A test, or what it calls, counts every file that it shows to a judge; workers hand their counts to the process that
writes the page, as properties of the tests' reports. Of equal files one is tried.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.judges.avd.commands import UNMODELLED
from tests.judges.batfish.__main__ import BEYOND

PROPERTY = "judged"
START, END = "<!-- written by make judge-all -->", "<!-- end of what it writes -->"
NOTES = Path(__file__).resolve().parents[1] / "templates"
OPEN = re.compile(r"[^.;|]*\b[Uu]nconfirmed\b[^.;|]*")
"""A part of a sentence about something that no public source says."""
UNKNOWN: dict[str, dict[str, str]] = {
    "avd": UNMODELLED,
    "batfish": dict.fromkeys(BEYOND, "pyavd, by the judge avd")
    | {r"bandwidth guaranteed ": "its own configurations of devices, arista_interface_show_run_all_3"},
    "config_db": {"GNMI_CLIENT_CERT": "tests/unit/sonic/test_sonic_gnmi.py"},
    "nvue": {"keys that are names or addresses": "the cross-device reader", "snippet": "NOTES.md, Dual-ToR"},
}
"""Forms that a judge does not know, each with what else vouches for it."""


class Shown(NamedTuple):
    """Equal files before one judge at one release of its program; ``missing`` is why the judge could not run."""

    judge: str
    release: str
    digest: str
    refused: bool
    missing: str = ""
    files: int = 1


_shown: list[Shown] = []


def count(judge: str, text: str, *, refused: bool, release: str = "", files: int = 1) -> None:
    """Count a file that a judge has seen, and how many are equal to it."""
    _shown.append(Shown(judge, release, sha256(text.encode()).hexdigest()[:16], refused, files=files))


def count_missing(judge: str, reason: str) -> None:
    """Count a judge that is not there."""
    _shown.append(Shown(judge, "", "", refused=False, missing=reason))


def take() -> list[tuple[str, tuple[object, ...]]]:
    """Return the counts since the last call, as properties of a report: plain tuples, which workers can send."""
    rows = [(PROPERTY, tuple(row)) for row in _shown]
    _shown.clear()
    return rows


class PageWriter:
    """Gathers what all tests counted and writes it between the marks of a page at the end of the run."""

    def __init__(self, page: Path) -> None:
        self.page = page
        self.rows: list[Shown] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            self.rows += [Shown(*row) for name, row in report.user_properties if name == PROPERTY]

    def pytest_sessionfinish(self) -> None:
        before, _, rest = self.page.read_text(encoding="utf-8").partition(START)
        parts = (START, *table(self.rows), "", END)
        self.page.write_text(before + "\n".join(parts) + rest.partition(END)[2], encoding="utf-8")


def table(rows: Collection[Shown]) -> list[str]:
    """Lines of the page: what each judge tried and refused, what it does not know, what no source says."""
    tried: dict[tuple[str, str], dict[str, bool]] = {}
    whole: Counter[tuple[str, str]] = Counter()
    missing = {row.judge: row.missing for row in rows if row.missing}
    for row in sorted(row for row in rows if not row.missing):
        files = tried.setdefault((row.judge, row.release), {})
        files[row.digest] = files.get(row.digest, False) or row.refused
        whole[row.judge, row.release] += row.files
    lines = ["", "| judge | release | files | tried | refused | unknown to it |", "|---|---|---|---|---|---|"]
    for (judge, release), files in tried.items():
        lines.append(
            f"| {judge} | {release} | {whole[judge, release]:,} | {len(files):,} | {sum(files.values())} "
            f"| {len(UNKNOWN.get(judge, ()))} |"
        )
    lines += [f"| {judge} | | **not run**: {why} | | | |" for judge, why in sorted(missing.items())]
    lines += ["", "### Forms that a judge does not know", "", "| judge | form | its other source |", "|---|---|---|"]
    for judge, forms in UNKNOWN.items():
        lines += ["| {} | `{}` | {} |".format(judge, form.replace("|", r"\|"), by) for form, by in forms.items()]
    return [*lines, "", "### What only a device can tell", "", *only_devices()]


def only_devices() -> list[str]:
    """Return every open question in the notes of the platforms, one line each."""
    lines = []
    for notes in sorted(NOTES.glob("*/*/NOTES.md")):
        for text in notes.read_text(encoding="utf-8").splitlines():
            row = [cell.strip() for cell in text.strip().strip("|").split(" | ")] if text.startswith("|") else []
            for found in OPEN.findall(text) if row else ():
                plain = found.strip() in ("on a device *unconfirmed*", "*unconfirmed*", "unconfirmed")
                lines.append(f"* {notes.parent.name}, {row[0]}" + ("" if plain else f": {found.strip()}"))
    return lines
