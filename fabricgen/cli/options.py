"""Options that several verbs share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

InventoryArgument = Annotated[
    Path, typer.Argument(help="Folder with fabric.yaml, or the file itself.", show_default=False)
]
OverlayOption = Annotated[
    list[str] | None,
    typer.Option("--overlay", help="Overlay of the inventory to apply; may be repeated.", show_default=False),
]
OnlyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--only",
        metavar="GLOB",
        help="Only devices whose name matches, for example 'leaf-*'; may be repeated.",
        show_default=False,
    ),
]
CatalogOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--catalog",
        metavar="DIR",
        help="Catalog that inventories share, looked into after the inventory's own; may be repeated.",
        show_default=False,
    ),
]
