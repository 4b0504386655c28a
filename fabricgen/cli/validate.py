"""``fabricgen validate``: every check, at every size."""

from __future__ import annotations

from typing import Annotated

import typer

from fabricgen.cli.options import CatalogOption, InventoryArgument, OverlayOption
from fabricgen.cli.output import DiagnosticFormat, print_diagnostics, print_line
from fabricgen.cli.progress import show_progress
from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.words import counted

EXAMPLES = """\
fabricgen validate my-fabric
fabricgen validate my-fabric --overlay maintenance
fabricgen validate my-fabric --format junit > report.xml"""


def validate(
    inventory: InventoryArgument,
    overlay: OverlayOption = None,
    catalog: CatalogOption = None,
    form: Annotated[DiagnosticFormat, typer.Option("--format", help="How diagnostics are printed.")] = (
        DiagnosticFormat.text
    ),
) -> None:
    """Check an inventory and report every error with its place.

    Exit code: 0 without errors, 1 with errors.
    """
    from datetime import date

    from fabricgen.api import compile_inventory

    bag = Bag()
    with show_progress("checking"):
        compiled = compile_inventory(inventory, overlay or (), bag, catalogs=catalog or (), today=date.today())
    if print_diagnostics(bag, compiled, form):
        raise typer.Exit(1)
    if compiled and compiled.plan and form is DiagnosticFormat.text:
        from fabricgen.analysis.capacity import summarize

        s = summarize(compiled.plan, 0)
        sizes = counted(s.gpus, "GPU"), counted(s.hosts, "host"), counted(s.switches, "switch", "switches")
        print_line(f"{s.fabric}: valid, {', '.join(sizes)}", error=True)
