"""``fabricgen show``: what the plan says, as tables."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from fabricgen.cli.options import CatalogOption, InventoryArgument, OverlayOption
from fabricgen.cli.output import DataFormat, print_json, print_rows
from fabricgen.cli.planned import Planned, load_planned


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
    catalog: CatalogOption = None,
    form: Annotated[DataFormat, typer.Option("--format", help="How data is printed.")] = DataFormat.table,
) -> None:
    """Show the planned fabric: summary, devices, links, addresses, cabling, exceptions, qos or buffers."""
    planned = load_planned(inventory, overlay, catalog)
    if what is What.summary:
        _print_summary(planned, form)
    elif what in (What.qos, What.buffers):
        _print_sections(what, planned, form)
    else:
        from fabricgen.api.show.tables import TABLES

        print_rows(TABLES[what.value](planned.plan), form)


def _print_sections(what: What, planned: Planned, form: DataFormat) -> None:
    from fabricgen.api.show.buffers import show_buffers
    from fabricgen.api.show.qos import show_qos
    from fabricgen.cli.sections import print_sections

    if what is What.qos:
        print_sections(show_qos(planned.plan, planned.platforms), form)
    else:
        print_sections(show_buffers(planned.plan, planned.intent.lossless.headroom.pool_oversubscription_max), form)


def _print_summary(planned: Planned, form: DataFormat) -> None:
    from dataclasses import asdict

    from fabricgen.analysis.capacity import summarize

    summary = asdict(summarize(planned.plan, len(planned.intent.exceptions)))
    if form is DataFormat.json:
        print_json(summary)
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
