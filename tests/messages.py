"""Every code of the registry once, as a user reads it: ``python -m tests.messages [--commands] FILE``.

Messages are those that tests cause: the cases for codes that an inventory causes, those of messages.txt for the others.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from fabricgen.api import place_diagnostics
from fabricgen.api.explain import load_codes
from fabricgen.diagnostics import Diagnostic, lookup
from fabricgen.diagnostics.writers.text import write_text
from tests.cases.case import load_cases
from tests.wording import faults_of

CASES = "tests/cases/test_cases.py::test_failing_document_is_told_at_its_marks"
COMMANDS = "@tests/messages.txt"


def record_diagnostics() -> Mapping[str, Diagnostic]:
    """Return the first diagnostic of each code from now on, whoever makes it."""
    found: dict[str, Diagnostic] = {}
    make = Diagnostic.__init__

    @wraps(make)
    def record(diagnostic: Diagnostic, *args: Any, **kwargs: Any) -> None:
        make(diagnostic, *args, **kwargs)
        if lookup(diagnostic.code) is not None:
            found.setdefault(diagnostic.code, diagnostic)

    Diagnostic.__init__ = record
    return found


def write_page(found: Iterable[Diagnostic]) -> str:
    """Return the page: a block per code."""
    blocks = [write_text([diagnostic], lines_of=None, color=False).rsplit("\n", 2)[0] for diagnostic in found]
    return "# Messages\n\n```text\n" + "\n\n".join(blocks) + "\n```\n"


def main(file: Path, *, commands_only: bool) -> int:
    """Run the tests, write the page, and print codes without a message and faults of wording; 1 if there are any."""
    recorded = record_diagnostics()
    result = pytest.main(["-q", "-p", "no:xdist", COMMANDS, *([] if commands_only else [CASES])])
    of_cases = {case.code for case in load_cases()} if commands_only else set()
    found = place_diagnostics([recorded[code] for code in sorted(recorded) if code not in of_cases], None)
    found = sorted(found, key=lambda diagnostic: diagnostic.code)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(write_page(found), encoding="utf-8")
    missing = {code.id for code in load_codes()} - of_cases - set(recorded)
    faults = [f"{each.code}: {fault}" for each in found for fault in faults_of(each)]
    sys.stdout.writelines(f"{line}\n" for line in [*(f"{code}: no message" for code in sorted(missing)), *faults])
    return 1 if result or missing or faults else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[-1]), commands_only="--commands" in sys.argv))
