"""``fabricgen lab failures``: every single failure caused in a lab, predicted beside measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from fabricgen.cli.failure_options import refuse_unknown_scopes
from fabricgen.cli.lab_choice import NameOption, find_running, load_booted
from fabricgen.cli.lab_terminal import SHOWN_PER_CHECK, ResultFormat, print_outcome, print_results, work
from fabricgen.cli.options import CatalogOption, InventoryArgument, OverlayOption, option
from fabricgen.cli.output import DiagnosticFormat, print_diagnostics, print_json, print_line

if TYPE_CHECKING:
    from fabricgen.lab.failures.run import Report
    from fabricgen.lab.model.blueprint import Blueprint

EXAMPLES = "fabricgen lab failures my-fabric\nfabricgen lab failures my-fabric --only spine --sample 6 --seed 7"


def failures(
    inventory: InventoryArgument,
    overlay: OverlayOption = None,
    catalog: CatalogOption = None,
    only: Annotated[
        list[str] | None, option("--only", "SCOPE", "Failures of one tier or link group only; may be repeated.")
    ] = None,
    sample: Annotated[
        int, typer.Option("--sample", metavar="N", min=0, help="Cause so many, by lot, at least one of each class.")
    ] = 0,
    seed: Annotated[str, typer.Option("--seed", metavar="TEXT", help="Decides what the lot falls on.")] = "0",
    flows: Annotated[
        int, typer.Option("--flows", metavar="N", min=1000, help="Flows that share the links; more narrow the margin.")
    ] = 60_000,
    name: NameOption = "",
    form: Annotated[ResultFormat, typer.Option("--format", help="How results are printed.")] = ResultFormat.table,
) -> None:
    """Cause every single failure, predicted beside measured.

    Each switch, link and NIC port of the running lab fails alone. The next hops in every kernel, who reaches whom, the
    flows on every link and how long probes are lost are compared with what analyze failures predicts.
    """
    from fabricgen.diagnostics import Bag
    from fabricgen.lab.failures.elements import draw
    from fabricgen.lab.failures.matrix import DEVIATIONS
    from fabricgen.lab.failures.origin import find_plan
    from fabricgen.lab.failures.run import Trials

    bag = Bag()
    blueprint = find_running(inventory, name, bag)
    planned = load_booted(inventory, overlay, catalog, blueprint)
    plan = find_plan(planned.plan, planned.platforms, blueprint, bag)
    if plan is None:
        print_diagnostics(bag, None, DiagnosticFormat.text)
        raise typer.Exit(1)
    trials = Trials(plan, blueprint)
    refuse_unknown_scopes(plan, only or [], "--only")
    every = trials.list(only or [])
    chosen = draw(every, sample, seed)
    (report,) = work(blueprint, bag, lambda progress: [trials.run(chosen, flows, progress)])
    _print(report, blueprint, form)
    lot = f" of {len(every)}, drawn with seed {seed}" if len(chosen) < len(every) else ""
    wrong = sum(bool(verdict.findings) for verdict in report.verdicts)
    print_line(
        f"{blueprint.lab}: {len(chosen)} failures{lot}, {wrong} not as predicted; {report.flows} flows, margins of "
        f"{DEVIATIONS} standard deviations; routing only, without LACP",
        error=True,
    )
    if wrong or report.planned.findings:
        raise typer.Exit(1)


def _print(report: Report, blueprint: Blueprint, form: ResultFormat) -> None:
    """Print every failure, and below what differs."""
    from fabricgen.lab.verify.findings import list_findings, to_data

    results = [report.planned, *(verdict.to_result() for verdict in report.verdicts)]
    if form is ResultFormat.table:
        lines = (verdict.to_line() for verdict in report.verdicts)
        print_outcome(lines, list_findings(results, SHOWN_PER_CHECK))
    elif form is ResultFormat.json:
        rows = [{}, *(verdict.to_row() for verdict in report.verdicts)]
        print_json([{**row, **data} for row, data in zip(rows, to_data(results), strict=True)], indent=1)
    else:
        print_results(f"fabricgen lab failures {blueprint.lab}", results, form)
