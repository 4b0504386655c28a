"""Rows of hosts that fail as a whole."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.analysis.failures import LostHost, PlanFailures, list_lost_hosts
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.tables.failure_rows import share
from fabricgen.tables.sections import Row


def lost_host_rows(failures: PlanFailures) -> Iterator[Row]:
    """Yield every class of hosts, and what is left for the others when one of them fails."""
    for each in list_lost_hosts(failures):
        yield _row(failures.symmetry.plan, each)


def _row(plan: FabricPlan, each: LostHost) -> Row:
    effect = each.effect
    return {
        "hosts": plan.hosts[each.host.group].name,
        "example": plan.host_name(each.host),
        "count": each.size,
        "ports_lost": each.ports,
        "leafs": each.leafs,
        "pairs_of_the_host": each.own_pairs,
        "other_pairs_cut": each.others_cut,
        "links_with_more_load": sum(change.links.links for change in effect.changes if change.now > change.planned),
        "highest_load": share(effect.after),
        "planned_highest_load": share(effect.before),
    }
