"""``fabricgen show``: what the plan says, as tables."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from fabricgen.cli.options import InventoryArgument, OverlayOption
from fabricgen.cli.output import DataFormat, DiagnosticFormat, print_diagnostics, print_rows

if TYPE_CHECKING:
    from fabricgen.api import Compiled


class What(StrEnum):
    """What can be shown."""

    summary = "summary"
    devices = "devices"
    links = "links"
    addresses = "addresses"
    cabling = "cabling"
    exceptions = "exceptions"
    qos = "qos"
    buffers = "buffers"


def show(
    inventory: InventoryArgument,
    what: Annotated[What, typer.Argument(help="What to show.")] = What.summary,
    overlay: OverlayOption = None,
    form: Annotated[DataFormat, typer.Option("--format", help="How data is printed.")] = DataFormat.table,
) -> None:
    """Show the planned fabric: summary, devices, links, addresses, cabling, exceptions, qos or buffers."""
    from datetime import date

    from fabricgen.api import compile_inventory
    from fabricgen.diagnostics import Bag

    bag = Bag()
    compiled = compile_inventory(inventory, overlay or (), bag, today=date.today())
    failed = print_diagnostics(bag, compiled, DiagnosticFormat.text, quiet=True)
    if failed or compiled is None or compiled.plan is None or compiled.intent is None:
        raise typer.Exit(1)
    if what is What.summary:
        _print_summary(compiled.plan, len(compiled.intent.exceptions), form)
    elif what in (What.qos, What.buffers):
        _print_sections(what, compiled, form)
    else:
        from fabricgen.api.show import TABLES

        print_rows(TABLES[what.value](compiled.plan), form)


def _print_sections(what: What, compiled: Compiled, form: DataFormat) -> None:
    from fabricgen.api.show_buffers import show_buffers
    from fabricgen.api.show_qos import show_qos
    from fabricgen.cli.sections import print_sections

    assert compiled.plan is not None and compiled.intent is not None  # noqa: S101, PT018 - the caller has checked
    if what is What.qos:
        print_sections(show_qos(compiled.plan, compiled.platforms or {}), form)
    else:
        print_sections(show_buffers(compiled.plan, compiled.intent.lossless.headroom.pool_oversubscription_max), form)


def _print_summary(plan: object, exceptions: int, form: DataFormat) -> None:
    import json
    from dataclasses import asdict

    from fabricgen.analysis.capacity import summarize
    from fabricgen.plan.model.fabric import FabricPlan

    assert isinstance(plan, FabricPlan)  # noqa: S101 - the caller has checked
    summary = asdict(summarize(plan, exceptions))
    if form is DataFormat.json:
        print(json.dumps(summary, indent=2))
        return
    rows: list[dict[str, str | int | float]] = []
    for key, value in summary.items():
        if isinstance(value, dict):
            rows += [
                {"key": f"{key} {name}", "value": "-" if item is None else str(item)} for name, item in value.items()
            ]
        else:
            rows.append({"key": key, "value": str(value)})
    print_rows(rows, form)
