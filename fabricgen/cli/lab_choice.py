"""Choice of the lab that a verb is about."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabricgen.cli.options import option
from fabricgen.cli.output import DiagnosticFormat, print_diagnostics
from fabricgen.cli.planned import load_planned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.cli.planned import PlannedInventory
    from fabricgen.diagnostics import Bag
    from fabricgen.lab.model.blueprint import Blueprint

CutOption = Annotated[
    str,
    option("--cut", "PART", "Boot a part of the fabric only: units=2,hosts_per_unit=1,spines=4."),
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
            print_diagnostics(bag, None, DiagnosticFormat.text)
            raise typer.Exit(1)
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
        print_diagnostics(bag, None, DiagnosticFormat.text)
        raise typer.Exit(1)
    return short_name(fabric)


def short_name(fabric: str) -> str:
    """A lab's name from that of a fabric."""
    from fabricgen.lab.model.planned import LAB_NAME_MAX

    return fabric[:LAB_NAME_MAX]


def require_root(bag: Bag) -> None:
    """End the command unless root runs it: other users cannot inspect a lab."""
    from fabricgen.lab.lifecycle.preflight import check_root

    if not check_root(bag):
        print_diagnostics(bag, None, DiagnosticFormat.text)
        raise typer.Exit(1)


def find_running(inventory: Path | None, name: str, bag: Bag) -> Blueprint:
    """Return the lab that runs; without one the command ends."""
    from fabricgen.lab.stages import find_lab

    require_root(bag)
    blueprint = find_lab(name_lab(inventory, name, bag), bag)
    if blueprint is None:
        print_diagnostics(bag, None, DiagnosticFormat.text)
        raise typer.Exit(1)
    return blueprint


def load_booted(
    inventory: Path, overlay: Sequence[str] | None, catalog: Sequence[Path] | None, running: Blueprint
) -> PlannedInventory:
    """Compile the inventory of a lab as it is now, with the overlays and catalogs of its boot where none are given."""
    return load_planned(inventory, overlay or running.overlays, catalog or [*map(Path, running.catalogs)])
