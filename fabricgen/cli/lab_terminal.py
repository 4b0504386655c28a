"""Choice of the lab that a verb of ``fabricgen lab`` is about; signals, progress and results of these verbs."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from fabricgen.cli.options import option
from fabricgen.cli.output import DataFormat, end_on_errors, fail, print_json, print_rows
from fabricgen.cli.planned import load_planned
from fabricgen.cli.progress import show_progress
from fabricgen.diagnostics import Bag

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import FrameType

    from fabricgen.cli.planned import PlannedInventory
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


ResultFormat = StrEnum("ResultFormat", "table json junit")
"""Formats of results of checks and drills."""
SHOWN_PER_CHECK = 10


def print_results(
    suite: str,
    results: Sequence[LabResult],
    form: ResultFormat,
    lines: Iterable[Row] | None = None,
    rows: Iterable[Mapping[str, object]] = (),
) -> bool:
    """Print what was done and found, and return whether nothing is wrong.

    ``lines`` are rows of the table of what was done, the results if left out; ``rows`` is what else the first results
    say as JSON.
    """
    from fabricgen.lab.verify.findings import list_findings, list_results, to_data, to_junit

    if form is ResultFormat.json:
        more = [*rows, *({} for _ in results)]
        print_json([{**row, **data} for row, data in zip(more, to_data(results), strict=False)], indent=1)
    elif form is ResultFormat.junit:
        print(to_junit(suite, results), end="")
    else:
        print_rows(list_results(results) if lines is None else lines, DataFormat.table, whole=True)
        if wrong := list(list_findings(results, SHOWN_PER_CHECK)):
            print()
            print_rows(wrong, DataFormat.table, whole=True)
    return all(result.passed for result in results)


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
    end_on_errors(bag)
    return found


CutOption = Annotated[
    str, option("--cut", "PART", "Boot a part of the fabric only: units=2,hosts_per_unit=1,spines=4.")
]
SystemOption = Annotated[
    Path, option("--frr", "DIR", "Root folder of a system whose FRR runs in place of this machine's.")
]
NameOption = Annotated[str, option("--name", "LAB", "Name of the lab; the name of the fabric if not given.")]


def name_lab(inventory: Path | None, name: str, bag: Bag) -> str:
    """The name that was given, or that of the fabric; one that cannot be a folder ends the command."""
    from fabricgen.lab.stages import check_name

    if name:
        if not check_name(name, bag):
            fail(bag)
        return name
    if inventory is None:
        raise typer.BadParameter("an inventory or --name is needed")
    from fabricgen.compiler.compile import locate_intent
    from fabricgen.source import load_document

    folder, file = locate_intent(inventory)
    document = load_document(file, bag, inside=folder)
    data = document.data if document else None
    fabric = data.get("fabric") if isinstance(data, dict) else None
    if not isinstance(fabric, str):
        fail(bag)
    return short_name(fabric)


def short_name(fabric: str) -> str:
    """A lab's name from that of a fabric."""
    from fabricgen.lab.model.planned import LAB_NAME_MAX

    return fabric[:LAB_NAME_MAX]


def require_root(bag: Bag) -> None:
    """End the command unless root runs it: other users cannot inspect a lab."""
    from fabricgen.lab.lifecycle.installation import check_root

    if not check_root(bag):
        fail(bag)


def find_running(inventory: Path | None, name: str, bag: Bag) -> Blueprint:
    """Return the lab that runs; without one the command ends."""
    from fabricgen.lab.stages import find_lab

    require_root(bag)
    blueprint = find_lab(name_lab(inventory, name, bag), bag)
    if blueprint is None:
        fail(bag)
    return blueprint


def load_booted(
    inventory: Path, overlay: Sequence[str] | None, catalog: Sequence[Path] | None, running: Blueprint
) -> PlannedInventory:
    """Compile the inventory of a lab as it is now, with the overlays and catalogs of its boot where none are given."""
    return load_planned(inventory, overlay or running.overlays, catalog or [*map(Path, running.catalogs)])
