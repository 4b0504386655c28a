"""Failures that matter to a destination: one after the other, and in pairs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from fabricgen.analysis.deadlock.destinations import HostRail
from fabricgen.analysis.deadlock.region import Pair, Region
from fabricgen.analysis.deadlock.routes import FailureState
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId

FAILURES_MAX = 2
"""Failures at a time that are looked at."""


class JointFailure(NamedTuple):
    """Links and switches that fail together; ``losses`` says how many, ``names`` their names.

    Two switches lose each other only if all links between them are lost: parallel links fail one by one.
    """

    losses: int
    names: tuple[str, ...]
    switch: DeviceId | None = None
    pair: Pair | None = None
    leaf: DeviceId | None = None


def list_failures(plan: FabricPlan, region: Region, destination: HostRail) -> Iterator[tuple[JointFailure, ...]]:
    """Yield what may fail, up to ``FAILURES_MAX`` links and switches: nothing, the least first, what is near first."""
    single = [each for each in _elements(plan, region, destination) if each.losses <= FAILURES_MAX]
    yield ()
    for failures in range(1, FAILURES_MAX + 1):
        yield from ((each,) for each in single if each.losses == failures)
        for size in range(2, failures + 1):
            yield from (them for them in combinations(single, size) if sum(each.losses for each in them) == failures)


def states_of(failures: tuple[JointFailure, ...]) -> list[FailureState]:
    """Return the states that routing goes through as some fail: each subset, in which switches may be late or early."""
    subsets = (some for size in range(len(failures) + 1) for some in combinations(failures, size))
    return [
        FailureState(
            frozenset(each.switch for each in some if each.switch),
            frozenset(each.pair for each in some if each.pair),
            frozenset(each.leaf for each in some if each.leaf),
        )
        for some in subsets
    ]


def _elements(plan: FabricPlan, region: Region, destination: HostRail) -> Iterator[JointFailure]:
    host = plan.host_name(destination.host)
    for leaf, links in destination.access.items():
        ports = [f"link {host} rail {link.rail} port {link.port} – {plan.device_name(leaf)}" for link in links]
        yield JointFailure(len(links), tuple(ports), leaf=leaf)
    for pair, found in region.links.items():
        names = " – ".join(plan.device_name(end) for end in pair)
        yield JointFailure(len(found), (f"{_links(len(found))}{names}",), pair=pair)
    for switch in region.asns:
        yield JointFailure(1, (f"switch {plan.device_name(switch)}",), switch=switch)


def _links(count: int) -> str:
    return "link " if count == 1 else f"all {count} links "
