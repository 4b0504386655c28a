"""``fabricgen check``: running devices against the plan."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabricgen.cli.diff import TierOption
from fabricgen.cli.options import CatalogOption, InventoryArgument, OnlyOption, OverlayOption, argument, flag, option
from fabricgen.cli.output import DataFormat, DiagnosticFormat, print_diagnostics, print_json, print_line, print_rows
from fabricgen.cli.planned import load_planned
from fabricgen.cli.progress import show_progress
from fabricgen.diagnostics import Bag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.cli.planned import PlannedInventory
    from fabricgen.state.report import DeviceReport, FindingGroup

EXAMPLES = """\
fabricgen check my-fabric collected
fabricgen check my-fabric collected --since yesterday --only 'leaf-*'
fabricgen check my-fabric collected --format junit > check.xml
fabricgen check my-fabric collected --check cables --check ports
fabricgen check my-fabric collected --since before --idle"""

CheckFormat = StrEnum("CheckFormat", "table json csv junit sarif github")
"""Formats of results."""


class CheckName(StrEnum):
    """Names of checks, of two words with a hyphen."""

    sessions = "sessions"
    prefixes = "prefixes"
    bfd = "bfd"
    widths = "next-hops"
    cables = "cables"
    ports = "ports"
    errors = "errors"
    fec = "fec"
    optics = "optics"
    drops = "drops"
    pfc = "pfc"
    watchdog = "watchdog"
    ecn = "ecn"
    contract = "contract"
    files = "files"
    saved = "saved"
    software = "software"


CollectionArgument = Annotated[Path, argument("DIR", "Folder that fabricgen collect has written.")]
SinceOption = Annotated[
    Path | None, option("--since", "DIR", "An earlier collection: counters are judged by how they rose since.")
]
JudgedOption = Annotated[list[CheckName] | None, option("--check", "NAME", "Only this check; may be repeated.")]
IdleOption = Annotated[bool, flag("--idle", "The fabric carries no traffic: any new pause or ECN mark is a finding.")]


def check(
    inventory: InventoryArgument,
    collection: CollectionArgument,
    overlay: OverlayOption = None,
    catalog: CatalogOption = None,
    only: OnlyOption = None,
    tier: TierOption = None,
    judged: JudgedOption = None,
    since: SinceOption = None,
    idle: IdleOption = False,
    form: Annotated[CheckFormat, typer.Option("--format", help="How results are printed.")] = CheckFormat.table,
) -> None:
    """Compare the state of running devices with the plan.

    Sessions, prefixes, BFD, next hops, cables, ports, errors, drops, PFC, the watchdog, ECN marks and releases.
    Exit code: 0 as planned, 1 errors, 3 different.
    """
    from fabricgen.api.check import CheckOptions, check_collection
    from fabricgen.device.globs import Choice, choose_devices
    from fabricgen.state.findings import CHECKS

    planned = load_planned(inventory, overlay, catalog)
    bag = Bag()
    chosen = choose_devices(Choice(devices=tuple(only or ()), tiers=tuple(tier or ())), planned.plan, bag)
    reports = None
    if not bag.has_errors:
        names = tuple(each.value.replace("-", " ") for each in judged or ()) or tuple(CHECKS)
        options = CheckOptions(chosen, since, idle, names)
        with show_progress("judging"):
            reports = check_collection(planned.plan, planned.platforms, collection, options, bag)
    print_results(reports or [], planned, bag, form)
    code = _exit_code(reports, bag)
    if code:
        raise typer.Exit(code)


def _exit_code(reports: Sequence[DeviceReport] | None, bag: Bag) -> int:
    """Return 1 for errors, 3 for findings, else 0."""
    from fabricgen.state.report import is_clean

    if reports is None or bag.has_errors:
        return 1
    return 0 if is_clean(reports) else 3


def print_results(reports: Sequence[DeviceReport], planned: PlannedInventory, bag: Bag, form: CheckFormat) -> None:
    """Print results of devices, and what kept anything from being judged."""
    from fabricgen.state import report

    groups = report.list_groups(reports)
    if form in (CheckFormat.sarif, CheckFormat.github):
        everything = Bag()
        everything.extend([*bag, *report.to_diagnostics(groups)])
        print_diagnostics(everything, planned.compiled, DiagnosticFormat(form.value), devices=True)
        return
    print_diagnostics(bag, planned.compiled, devices=True)
    if form is CheckFormat.json:
        print_json(report.to_data(reports, list(bag)))
    elif form is CheckFormat.csv:
        print_rows(report.list_findings(reports), DataFormat.csv)
    elif form is CheckFormat.junit:
        print(report.to_junit(reports, list(bag)), end="")
    elif reports:
        _print_tables(reports, groups)


def _print_tables(reports: Sequence[DeviceReport], groups: Sequence[FindingGroup]) -> None:
    """Print what was judged, then what is wrong."""
    from fabricgen.state import report

    print_rows(report.list_checks(reports), DataFormat.table)
    print_line()
    if groups:
        print_rows(report.list_mistakes(groups), DataFormat.table, whole=True)
        print_line()
    print_line(report.conclusion(reports, groups))
