"""``fabricgen analyze``: what follows from the plan as a whole."""

from __future__ import annotations

import re
from enum import StrEnum
from time import process_time
from typing import TYPE_CHECKING, Annotated

import typer

from fabricgen.cli.options import CatalogOption, InventoryArgument, OverlayOption, argument, option
from fabricgen.cli.output import DataFormat, print_diagnostics, print_line
from fabricgen.cli.planned import load_planned
from fabricgen.cli.progress import show_progress
from fabricgen.cli.terminal import PagerOption, paged
from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.words import counted

if TYPE_CHECKING:
    from fabricgen.cli.planned import PlannedInventory
    from fabricgen.plan.model.fabric import FabricPlan
    from fabricgen.tables.sections import Sections


RanksOption = Annotated[
    int | None,
    typer.Option("--ranks", metavar="N", min=2, help="For entropy: a ring over N GPUs, not the intent's workload."),
]
QpsOption = Annotated[
    int | None, typer.Option("--qps", metavar="N", min=1, max=128, help="For entropy: queue pairs per connection.")
]
RailsOption = Annotated[str | None, option("--rails", "LIST", "For entropy: rails of the ring, such as 0,1 or 0-3.")]


def print_warned(
    planned: PlannedInventory, ranks: int | None, qps: int | None, rails: str | None, *, detail: bool
) -> Sections:
    """Return the analysis; its warnings are printed, of one that is waived the code and the waiver."""
    from datetime import date

    from fabricgen.checks.model import PlanView
    from fabricgen.compiler.waivers import waive_more
    from fabricgen.tables.entropy.job import EntropyOptions, make_job
    from fabricgen.tables.entropy.show import show_entropy

    plan = planned.plan
    asked = EntropyOptions(_ranks(plan, ranks), qps or 0, _rails(plan, rails))
    bag, catalog = Bag(), planned.compiled.catalog
    if catalog is None:
        raise typer.Exit(1)
    view = PlanView(planned.intent, catalog, planned.platforms, plan)
    sections = show_entropy(view, make_job(plan, asked), bag, detail=detail)
    waive_more(planned.compiled.folder, planned.compiled.document, bag, date.today())
    counted = Bag()
    for found in bag:
        if found.waived:
            print_line(f"{found.code} waived {found.waived}", error=True)
        else:
            counted.extend([found])
    print_diagnostics(counted, planned.compiled)
    return sections


def _ranks(plan: FabricPlan, ranks: int | None) -> int:
    from fabricgen.analysis.placement import list_gpus

    gpus = len(list_gpus(plan))
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


PairsOption = Annotated[
    str | None,
    typer.Option(
        metavar="SCOPES", help="Of failures: every two of some tiers and links at once, as in spine,leaf-spine."
    ),
]


def work_out_failures(planned: PlannedInventory, pairs: str | None, *, links: bool) -> Sections:
    """Work out failures; on a terminal with progress, and long ones with what they cost."""
    from fabricgen.analysis.failure_classes import list_scopes
    from fabricgen.tables.failures import Question, show_failures
    from fabricgen.tables.timers import restarts_gracefully

    scopes = tuple(word.strip() for word in (pairs or "").split(",") if word.strip())
    known = list_scopes(planned.plan)
    named_scopes = scopes if scopes or pairs is None else ("nothing",)
    if unknown := [scope for scope in named_scopes if scope not in known]:
        named, listed = ", ".join(unknown), ", ".join(known)
        raise typer.BadParameter(f"{named} is no tier and no links; give some of {listed}", param_hint="'--pairs'")
    question = Question(scopes, links, restarts_gracefully(planned.plan, planned.platforms))
    with show_progress("failures") as show:
        began = process_time()

        def step(done: int, total: int) -> None:
            show("failures", done, total)
            seconds = (process_time() - began) / done * total if done == SAMPLE else 0
            if seconds >= LONG_S:
                print_line(f"{total} classes of failures: about {seconds:.0f} s of CPU time", error=True)

        return show_failures(planned.plan, planned.intent.expect, question, step)


SAMPLE, LONG_S = 5, 20
"""Parts after which the whole is estimated, and seconds from which the estimate is worth a line."""
EXAMPLES = """\
fabricgen analyze my-fabric capacity
fabricgen analyze my-fabric buffers --format json
fabricgen analyze my-fabric failures --pairs spine,leaf-spine
fabricgen analyze my-fabric entropy --ranks 1024 --qps 4
fabricgen analyze my-fabric deadlock"""

AnalyzeTopic = StrEnum("AnalyzeTopic", "buffers capacity deadlock failures entropy")
"""Subjects of ``analyze``."""


def analyze(
    inventory: InventoryArgument,
    what: Annotated[AnalyzeTopic, argument("QUESTION", "What to analyse.")],
    overlay: OverlayOption = None,
    catalog: CatalogOption = None,
    ranks: RanksOption = None,
    qps: QpsOption = None,
    rails: RailsOption = None,
    pairs: PairsOption = None,
    form: Annotated[DataFormat, typer.Option("--format", help="How data is printed.")] = DataFormat.table,
    pager: Annotated[bool, PagerOption] = False,
) -> None:
    """Analyse buffers, capacity, deadlock, failures or entropy.

    buffers accounts for every byte of each kind of switch. capacity shows what each tier offers and, with a workload in
    the intent, what the training job asks of it. failures shows what the loss of any one switch, link or NIC port does.
    entropy shows how unevenly hashing spreads the flows of a job over each link group, beside other queue pairs and
    other balancing; without a job, those of one ring over all GPUs. deadlock shows whether PFC can close a cycle of
    buffers in any state of up to two failures: the order of the buffers that proves it cannot, or the shortest cycle
    and what breaks it.
    """
    from fabricgen.cli.output import print_sections
    from fabricgen.tables.buffers import account_buffers
    from fabricgen.tables.capacity import nvlink_rates, show_capacity
    from fabricgen.tables.deadlock import show_deadlock

    given: dict[str, object] = {"ranks": ranks, "qps": qps, "rails": rails, "pairs": pairs}
    for name, value in given.items():
        topic = AnalyzeTopic.failures if name == "pairs" else AnalyzeTopic.entropy
        if value is not None and what is not topic:
            message = f"belongs to {topic.value}; {what.value} has no use for it"
            raise typer.BadParameter(message, param_hint=f"'--{name}'")
    planned = load_planned(inventory, overlay, catalog)
    if what is AnalyzeTopic.buffers:
        limit = planned.intent.lossless.headroom.pool_oversubscription_max
        sections = account_buffers(planned.plan, limit)
    elif what is AnalyzeTopic.capacity:
        sections = show_capacity(planned.plan, nvlink_rates(planned.intent, planned.compiled.catalog))
    elif what is AnalyzeTopic.deadlock:
        sections = show_deadlock(planned.plan)
    elif what is AnalyzeTopic.failures:
        sections = work_out_failures(planned, pairs, links=form is not DataFormat.table)
    else:
        sections = print_warned(planned, ranks, qps, rails, detail=form is not DataFormat.table)
    with paged(pager):
        print_sections(sections, form)
