"""``fabricgen analyze``: what follows from the plan as a whole."""

from __future__ import annotations

import re
from enum import StrEnum
from time import process_time
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from fabricgen.cli.options import CatalogOption, InventoryArgument, OverlayOption, argument, option
from fabricgen.cli.output import DataFormat, print_diagnostics, print_line
from fabricgen.cli.planned import load_planned
from fabricgen.cli.progress import show_progress
from fabricgen.cli.terminal import PagerOption, paged
from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.cli.planned import PlannedInventory
    from fabricgen.plan.model.fabric import FabricPlan
    from fabricgen.tables.sections import Sections


QPS_MAX = 128
RanksOption = Annotated[
    int | None, option("--ranks", "N", "For entropy: a ring over the first N GPUs, not the intent's workload.")
]
QpsOption = Annotated[int | None, option("--qps", "N", "For entropy: queue pairs per connection.")]
RailsOption = Annotated[str | None, option("--rails", "LIST", "For entropy: rails of the ring, such as 0,1 or 0-3.")]


class Given(NamedTuple):
    """Options as they are given; None where one is not."""

    ranks: int | None
    qps: int | None
    rails: str | None


def refuse_given(given: Given, what: str) -> None:
    """End the command where an option is given that its question does not have."""
    for name, value in given._asdict().items():
        if value is not None:
            raise typer.BadParameter(f"belongs to entropy; {what} has no job to choose", param_hint=f"'--{name}'")


def print_warned(planned: PlannedInventory, given: Given, *, detail: bool) -> Sections:
    """Return the analysis; its warnings are printed, of one that is waived the code and the waiver."""
    from datetime import date

    from fabricgen.checks.model import PlanView
    from fabricgen.compiler.waivers import waive_more
    from fabricgen.tables.entropy.job import EntropyOptions, make_job
    from fabricgen.tables.entropy.show import show_entropy

    plan = planned.plan
    asked = EntropyOptions(_ranks(plan, given.ranks), _number("--qps", given.qps, QPS_MAX), _rails(plan, given.rails))
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


def _number(name: str, value: int | None, most: int) -> int:
    if value is not None and not 1 <= value <= most:
        raise typer.BadParameter(f"{value} is not a number from 1 to {most}", param_hint=f"'{name}'")
    return value or 0


def _ranks(plan: FabricPlan, ranks: int | None) -> int:
    from fabricgen.analysis.placement import list_gpus

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


PairsOption = Annotated[
    str | None,
    typer.Option(
        metavar="SCOPES", help="Of failures: every two of some tiers and links at once, as in spine,leaf-spine."
    ),
]


def refuse_pairs(pairs: str | None, question: str) -> None:
    """Refuse pairs where another question is asked."""
    if pairs is not None:
        raise typer.BadParameter(f"asks for pairs of failures; {question} has none", param_hint="'--pairs'")


def refuse_unknown_scopes(plan: FabricPlan, scopes: Sequence[str], flag: str) -> None:
    """Refuse scopes that a fabric does not have."""
    from fabricgen.analysis.failure_classes import list_scopes

    known = list_scopes(plan)
    if unknown := [scope for scope in scopes if scope not in known]:
        named, listed = ", ".join(unknown), ", ".join(known)
        raise typer.BadParameter(f"{named} is no tier and no links; give some of {listed}", param_hint=f"'{flag}'")


def work_out_failures(planned: PlannedInventory, pairs: str | None, *, links: bool) -> Sections:
    """Work out failures; on a terminal with progress, and long ones with what they cost."""
    from fabricgen.tables.failures import Question, show_failures
    from fabricgen.tables.timers import restarts_gracefully

    scopes = tuple(word.strip() for word in (pairs or "").split(",") if word.strip())
    refuse_unknown_scopes(planned.plan, scopes if scopes or pairs is None else ["nothing"], "--pairs")
    question = Question(scopes, links, restarts_gracefully(planned.plan, planned.platforms))
    with show_progress("failures") as show:
        cost = TimeEstimate("classes of failures")

        def step(done: int, total: int) -> None:
            show("failures", done, total)
            cost.step(done, total)

        return show_failures(planned.plan, planned.intent.expect, question, step)


SAMPLE, LONG_S = 5, 20
"""Parts after which the whole is estimated, and seconds from which the estimate is worth a line."""


class TimeEstimate:
    """Estimates how long equal parts of work take, once."""

    def __init__(self, what: str) -> None:
        """Begin; ``what`` names the parts."""
        self._what, self._began = what, process_time()

    def step(self, done: int, total: int) -> None:
        """Take how many parts are done; name the cost of the whole where it is long."""
        if done != SAMPLE:
            return
        seconds = (process_time() - self._began) / done * total
        if seconds >= LONG_S:
            print_line(f"{total} {self._what}: about {seconds:.0f} s of CPU time", error=True)


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

    given = Given(ranks, qps, rails)
    if what is not AnalyzeTopic.entropy:
        refuse_given(given, what.value)
    if what is not AnalyzeTopic.failures:
        refuse_pairs(pairs, what.value)
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
        sections = print_warned(planned, given, detail=form is not DataFormat.table)
    with paged(pager):
        print_sections(sections, form)
