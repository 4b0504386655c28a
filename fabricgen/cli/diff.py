"""``fabricgen diff``: what differs between what should be and what is, and what repairs it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabricgen.cli.completion import complete_tiers
from fabricgen.cli.options import CatalogOption, OnlyOption, OverlayOption, argument, flag, option
from fabricgen.cli.output import DiagnosticFormat, print_diagnostics, print_json
from fabricgen.cli.progress import show_progress
from fabricgen.diagnostics import Bag

if TYPE_CHECKING:
    from fabricgen.api.diff import DiffOptions
    from fabricgen.diff.summary import DiffSummary

EXAMPLES = """\
fabricgen diff my-fabric collected/
fabricgen diff my-fabric main:my-fabric --format markdown
fabricgen diff out collected/ --only 'spine-*' --patch patches
fabricgen diff my-fabric running.json --only leaf-u001-r0"""
_SIDE = "An inventory, a rendered tree, git REV:PATH, a folder of collected files, a file, or - for standard input."

DiffFormat = StrEnum("DiffFormat", "text json markdown sarif junit")
"""Formats of differences."""

Values = StrEnum("Values", "show hide")
"""Values of devices that are printed."""
IntendedArgument = Annotated[str, argument("INTENDED", f"What should be. {_SIDE}")]
DeployedArgument = Annotated[str, argument("DEPLOYED", "What is deployed: any of these.")]
TierOption = Annotated[
    list[str] | None,
    option(
        "--tier",
        "GLOB",
        "Only devices of tiers and host groups whose name matches; may be repeated.",
        complete=complete_tiers,
    ),
]
DetailsOption = Annotated[bool, flag("--details", "List every change, not one of each kind.")]
UnmanagedOption = Annotated[
    bool, flag("--unmanaged", "List what is not ours, count it as a difference, and remove it in patches.")
]
PatchOption = Annotated[
    Path | None,
    option(
        "--patch", "DIR", "Write the commands that repair each device, and those that roll back, into this new folder."
    ),
]
ValuesOption = Annotated[
    Values,
    typer.Option("--values", help="Show values of devices but for secrets, or hide all that fabricgen did not render."),
]


def diff(
    intended: IntendedArgument,
    deployed: DeployedArgument,
    overlay: OverlayOption = None,
    catalog: CatalogOption = None,
    only: OnlyOption = None,
    tier: TierOption = None,
    details: DetailsOption = False,
    unmanaged: UnmanagedOption = False,
    patch: PatchOption = None,
    values: ValuesOption = Values.show,
    form: Annotated[DiffFormat, typer.Option("--format", help="How differences are printed.")] = DiffFormat.text,
) -> None:
    """Compare intended and deployed configuration by meaning.

    Exit code: 0 equal, 1 errors, 3 different.
    """
    from dataclasses import replace

    from fabricgen.api.diff import diff as compare

    bag = Bag()
    options = make_options(overlay, catalog, only, tier, details=details, unmanaged=unmanaged, patch=patch)
    options = replace(options, hides_values=values is Values.hide)
    with show_progress("comparing"):
        summary = compare(intended, deployed, options, bag)
    if summary is not None:
        _print(summary, bag, form, details=details, unmanaged=unmanaged)
    else:
        written = DiagnosticFormat.text if form is DiffFormat.markdown else DiagnosticFormat(form.value)
        print_diagnostics(bag, None, written, devices=True)
    code = _exit_code(summary, bag, unmanaged=unmanaged)
    if code:
        raise typer.Exit(code)


def make_options(
    overlay: list[str] | None,
    catalog: list[Path] | None,
    only: list[str] | None,
    tier: list[str] | None,
    *,
    details: bool = False,
    unmanaged: bool = False,
    patch: Path | None = None,
) -> DiffOptions:
    """Return the options of a comparison, with what only the command line knows."""
    from datetime import date
    from functools import partial

    from fabricgen.api.diff import DiffOptions
    from fabricgen.collect.folder import SIZE_MAX_BYTES
    from fabricgen.files import read_handed

    return DiffOptions(
        Path.cwd(),
        partial(read_handed, 0, SIZE_MAX_BYTES + 1),
        overlay or (),
        catalog or (),
        tuple(only or ()),
        tuple(tier or ()),
        details,
        unmanaged,
        patch,
        today=date.today(),
    )


def _exit_code(summary: DiffSummary | None, bag: Bag, *, unmanaged: bool) -> int:
    """Return 70 for a failure of fabricgen, 1 for errors, 3 for differences, else 0."""
    from fabricgen.diff.diff_codes import FAILED

    if any(item.code == FAILED.id for item in bag):
        return 70
    if bag.has_errors:
        return 1
    return 3 if summary is not None and not summary.totals.is_clean(unmanaged=unmanaged) else 0


def _print(summary: DiffSummary, bag: Bag, form: DiffFormat, *, details: bool, unmanaged: bool) -> None:
    from fabricgen.api import place_diagnostics
    from fabricgen.diff import report
    from fabricgen.diff.report import fold_missing

    placed = place_diagnostics(bag, None)
    if form is DiffFormat.text:
        folded = Bag()
        folded.extend(fold_missing([*bag]))
        print_diagnostics(folded, devices=True)
        print(report.write_text(summary, details=details, unmanaged=unmanaged), end="")
    elif form is DiffFormat.markdown:
        from fabricgen.diff.markdown import write_markdown

        print(write_markdown(summary, fold_missing(placed), details=details, unmanaged=unmanaged), end="")
    elif form is DiffFormat.json:
        print_json(report.to_data(summary, placed, details=details, unmanaged=unmanaged))
    elif form is DiffFormat.junit:
        from fabricgen.diff.junit import write_junit

        print(write_junit(summary, placed, details=details), end="")
    else:
        everything = Bag()
        everything.extend([*placed, *report.to_diagnostics(summary, details=details)])
        print_diagnostics(everything, None, DiagnosticFormat(form.value), devices=True)
