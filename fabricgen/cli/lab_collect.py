"""``fabricgen lab collect``: what devices of a running lab have, as ``fabricgen collect`` takes it from a fabric."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fabricgen.cli.collect import build_settings, run_collection
from fabricgen.cli.collect_options import FormatOption
from fabricgen.cli.lab_choice import NameOption, find_running
from fabricgen.cli.options import OnlyOption, option
from fabricgen.cli.output import DiagnosticFormat, print_diagnostics

EXAMPLES = """\
fabricgen lab collect my-fabric -o collected
fabricgen lab collect --name lab2 -o collected --only 'spine-*'"""
_WIDTH, _TIMEOUT_S = 8, 60


def collect(
    out: Annotated[Path, option("-o --out", "DIR", "Folder of the collection, private to you.")],
    inventory: Annotated[
        Path | None, typer.Argument(metavar="INVENTORY", help="The inventory of the lab.", show_default=False)
    ] = None,
    only: OnlyOption = None,
    name: NameOption = "",
    form: FormatOption = None,
) -> None:
    """Fetch running configurations and states of a lab.

    The folder is that of fabricgen collect: diff, check and rollout read it. Exit code: 0 all collected, 1 errors.
    """
    from fabricgen.collect.target import Login
    from fabricgen.diagnostics import Bag
    from fabricgen.lab.collection.targets import list_targets, load_specs
    from fabricgen.lab.collection.way import LabWay

    bag = Bag()
    blueprint = find_running(inventory, name, bag)
    specs = load_specs(blueprint, bag)
    targets = list_targets(blueprint, specs, only or (), bag)
    if print_diagnostics(bag, None, DiagnosticFormat.text):
        raise typer.Exit(1)
    settings = build_settings(out, Login("root", (), sudo=False), _WIDTH, _TIMEOUT_S)
    named = {spec.name: spec for spec in specs}
    run_collection(targets, named, settings, form, ways=LabWay(blueprint, settings.limits))
