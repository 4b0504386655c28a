"""Every code of the registry once, as a user reads it: ``python -m tests.messages FILE``.

Messages are those that tests cause: the cases for codes that an inventory causes, those of messages.txt for the others.
A line of messages.txt is a test and codes that it causes; ``tests/conftest.py`` holds the test to it whenever it runs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, wraps
from pathlib import Path
from typing import Any

import pytest

from fabricgen.api import place_diagnostics
from fabricgen.api.explain import load_codes
from fabricgen.diagnostics import Diagnostic, lookup
from fabricgen.diagnostics.writers.text import write_text
from tests.wording import faults_of

CASES = "tests/cases/test_cases.py::test_failing_document_is_told_at_its_marks"


@cache
def read_list() -> Mapping[str, tuple[str, ...]]:
    """Return the tests of messages.txt with the codes that each causes."""
    lines = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()
    return {test: tuple(codes.split(", ")) for test, _, codes in (line.rpartition(": ") for line in lines)}


@contextmanager
def recorded() -> Iterator[Mapping[str, Diagnostic]]:
    """Yield the first diagnostic of each code while the block lasts, whoever makes it."""
    found: dict[str, Diagnostic] = {}
    make = Diagnostic.__init__

    @wraps(make)
    def record(diagnostic: Diagnostic, *args: Any, **kwargs: Any) -> None:
        make(diagnostic, *args, **kwargs)
        if lookup(diagnostic.code) is not None:
            found.setdefault(diagnostic.code, diagnostic)

    Diagnostic.__init__ = record
    try:
        yield found
    finally:
        Diagnostic.__init__ = make


def place(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return diagnostics in the order of their codes, as they are printed."""
    return sorted(place_diagnostics(list(found), None), key=lambda diagnostic: diagnostic.code)


def list_faults(codes: Iterable[str], found: Mapping[str, Diagnostic]) -> list[str]:
    """Return which of the codes a test did not cause, and faults of wording of those that it did."""
    caused = place(found[code] for code in codes if code in found)
    return [
        *(f"{code}: no message" for code in codes if code not in found),
        *(f"{each.code}: {fault}" for each in caused for fault in faults_of(each)),
    ]


def write_page(found: Iterable[Diagnostic]) -> str:
    """Return the page: a block per code."""
    blocks = [write_text([diagnostic], lines_of=None, color=False).rsplit("\n", 2)[0] for diagnostic in found]
    return "# Messages\n\n```text\n" + "\n\n".join(blocks) + "\n```\n"


def main(file: Path) -> int:
    """Run the tests, write the page, and print codes without a message and faults of wording; 1 if there are any."""
    with recorded() as found:
        result = pytest.main(["-q", "-p", "no:xdist", *read_list(), CASES])
    faults = list_faults([code.id for code in load_codes()], found)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(write_page(place(found.values())), encoding="utf-8")
    sys.stdout.writelines(f"{line}\n" for line in faults)
    return 1 if result or faults else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[-1])))
