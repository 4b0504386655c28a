"""Options of ``analyze failures``, and the work itself with its progress and its cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from fabricgen.cli.cost import TimeEstimate
from fabricgen.cli.progress import show_progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.cli.planned import PlannedInventory
    from fabricgen.plan.model.fabric import FabricPlan
    from fabricgen.tables.sections import Sections

PairsOption = Annotated[
    str | None,
    typer.Option(
        metavar="SCOPES",
        help="Of failures: every two of some tiers and links at once, as in spine,leaf-spine.",
    ),
]


def refuse_pairs(pairs: str | None, question: str) -> None:
    """Refuse pairs where another question is asked.

    Raises:
        typer.BadParameter: There are some.
    """
    if pairs is not None:
        raise typer.BadParameter(f"asks for pairs of failures; {question} has none", param_hint="'--pairs'")


def refuse_unknown_scopes(plan: FabricPlan, scopes: Sequence[str], flag: str) -> None:
    """Refuse scopes that a fabric does not have.

    Raises:
        typer.BadParameter: One is no tier and no links.
    """
    from fabricgen.analysis.failure_classes import list_scopes

    known = list_scopes(plan)
    if unknown := [scope for scope in scopes if scope not in known]:
        named, listed = ", ".join(unknown), ", ".join(known)
        raise typer.BadParameter(f"{named} is no tier and no links; give some of {listed}", param_hint=f"'{flag}'")


def work_out_failures(planned: PlannedInventory, pairs: str | None, *, links: bool) -> Sections:
    """Work out failures; on a terminal with progress, and long ones with what they cost.

    Args:
        planned: The fabric.
        pairs: Names of tiers and links, as given; None for single failures.
        links: Every class of links, too.

    Raises:
        typer.BadParameter: The fabric has no tier or links of a name.
    """
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
