"""The warning where a static hash meets few queue pairs."""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.analysis.flows import Flows
from fabricgen.analysis.link_loads import HashMode, HashSpread, LinkLoad
from fabricgen.checks.rules.collectives import QUEUE_PAIRS_ENOUGH as ENOUGH
from fabricgen.diagnostics import Bag, Place, Related, lookup
from fabricgen.diagnostics.words import counted
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.tables.entropy.job import EntropyJob
from fabricgen.tables.entropy.rows import STATIC, connection_gbps, mode_of, overload_pct

CODE_ID = "FG-HST-053"
NOTICED_PCT = 1.0
"""A place with an overloaded link is reported from this probability on."""
UNEVEN = 1.2
"""Load over the mean from which a link group is reported where rates are not known."""


def warn_of_few(
    plan: FabricPlan, job: EntropyJob, loads: Sequence[tuple[Flows, LinkLoad]], bag: Bag, place: Place | None = None
) -> None:
    """Report the link group on which few queue pairs and a static hash make the busiest link worst.

    Args:
        plan: The plan.
        job: The job; the first number of its queue pairs is judged.
        loads: Every link group of every collective.
        bag: Takes the warning.
        place: Where the queue pairs are given; None for the intent.
    """
    own = job.queue_pairs[0].number * job.channels
    few = min((kind.queue_pairs or own for flows in job.flows for kind in flows.up), default=ENOUGH)
    code = lookup(CODE_ID)
    uneven = [each for each in loads if few < ENOUGH and _is_uneven(plan, *each, own)]
    if not uneven or code is None:
        return
    flows, load = max(uneven, key=lambda each: _severity(plan, each[0], each[1], own))
    spread, enough = _static(load, own), load.spreads(HashMode("enough", ENOUGH), ENOUGH)[0][0]
    message = (
        f"{counted(few, 'queue pair')} per connection ({job.queue_pairs[0].source}) over a static hash: in "
        f"{flows.name!r} {counted(spread.flows, 'flow')} share {spread.links} links of {load.link} {_way(load)}, and "
        f"the busiest carries {spread.ratio:.2f} times the mean, {spread.ratio_p99:.2f} at the 99th percentile; "
        f"{ENOUGH} queue pairs make that {enough.ratio:.2f}"
    )
    rendered = plan.collectives.qps_per_connection
    hint = f"keep qps_per_connection: {rendered} in every job"
    if rendered < ENOUGH or place:
        hint = f"use qps_per_connection: {ENOUGH} or more"
    path = () if place else ("collectives", "qps_per_connection")
    bag.add(code, message, path, place=place, hint=hint, related=(Related("the hash", ("routing", "ecmp")),))


def _is_uneven(plan: FabricPlan, flows: Flows, load: LinkLoad, queue_pairs: int) -> bool:
    """Return whether a static hash overloads links, or where no rate is known loads them unevenly."""
    if not load.kinds or load.kinds[0].links < 2 or mode_of(plan, load) is not STATIC:
        return False
    spread = _static(load, queue_pairs)
    over = overload_pct(load, spread, connection_gbps(plan, flows))
    return spread.ratio >= UNEVEN if over is None else over >= NOTICED_PCT


def _severity(plan: FabricPlan, flows: Flows, load: LinkLoad, queue_pairs: int) -> float:
    """Return the expected load of the busiest link over its rate, or over the mean where no rate is known."""
    spread, rate = _static(load, queue_pairs), connection_gbps(plan, flows)
    return spread.load.expected * float(spread.unit * rate) / load.speed_gbps if rate else spread.ratio


def _static(load: LinkLoad, queue_pairs: int) -> HashSpread:
    return load.spreads(STATIC, queue_pairs)[0][0]


def _way(load: LinkLoad) -> str:
    return "upwards" if load.upwards else "downwards"
