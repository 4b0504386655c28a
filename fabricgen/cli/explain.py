"""``fabricgen explain``: what a code means, or which intent line made a config line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fabricgen.cli.options import CatalogOption, argument, option
from fabricgen.cli.output import end_on_errors
from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.visible import show_lines

EXAMPLES = """\
fabricgen explain FG-TOP-009
fabricgen explain out/hosts/gpu-u001-h01/etc/sysctl.d/90-fabricgen.conf:3"""


def explain(
    what: Annotated[str, argument("CODE|FILE:LINE", "A code such as FG-QOS-001, or a line of a rendered file.")],
    inventory: Annotated[
        Path | None,
        option("--inventory", "INVENTORY", "Inventory that the file was rendered from; found by itself if not given."),
    ] = None,
    catalog: CatalogOption = None,
) -> None:
    """Explain a diagnostic code or a line of a rendered file.

    For a line: the template line that wrote it, and the lines of the intent that decide it.
    """
    from fabricgen.api.explain import explain_code_text, explain_line

    bag = Bag()
    if what.upper().startswith("FG-"):
        text = explain_code_text(what, bag)
    else:
        text = explain_line(what, inventory, Path.cwd(), bag, catalog or ())
    end_on_errors(bag)
    print(show_lines(text))
