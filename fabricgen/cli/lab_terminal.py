"""Signals, progress and results of the verbs of ``fabricgen lab``."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar

import typer

from fabricgen.cli.output import DataFormat, DiagnosticFormat, print_diagnostics, print_json, print_rows
from fabricgen.cli.progress import show_progress

if TYPE_CHECKING:
    from types import FrameType

    from fabricgen.diagnostics import Bag
    from fabricgen.lab.lifecycle.boot import Progress
    from fabricgen.lab.model.blueprint import Blueprint
    from fabricgen.lab.verify.findings import LabResult

T = TypeVar("T")
Row = dict[str, str | int | float]


class _Interrupted(BaseException):
    """A signal that ends the command; what it has made is taken away on the way out."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def interruptible() -> Iterator[None]:
    """Let SIGINT and SIGTERM end the command tidily, also where a shell started it with SIGINT ignored."""

    def stop(number: int, _: FrameType | None) -> None:
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, signal.SIG_IGN)
        raise _Interrupted(number)

    before = {each: signal.signal(each, stop) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    except _Interrupted as interrupted:
        print(f"fabricgen: stopped by {signal.Signals(interrupted.number).name}", file=sys.stderr)
        raise typer.Exit(128 + interrupted.number) from None
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


class ResultFormat(StrEnum):
    """Formats of results of checks and drills."""

    table = "table"
    json = "json"
    junit = "junit"


SHOWN_PER_CHECK = 10


def print_results(suite: str, results: list[LabResult], form: ResultFormat) -> None:
    """Print what was found; anything wrong ends the command with 1."""
    from fabricgen.lab.verify.findings import list_findings, list_results, to_data, to_junit

    if form is ResultFormat.json:
        print_json(to_data(results), indent=1)
    elif form is ResultFormat.junit:
        print(to_junit(suite, results), end="")
    else:
        print_outcome(list_results(results), list_findings(results, SHOWN_PER_CHECK))
    if not all(result.passed for result in results):
        raise typer.Exit(1)


def print_outcome(lines: Iterable[Row], findings: Iterable[Row]) -> None:
    """Print the table of what was done, and below it that of what is wrong."""
    print_rows(lines, DataFormat.table, whole=True)
    if wrong := list(findings):
        print()
        print_rows(wrong, DataFormat.table, whole=True)


def work(blueprint: Blueprint, bag: Bag, task: Callable[[Progress], list[T]]) -> list[T]:
    """Test or drill a lab, alone; a fault is reported and ends the command with 1."""
    from fabricgen.diagnostics.file_codes import BUSY
    from fabricgen.lab.lab_codes import COMMAND_FAILED
    from fabricgen.lab.lifecycle.kernel import CommandError
    from fabricgen.lab.lifecycle.state import alone

    found: list[T] = []
    with interruptible(), show_progress() as progress, alone(blueprint.lab) as mine:
        if mine:
            try:
                found = task(progress)
            except (CommandError, OSError) as error:
                bag.add(COMMAND_FAILED, str(error))
        else:
            bag.add(BUSY, f"lab {blueprint.lab} is being tested or drilled by another process")
    if print_diagnostics(bag, None, DiagnosticFormat.text):
        raise typer.Exit(1)
    return found
