"""``fabricgen analyze``: what follows from the plan as a whole."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from fabricgen.cli.entropy_options import (
    ChannelsOption,
    FlowsOption,
    Given,
    QpsOption,
    RailsOption,
    RanksOption,
    print_warned,
    refuse_given,
)
from fabricgen.cli.failure_options import PairsOption, refuse_pairs, work_out_failures
from fabricgen.cli.options import CatalogOption, InventoryArgument, OverlayOption
from fabricgen.cli.output import DataFormat
from fabricgen.cli.pager import PagerOption, paged
from fabricgen.cli.planned import load_planned

EXAMPLES = """\
fabricgen analyze my-fabric capacity
fabricgen analyze my-fabric buffers --format json
fabricgen analyze my-fabric failures --pairs spine,leaf-spine
fabricgen analyze my-fabric entropy --ranks 1024 --qps 4
fabricgen analyze my-fabric deadlock"""


class AnalyzeTopic(StrEnum):
    """Subjects of ``analyze``."""

    buffers = "buffers"
    capacity = "capacity"
    deadlock = "deadlock"
    failures = "failures"
    entropy = "entropy"


def analyze(
    inventory: InventoryArgument,
    what: Annotated[AnalyzeTopic, typer.Argument(metavar="QUESTION", help="What to analyse.", show_default=False)],
    overlay: OverlayOption = None,
    catalog: CatalogOption = None,
    ranks: RanksOption = None,
    qps: QpsOption = None,
    channels: ChannelsOption = None,
    rails: RailsOption = None,
    flows: FlowsOption = None,
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
    from fabricgen.cli.sections import print_sections
    from fabricgen.tables.buffers import account_buffers
    from fabricgen.tables.capacity import nvlink_rates, show_capacity
    from fabricgen.tables.deadlock import show_deadlock

    given = Given(ranks, qps, channels, rails, flows)
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
