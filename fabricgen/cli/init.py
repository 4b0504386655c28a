"""``fabricgen init``: a new inventory from a blueprint."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fabricgen.cli.output import DiagnosticFormat, print_diagnostics, print_line


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder to create.", show_default=False)],
    blueprint: Annotated[str, typer.Option("--blueprint", help="Inventory to start from.")] = "quickstart",
) -> None:
    """Start a new inventory from one that ships with fabricgen."""
    from fabricgen.api.init import create_inventory
    from fabricgen.diagnostics import Bag

    bag = Bag()
    written = create_inventory(folder, blueprint, bag)
    if print_diagnostics(bag, None, DiagnosticFormat.text):
        raise typer.Exit(1)
    for path in written:
        print_line(path)
