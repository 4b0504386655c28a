"""``fabricgen diff``: what differs between what should be and what is, and what repairs it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabricgen.cli.options import CatalogOption, OnlyOption, OverlayOption
from fabricgen.cli.output import DiagnosticFormat, print_diagnostics, print_json

if TYPE_CHECKING:
    from fabricgen.diagnostics import Bag
    from fabricgen.diff.summary import Summary

_SIDE = "Inventory, rendered tree, git REV:PATH, folder of collected files, file, or - for stdin."


class DiffFormat(StrEnum):
    """How differences are printed."""

    text = "text"
    json = "json"
    markdown = "markdown"
    sarif = "sarif"
    junit = "junit"


def diff(
    intended: Annotated[str, typer.Argument(help=f"What should be. {_SIDE}", show_default=False)],
    deployed: Annotated[str, typer.Argument(help="What is. The same.", show_default=False)],
    overlay: OverlayOption = None,
    catalog: CatalogOption = None,
    only: OnlyOption = None,
    details: Annotated[bool, typer.Option("--details", help="Every change, not one of each kind.")] = False,
    unmanaged: Annotated[
        bool, typer.Option("--unmanaged", help="What is not ours counts as a difference too.")
    ] = False,
    patch: Annotated[
        Path | None,
        typer.Option(
            "--patch", metavar="DIR", help="Write what repairs each device, and what undoes it.", show_default=False
        ),
    ] = None,
    form: Annotated[DiffFormat, typer.Option("--format", help="How differences are printed.")] = DiffFormat.text,
) -> None:
    """Compare what should be with what is, in meaning; exit 3 if they differ."""
    from datetime import date
    from functools import partial

    from fabricgen.api.diff import DiffOptions
    from fabricgen.api.diff import diff as compare
    from fabricgen.collect.content import SIZE_MAX_BYTES
    from fabricgen.diagnostics import Bag
    from fabricgen.diff.diff_codes import FAILED
    from fabricgen.files import read_handed

    bag = Bag()
    stdin = partial(read_handed, 0, SIZE_MAX_BYTES + 1)
    options = DiffOptions(
        Path.cwd(), stdin, overlay or (), catalog or (), tuple(only or ()), details, patch, today=date.today()
    )
    summary = compare(intended, deployed, options, bag)
    if summary is not None:
        _print(summary, bag, form, details=details, unmanaged=unmanaged)
    else:
        print_diagnostics(
            bag,
            None,
            DiagnosticFormat(form.value) if form.value != "markdown" else DiagnosticFormat.text,
            devices=True,
        )
    if any(item.code == FAILED.id for item in bag):
        raise typer.Exit(70)
    if bag.has_errors:
        raise typer.Exit(1)
    if summary is not None and not summary.totals.is_clean(unmanaged=unmanaged):
        raise typer.Exit(3)


def _print(summary: Summary, bag: Bag, form: DiffFormat, *, details: bool, unmanaged: bool) -> None:
    from fabricgen.api import place_diagnostics
    from fabricgen.diagnostics import Bag
    from fabricgen.diff import report

    placed = place_diagnostics(bag, None)
    if form is DiffFormat.text:
        print_diagnostics(bag, None, DiagnosticFormat.text, devices=True)
        print(report.write_text(summary, details=details, unmanaged=unmanaged), end="")
    elif form is DiffFormat.markdown:
        print(report.write_markdown(summary, placed, unmanaged=unmanaged), end="")
    elif form is DiffFormat.json:
        print_json(report.to_data(summary, placed, details=details, unmanaged=unmanaged))
    else:
        everything = Bag()
        everything.extend([*placed, *report.to_diagnostics(summary)])
        print_diagnostics(everything, None, DiagnosticFormat(form.value), devices=True)
