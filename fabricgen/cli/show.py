"""``fabricgen show``: what the plan says, as tables."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabricgen.cli.completion import complete_devices, complete_tiers
from fabricgen.cli.options import CatalogOption, InventoryArgument, OverlayOption, argument, option
from fabricgen.cli.output import DataFormat, end_on_errors, print_json, print_line, print_rows
from fabricgen.cli.planned import PlannedInventory, load_planned
from fabricgen.cli.terminal import PagerOption, paged
from fabricgen.diagnostics import Bag

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from fabricgen.catalog.fault_records import KnownFault


HostsArgument = Annotated[list[str] | None, argument("[HOST HOST]", "The two hosts of a path.", complete_devices)]
RailOption = Annotated[int | None, option("--rail", "NUMBER", "Rail of a path's ends, from 0; 0 if not given.")]


def print_path(planned: PlannedInventory, names: list[str], rail: int, form: DataFormat) -> None:
    """Print the ways between two hosts."""
    from fabricgen.analysis.ways import list_ways
    from fabricgen.cli.output import print_sections
    from fabricgen.tables.path import PathView
    from fabricgen.tables.path_ends import check_ways, find_ends

    plan, bag = planned.plan, Bag()
    ends = find_ends(plan, tuple(names), rail, bag)
    ways = list_ways(plan, *ends) if ends else []
    if ends and check_ways(plan, *ends, ways, bag):
        print_sections(PathView(plan, planned.platforms).sections(*ends, ways), form)
    end_on_errors(bag)


EXAMPLES = """\
fabricgen show my-fabric
fabricgen show my-fabric devices --tier leaf --unit 1-4
fabricgen show my-fabric links --device spine-01
fabricgen show my-fabric cabling --unit 1 --format csv > rack-1.csv
fabricgen show my-fabric path gpu-u001-h01 gpu-u002-h03 --rail 2"""

ShowTopic = StrEnum("ShowTopic", "summary devices links addresses cabling exceptions qos buffers path")
"""Subjects of ``show``."""
_OF_DEVICES = (ShowTopic.devices, ShowTopic.links, ShowTopic.addresses, ShowTopic.cabling, ShowTopic.exceptions)
"""Tables whose rows concern devices, which options choose."""


DeviceOption = Annotated[
    list[str] | None,
    option("--device", "GLOB", "Only devices whose name matches; may be repeated.", complete=complete_devices),
]
TierOption = Annotated[
    list[str] | None,
    option("--tier", "GLOB", "Only this tier or host group; may be repeated.", complete=complete_tiers),
]
UnitOption = Annotated[
    list[str] | None,
    option("--unit", "NUMBER", "Only leafs and hosts of this unit, or of a range such as 2-4; may be repeated."),
]


def show(
    inventory: InventoryArgument,
    what: Annotated[ShowTopic, typer.Argument(metavar="TABLE", help="The table.")] = ShowTopic.summary,
    hosts: HostsArgument = None,
    overlay: OverlayOption = None,
    catalog: CatalogOption = None,
    rail: RailOption = None,
    device: DeviceOption = None,
    tier: TierOption = None,
    unit: UnitOption = None,
    form: Annotated[DataFormat, typer.Option("--format", help="How data is printed.")] = DataFormat.table,
    pager: Annotated[bool, PagerOption] = False,
) -> None:
    """Show a table of the planned fabric.

    Columns that do not fit a terminal are left out, and a note names them; names, AS numbers, addresses and ports are
    always whole. In a pipe, and with --format, nothing is left out. path follows a flow between a rail of two hosts.
    """
    from fabricgen.cli.output import print_sections
    from fabricgen.tables.buffers import show_buffers
    from fabricgen.tables.qos import show_qos

    chosen = (tuple(device or ()), tuple(tier or ()), tuple(unit or ()))
    _check_usage(inventory, what, of_devices=any(chosen), of_path=bool(hosts) or rail is not None)
    planned = load_planned(inventory, overlay, catalog, notes=what is ShowTopic.summary)
    with paged(pager):
        if what is ShowTopic.path:
            print_path(planned, hosts or [], rail or 0, form)
        elif what is ShowTopic.summary:
            _print_summary(planned, form)
        elif what is ShowTopic.qos:
            faults = [fault for fault in _list_met(planned) if fault.key.startswith("lossless")]
            print_sections(show_qos(planned.plan, planned.platforms, faults), form)
        elif what is ShowTopic.buffers:
            limit = planned.intent.lossless.headroom.pool_oversubscription_max
            print_sections(show_buffers(planned.plan, limit), form)
        elif not print_rows(_list_rows(what, planned, chosen), form):
            print_line(f"{planned.plan.name}: no {what.value}", error=True)


def _check_usage(inventory: Path, what: ShowTopic, *, of_devices: bool, of_path: bool) -> None:
    """Refuse a missing inventory, and options that belong to other tables."""
    if inventory.name in [*ShowTopic] and not inventory.exists():
        message = f"which inventory? For example: fabricgen show my-fabric {inventory.name}"
        raise typer.BadParameter(message, param_hint="'INVENTORY'")
    if of_devices and what not in _OF_DEVICES:
        listed = ", ".join(each.value for each in _OF_DEVICES)
        raise typer.BadParameter(f"--device, --tier and --unit choose rows of {listed}; {what.value} has none of them")
    if of_path and what is not ShowTopic.path:
        raise typer.BadParameter(f"two hosts and --rail belong to the table path, not to {what.value}")


def _list_rows(
    what: ShowTopic, planned: PlannedInventory, chosen: tuple[tuple[str, ...], ...]
) -> Iterator[dict[str, str | int | float]]:
    """Return the rows of a table that concern chosen devices; a choice of none ends the command."""
    from fabricgen.device.globs import Choice, choose_devices
    from fabricgen.tables.tables import TABLES, keep_devices

    bag = Bag()
    devices = choose_devices(Choice(*chosen), planned.plan, bag)
    end_on_errors(bag)
    rows = TABLES[what.value](planned.plan)
    return rows if devices is None else keep_devices(rows, devices)


def _list_met(planned: PlannedInventory) -> list[KnownFault]:
    """Return the known faults of the software that the fabric meets."""
    from fabricgen.checks.model import PlanView
    from fabricgen.checks.rules.known_faults import list_met

    if planned.compiled.catalog is None:
        return []
    view = PlanView(planned.intent, planned.compiled.catalog, planned.platforms, planned.plan)
    return [fault for fault, _ in list_met(view)]


def _print_summary(planned: PlannedInventory, form: DataFormat) -> None:
    from dataclasses import asdict

    from fabricgen.analysis.capacity import summarize
    from fabricgen.tables.scale_up import find_scale_up

    summary = asdict(summarize(planned.plan, len(planned.intent.exceptions)))
    domains = find_scale_up(planned.plan, planned.compiled.catalog)
    summary["known_faults"] = {fault.id: fault.happens for fault in _list_met(planned)}
    summary["scale_up"] = {name: each._asdict() for name, each in domains.items()}
    if form is DataFormat.json:
        print_json(summary)
        return
    if form is DataFormat.table:
        # Decimals are for programs; a person reads 2:1.
        summary["oversubscription"] = summary.pop("ratios")
    print_rows([{"key": key, "value": value} for key, value in _flatten(summary)], form)


def _flatten(summary: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Yield each number of a summary by the words that lead to it."""
    for key, value in summary.items():
        if isinstance(value, dict):
            yield from _flatten(value, f"{above}{key} ")
        else:
            yield above + key, "-" if value is None else str(value)
