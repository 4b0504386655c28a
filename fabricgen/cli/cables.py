"""``fabricgen cables``: the cables of a fabric, as LLDP shows them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabricgen.cli.check import CheckFormat
from fabricgen.cli.options import CatalogOption, InventoryArgument, OnlyOption, OverlayOption, argument
from fabricgen.cli.output import DataFormat, print_diagnostics, print_json, print_line, print_rows
from fabricgen.cli.planned import load_planned
from fabricgen.cli.progress import show_progress
from fabricgen.cli.verb import add_verb, make_group
from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.api.cables import CableReport
    from fabricgen.cli.planned import PlannedInventory

EXAMPLES = """\
fabricgen cables check my-fabric lldp/
fabricgen cables check my-fabric leaf-u001-r0.txt spine-01.json
fabricgen cables check my-fabric lldp/ --only 'leaf-u001-*' --format csv"""

cables = make_group("Compare the cables that LLDP reports with the plan: fabricgen cables check INVENTORY DIR.")


@cables.callback()
def _root() -> None:
    """Keep the name of the only verb a word of the command line."""


PlacesArgument = Annotated[
    list[Path],
    argument(
        "DIR|FILE",
        "Texts or JSON of LLDP, each named after its device or in a folder of that name; or folders of them.",
    ),
]


def check(
    inventory: InventoryArgument,
    places: PlacesArgument,
    overlay: OverlayOption = None,
    catalog: CatalogOption = None,
    only: OnlyOption = None,
    form: Annotated[CheckFormat, typer.Option("--format", help="How results are printed.")] = CheckFormat.table,
) -> None:
    """Compare cables with the plan, and say which to move.

    Reads show lldp table, lldpctl, show lldp neighbors and their JSON, as they were printed. Exit code: 0 as planned,
    1 errors, 3 different.
    """
    from fabricgen.api.cables import check_cables
    from fabricgen.device.globs import Choice, choose_devices

    planned = load_planned(inventory, overlay, catalog)
    bag = Bag()
    chosen = choose_devices(Choice(devices=tuple(only or ())), planned.plan, bag)
    found = None
    if not bag.has_errors:
        with show_progress("judging"):
            found = check_cables(planned.plan, planned.platforms, places, chosen, bag)
    _print(found, planned, bag, form)
    if bag.has_errors or found is None:
        raise typer.Exit(1)
    if found.faults:
        raise typer.Exit(3)


add_verb(cables, check, EXAMPLES)


def _print(found: CableReport | None, planned: PlannedInventory, bag: Bag, form: CheckFormat) -> None:
    from fabricgen.cli.check import print_results
    from fabricgen.state.report import show_diagnostics

    if form not in (CheckFormat.table, CheckFormat.json, CheckFormat.csv):
        print_results(found.devices if found else (), planned, bag, form)
        return
    print_diagnostics(bag, planned.compiled, devices=True)
    if form is CheckFormat.json:
        clean = found is not None and not found.faults and not bag.has_errors
        counts = {"planned": found.planned, "judged": found.judged, "from_one_end": found.one_end} if found else {}
        faults = list(_rows(found)) if found else []
        print_json({"clean": clean, "diagnostics": show_diagnostics(list(bag)), "cables": counts, "faults": faults})
    elif found and form is CheckFormat.csv:
        print_rows(_rows(found), DataFormat.csv)
    elif found:
        if print_rows(_rows(found), DataFormat.table, whole=True):
            print_line()
        print_line(_conclude(found))


def _rows(found: CableReport) -> Iterator[dict[str, str | int | float]]:
    """Yield a row for each mistake, those of one rack together."""
    for fault in found.faults:
        ports = ", ".join(f"{end.device} {end.port}" for end in fault.ends)
        yield {"place": fault.place, "mistake": fault.kind, "repair": fault.text, "ports": ports}


def _conclude(found: CableReport) -> str:
    """Return the whole in one sentence."""
    left = found.planned - found.judged
    parts = [
        f"{found.judged:,} of {found.planned:,} cables judged",
        *([f"{found.one_end:,} of them from one end"] if found.one_end else []),
        *([f"{left:,} not judged, as neither end was read"] if left else []),
    ]
    verdict = counted(len(found.faults), "mistake") if found.faults else "nothing differs from the plan"
    return f"{', '.join(parts)}: {verdict}"
