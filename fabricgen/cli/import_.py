"""``fabricgen import``: an inventory from deployed configurations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabricgen.cli.options import CatalogOption, argument, option
from fabricgen.cli.output import DiagnosticFormat, print_diagnostics, print_line
from fabricgen.cli.progress import show_progress
from fabricgen.cli.sizing_options import NicOption, ServerOption
from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.words import counted

if TYPE_CHECKING:
    from fabricgen.api.import_fabric import Imported

EXAMPLES = """\
fabricgen import collected/ -o my-fabric
fabricgen import backups/ -o my-fabric --server hgx_h200_8
fabricgen import main:configs -o my-fabric"""


def import_(
    deployed: Annotated[
        str,
        argument("DEPLOYED", "Configurations of all switches: a folder of collected files, a git REV:PATH, a tree."),
    ],
    out: Annotated[Path, option("-o --out", "INVENTORY", "Folder to create.")],
    server: ServerOption = None,
    nic: NicOption = None,
    switch: Annotated[
        str | None, option("--switch", "MODEL", "Model of the switches whose files do not name their board.")
    ] = None,
    rails_per_leaf: Annotated[
        int,
        typer.Option("--rails-per-leaf", metavar="N", min=0, help="Rails of a leaf, where its ports name no hosts."),
    ] = 0,
    catalog: CatalogOption = None,
    form: Annotated[DiagnosticFormat, typer.Option("--format", help="How diagnostics are printed.")] = (
        DiagnosticFormat.text
    ),
) -> None:
    """Infer an inventory from running configurations.

    What it does not explain is listed with file and line. Exit code: 0 nothing is left, 1 errors, 3 something is left.
    """
    from fabricgen.api.diff import DiffOptions
    from fabricgen.api.import_fabric import import_fabric
    from fabricgen.api.init import check_folder
    from fabricgen.inference.shape import ImportOptions

    bag = Bag()
    asked = ImportOptions(server=server or "", nic=nic or "", switch=switch or "", rails_per_leaf=rails_per_leaf)
    found = None
    if check_folder(out, bag):
        with show_progress("importing"):
            options = DiffOptions(Path.cwd(), catalogs=catalog or ())
            found = import_fabric(deployed, out, asked, options, bag)
    failed = print_diagnostics(bag, None, form, devices=True)
    if found is not None:
        _report(found, out, deployed)
    if failed or found is None:
        raise typer.Exit(1)
    if found.is_partial:
        raise typer.Exit(3)


def _report(found: Imported, out: Path, deployed: str) -> None:
    """Name the files, what they explain, and what to do next."""
    for path in found.files:
        print_line(path)
    left = f"; left: {counted(found.changes, 'change')}" if found.changes else ""
    print_line(f"{found.equal:,} of {found.switches:,} switches are explained whole{left}", error=True)
    print_line(f"Next: fabricgen validate {out}, then fabricgen diff {out} {deployed}", error=True)
