"""Rules on flows that are lost although the hosts have a path left."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from fabricgen.analysis.failure_classes import FailureClass
from fabricgen.analysis.failures import PlanFailures
from fabricgen.analysis.reachability import measure_reachability
from fabricgen.analysis.symmetry import Symmetry
from fabricgen.checks.model import Finding, PlanView, rule
from fabricgen.diagnostics import Related, Severity
from fabricgen.diagnostics.words import and_list
from fabricgen.plan.model.exceptions import NO_EXCEPTIONS
from fabricgen.plan.planner.shape import attachment_path


@rule(
    "FG-TOP-030",
    "Planes of a bond meet only at the host",
    severity=Severity.WARNING,
    why="A leaf whose link to a host fails withdraws the host's route, so that traffic finds the other leaf. Planes "
    "have no way to each other's leafs: what senders put into that plane for that host is lost until the link is back. "
    "HPN is built so and reports 6.25 % less training throughput; how senders leave the plane is not published.",
    fix=(
        "Attach the bond to two leafs of one plane (leafs_per_group: 2), or waive it with a reason that names "
        "how hosts leave a plane."
    ),
    source="Qian et al., Alibaba HPN, SIGCOMM 2024, section 4.2 (host routes) and its tier 2: the ports of a NIC stand "
    "in planes that meet only at the host; docs/failures.md",
)
def check_lost_flows(view: PlanView) -> Iterator[Finding]:
    """The loss of a port of a bond, or of its leaf, leaves no flow without a way; exceptions are not looked at."""
    bonded = [group for group in view.plan.hosts if group.bond]
    if not bonded or not _may_lose(view):
        return
    failures = PlanFailures(Symmetry(view.plan._replace(exceptions=NO_EXCEPTIONS)))
    leaf = view.plan.tiers[0].name
    for group in bonded:
        lost = {scope: _lost_by(failures, scope) for scope in (group.link.name, leaf)}
        if not any(part for _, part in lost.values()):
            continue
        planes = view.plan.tiers[0].counts.plane
        over = f"{planes} planes, which meet" if planes > 1 else "leafs that meet"
        yield Finding(
            f"hosts {group.name!r} bond over {over} only at the host: {and_list(map(_show_lost, lost.items()))}, until "
            "their senders use another port",
            (*attachment_path(view.intent, group.name), "bond"),
            hint=f"{'use one plane with leafs_per_group: 2' if planes > 1 else 'add a tier above'}, or waive it",
            related=(Related("the planes", ("planes", "count")),) if view.intent.planes else (),
        )


def _may_lose(view: PlanView) -> bool:
    """Return whether leafs of a bond may have no way to each other."""
    return len(view.plan.tiers) == 1 or view.plan.tiers[0].counts.plane > 1


def _lost_by(failures: PlanFailures, scope: str) -> tuple[int, Fraction]:
    """Return how many elements there are of a scope, and the part of all flows that the loss of one loses at most."""
    classes: list[FailureClass] = failures.single([scope])
    parts = (measure_reachability(failures, failures.effect(each)).lost for each in classes)
    return sum(each.size for each in classes), max(parts, default=Fraction(0))


def _show_lost(lost: tuple[str, tuple[int, Fraction]]) -> str:
    scope, (count, part) = lost
    return f"one lost {scope!r} of {count} loses {float(part * 100):.3g} % of all flows"
