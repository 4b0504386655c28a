"""``fabricgen export``: the fabric in the form of another tool."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from fabricgen.cli.options import CatalogOption, InventoryArgument, OverlayOption, argument, option
from fabricgen.cli.output import end_on_errors, print_line
from fabricgen.cli.planned import load_planned
from fabricgen.diagnostics import Bag

EXAMPLES = """\
fabricgen export anta my-fabric -o anta
fabricgen export anta my-fabric -o anta --catalog models"""

Format = StrEnum("Format", "anta")
"""Forms of other tools."""


def export(
    form: Annotated[Format, argument("FORMAT", "The tool to export for.")],
    inventory: InventoryArgument,
    out: Annotated[Path, option("-o --out", "DIR", "Empty or new folder.")],
    overlay: OverlayOption = None,
    catalog: CatalogOption = None,
) -> None:
    """Write the fabric in the form of another tool.

    anta: inventory and catalog of Arista's tests, with what `fabricgen check` expects of each switch.
    """
    from fabricgen.diagnostics.file_codes import NOT_EMPTY
    from fabricgen.export.formats import export_plan
    from fabricgen.render.tree.new_folder import write_new_folder

    bag = Bag()
    planned = load_planned(inventory, overlay, catalog)
    files = export_plan(form.value, planned.plan, planned.platforms, bag) or {}
    if files:
        write_new_folder(out, {name: text.encode() for name, text in files.items()}, bag, NOT_EMPTY, mode=0o755)
    end_on_errors(bag)
    print_line(f"{out}: {', '.join(files)}", error=True)
