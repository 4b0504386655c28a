"""Options that several verbs share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fabricgen.cli.completion import complete_devices, complete_overlays

InventoryArgument = Annotated[
    Path,
    typer.Argument(metavar="INVENTORY", help="Folder with fabric.yaml, or that file itself.", show_default=False),
]
OverlayOption = Annotated[
    list[str] | None,
    typer.Option(
        "--overlay",
        metavar="NAME",
        autocompletion=complete_overlays,
        help="Apply the overlay of this name, a file of the inventory's folder overlays; may be repeated.",
        show_default=False,
    ),
]
OnlyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--only",
        metavar="GLOB",
        autocompletion=complete_devices,
        help="Only devices whose name matches, for example 'leaf-*'; may be repeated.",
        show_default=False,
    ),
]
CatalogOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--catalog",
        metavar="DIR",
        help="Also look up models in this catalog, after the inventory's own; may be repeated.",
        show_default=False,
    ),
]
