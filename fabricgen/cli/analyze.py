"""``fabricgen analyze``: what follows from the plan as a whole."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from fabricgen.cli.options import CatalogOption, InventoryArgument, OverlayOption
from fabricgen.cli.output import DataFormat
from fabricgen.cli.pager import PagerOption, paged
from fabricgen.cli.planned import load_planned

EXAMPLES = """\
fabricgen analyze my-fabric capacity
fabricgen analyze my-fabric buffers --format json
fabricgen analyze my-fabric failures"""


class What(StrEnum):
    """Subjects of ``analyze``."""

    buffers = "buffers"
    capacity = "capacity"
    failures = "failures"


def analyze(
    inventory: InventoryArgument,
    what: Annotated[What, typer.Argument(metavar="QUESTION", help="What to analyse.", show_default=False)],
    overlay: OverlayOption = None,
    catalog: CatalogOption = None,
    form: Annotated[DataFormat, typer.Option("--format", help="How data is printed.")] = DataFormat.table,
    pager: Annotated[bool, PagerOption] = False,
) -> None:
    """Analyse buffers, capacity or failures of the planned fabric.

    buffers accounts for every byte of each kind of switch. capacity shows what each tier offers and, with a workload in
    the intent, what the training job asks of it. failures shows what the loss of any one switch, link or NIC port does.
    """
    from fabricgen.api.show.buffers import account_buffers
    from fabricgen.api.show.capacity import show_capacity
    from fabricgen.api.show.failures import show_failures
    from fabricgen.cli.sections import print_sections

    planned = load_planned(inventory, overlay, catalog)
    limit = planned.intent.lossless.headroom.pool_oversubscription_max
    with paged(pager):
        if what is What.buffers:
            print_sections(account_buffers(planned.plan, limit), form)
        elif what is What.failures:
            print_sections(show_failures(planned.plan), form)
        else:
            print_sections(show_capacity(planned.plan), form)
