"""Options that several verbs share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from fabricgen.cli.completion import complete_devices, complete_overlays


def option(flags: str, value: str, words: str, complete: Callable[..., list[str]] | None = None) -> Any:
    """Return an option that takes a value; blanks part its flags, ``complete`` completes the value in a shell."""
    return typer.Option(*flags.split(), metavar=value, help=words, autocompletion=complete, show_default=False)


def argument(value: str, words: str, complete: Callable[..., list[str]] | None = None) -> Any:
    """Return an argument that has no default to show; see ``option``."""
    return typer.Argument(metavar=value, help=words, autocompletion=complete, show_default=False)


def flag(name: str, words: str) -> Any:
    """Return an option that takes no value."""
    return typer.Option(name, help=words)


InventoryArgument = Annotated[Path, argument("INVENTORY", "Folder with fabric.yaml, or that file itself.")]
OverlayOption = Annotated[
    list[str] | None,
    option(
        "--overlay",
        "NAME",
        "Apply the overlay of this name, a file of the inventory's folder overlays; may be repeated.",
        complete=complete_overlays,
    ),
]
OnlyOption = Annotated[
    list[str] | None,
    option(
        "--only",
        "GLOB",
        "Only devices whose name matches, for example 'leaf-*'; may be repeated.",
        complete=complete_devices,
    ),
]
CatalogOption = Annotated[
    list[Path] | None,
    option("--catalog", "DIR", "Also look up models in this catalog, after the inventory's own; may be repeated."),
]
