"""Options of ``analyze INVENTORY entropy``: which job, with how many queue pairs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from fabricgen.cli.options import option
from fabricgen.cli.output import DiagnosticFormat, print_diagnostics, print_line

if TYPE_CHECKING:
    from fabricgen.cli.planned import PlannedInventory
    from fabricgen.diagnostics import Place
    from fabricgen.plan.model.fabric import FabricPlan
    from fabricgen.tables.entropy.job import EntropyJob
    from fabricgen.tables.sections import Sections

QPS_MAX, CHANNELS_MAX = 128, 64
RanksOption = Annotated[
    int | None, option("--ranks", "N", "For entropy: a ring over the first N GPUs, not the intent's workload.")
]
QpsOption = Annotated[int | None, option("--qps", "N", "For entropy: queue pairs per connection.")]
ChannelsOption = Annotated[int | None, option("--channels", "N", "For entropy: connections from a NIC to the next.")]
RailsOption = Annotated[str | None, option("--rails", "LIST", "For entropy: rails of the ring, such as 0,1 or 0-3.")]
FlowsOption = Annotated[Path | None, option("--flows", "FILE", "For entropy: the flows themselves, as CSV or YAML.")]


class Given(NamedTuple):
    """Options as they are given; None where one is not."""

    ranks: int | None
    qps: int | None
    channels: int | None
    rails: str | None
    flows: Path | None


def refuse_given(given: Given, what: str) -> None:
    """End the command where an option is given that its question does not have.

    Raises:
        typer.BadParameter: One is.
    """
    for name, value in given._asdict().items():
        if value is not None:
            raise typer.BadParameter(f"belongs to entropy; {what} has no job to choose", param_hint=f"'--{name}'")


def print_warned(planned: PlannedInventory, given: Given, *, detail: bool) -> Sections:
    """Return the analysis; its warnings are printed, of one that is waived the code and the waiver.

    Raises:
        typer.BadParameter: An option has no meaning in this fabric.
        typer.Exit: The list of flows has faults, which are printed.
    """
    from datetime import date

    from fabricgen.checks.model import PlanView
    from fabricgen.compiler.waivers import waive_more
    from fabricgen.diagnostics import Bag
    from fabricgen.tables.entropy.show import show_entropy

    job, place = _read_job(planned, given)
    bag, catalog = Bag(), planned.compiled.catalog
    if catalog is None:
        raise typer.Exit(1)
    view = PlanView(planned.intent, catalog, planned.platforms, planned.plan)
    sections = show_entropy(view, job, bag, detail=detail, place=place)
    waive_more(planned.compiled.folder, planned.compiled.document, bag, date.today())
    counted = Bag()
    for found in bag:
        if found.waived:
            print_line(f"{found.code} waived {found.waived}", error=True)
        else:
            counted.extend([found])
    print_diagnostics(counted, planned.compiled, DiagnosticFormat.text)
    return sections


def _read_job(planned: PlannedInventory, given: Given) -> tuple[EntropyJob, Place | None]:
    """The job of the options, and where its queue pairs are given if that is a list of flows."""
    from fabricgen.diagnostics import Bag
    from fabricgen.intent.flows import load_flows
    from fabricgen.tables.entropy.job import EntropyOptions, find_flows, make_job

    plan = planned.plan
    pairs, channels = _number("--qps", given.qps, QPS_MAX), _number("--channels", given.channels, CHANNELS_MAX) or 1
    if given.flows is None:
        asked = EntropyOptions(_ranks(plan, given.ranks), pairs, _rails(plan, given.rails), channels)
        return make_job(plan, asked), None
    for name in ("ranks", "rails"):
        if getattr(given, name) is not None:
            raise typer.BadParameter(
                "has no meaning beside --flows, which names hosts and rails", param_hint=f"'--{name}'"
            )
    bag = Bag()
    listed = load_flows(given.flows, bag)
    flows = find_flows(plan, listed, bag, channels)
    if print_diagnostics(bag, planned.compiled, DiagnosticFormat.text):
        raise typer.Exit(1)
    if not listed:
        raise typer.BadParameter(f"{given.flows} lists no flow", param_hint="'--flows'")
    place = min(listed, key=lambda flow: flow.queue_pairs or pairs or plan.collectives.qps_per_connection).at("qps")
    return make_job(plan, EntropyOptions(0, pairs, (), channels), flows), place


def _number(name: str, value: int | None, most: int) -> int:
    if value is not None and not 1 <= value <= most:
        raise typer.BadParameter(f"{value} is not a number from 1 to {most}", param_hint=f"'{name}'")
    return value or 0


def _ranks(plan: FabricPlan, ranks: int | None) -> int:
    from fabricgen.analysis.placement import list_gpus
    from fabricgen.diagnostics.words import counted

    gpus = len(list_gpus(plan))
    if ranks is not None and ranks < 2:
        raise typer.BadParameter(f"{ranks} is too few: a ring has at least 2 ranks", param_hint="'--ranks'")
    if ranks is not None and ranks > gpus:
        message = f"{ranks} is too many: {counted(gpus, 'GPU')} can take part; spares, absent and drained hosts do not"
        raise typer.BadParameter(message, param_hint="'--ranks'")
    return ranks or 0


def _rails(plan: FabricPlan, text: str | None) -> tuple[int, ...]:
    """Rails of a list such as ``0,2-3``."""
    if text is None:
        return ()
    found: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*([0-9]{1,3})(?:-([0-9]{1,3}))?\s*", part)
        if match is None:
            raise typer.BadParameter(f"{text!r} is no list of rails; write 0,1 or 0-3", param_hint="'--rails'")
        found.update(range(int(match[1]), int(match[2] or match[1]) + 1))
    missing = sorted(rail for rail in found if rail >= plan.rails)
    if missing or not found:
        message = f"rail {missing[0]} does not exist" if missing else f"{text!r} names no rail"
        raise typer.BadParameter(f"{message}; rails are 0 to {plan.rails - 1}", param_hint="'--rails'")
    return tuple(sorted(found))
