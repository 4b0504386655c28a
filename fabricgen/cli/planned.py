"""Inventories whose plan is wanted: compiled without a word, or the command ends with what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import typer

from fabricgen.cli.output import print_diagnostics
from fabricgen.cli.progress import show_progress
from fabricgen.diagnostics import Bag

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from fabricgen.api import Compiled
    from fabricgen.intent.fabric import FabricIntent
    from fabricgen.plan.model.fabric import FabricPlan
    from fabricgen.platforms.manifest.spec import PlatformSpec


class PlannedInventory(NamedTuple):
    """Result of compiling an inventory without errors."""

    intent: FabricIntent
    platforms: Mapping[str, PlatformSpec]
    plan: FabricPlan
    compiled: Compiled


def load_planned(
    inventory: Path, overlay: Sequence[str] | None, catalog: Sequence[Path] | None, *, notes: bool = False
) -> PlannedInventory:
    """Compile an inventory; its errors are printed, and with ``notes`` what needs no action."""
    from datetime import date

    from fabricgen.api import compile_inventory

    bag = Bag()
    with show_progress("checking"):
        compiled = compile_inventory(inventory, overlay or (), bag, catalogs=catalog or (), today=date.today())
    failed = print_diagnostics(bag, compiled, quiet=True, notes=notes)
    if failed or compiled is None or compiled.plan is None or compiled.intent is None:
        raise typer.Exit(1)
    return PlannedInventory(compiled.intent, compiled.platforms or {}, compiled.plan, compiled)
