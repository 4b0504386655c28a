"""The table ``path`` of ``fabricgen show``: its arguments, and how it is printed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from fabricgen.cli.completion import complete_devices
from fabricgen.cli.options import option
from fabricgen.cli.output import DataFormat, DiagnosticFormat, print_diagnostics

if TYPE_CHECKING:
    from fabricgen.cli.planned import PlannedInventory

HostsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[HOST HOST]",
        help="The two hosts of a path.",
        show_default=False,
        autocompletion=complete_devices,
    ),
]
RailOption = Annotated[int | None, option("--rail", "NUMBER", "Rail of a path's ends, from 0; 0 if not given.")]
QueuePairOption = Annotated[
    int | None,
    typer.Option(
        "--qp",
        metavar="NUMBER",
        min=0,
        max=(1 << 24) - 1,
        show_default=False,
        help="Number of the destination queue pair of a path's flow.",
    ),
]


def print_path(
    planned: PlannedInventory, names: list[str], rail: int, queue_pair: int | None, form: DataFormat
) -> None:
    """Print the ways between two hosts.

    Raises:
        typer.Exit: There is none, or no such ends; the reason is printed.
    """
    from pathlib import Path

    from fabricgen.analysis.ways import list_ways
    from fabricgen.cli.sections import print_sections
    from fabricgen.diagnostics import Bag
    from fabricgen.tables.path import DocumentKeys, PathView
    from fabricgen.tables.path_ends import check_ways, find_ends

    plan, bag = planned.plan, Bag()
    ends = find_ends(plan, tuple(names), rail, bag)
    ways = list_ways(plan, *ends) if ends else []
    if ends and check_ways(plan, *ends, ways, bag):
        view = PathView(plan, planned.platforms, DocumentKeys(planned.compiled.document, Path.cwd()))
        print_sections(view.sections(*ends, ways, queue_pair), form)
    if print_diagnostics(bag, None, DiagnosticFormat.text):
        raise typer.Exit(1)
