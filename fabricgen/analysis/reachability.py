"""Reach of flows after a failure: pairs that have a path left, and the flows that no routing moves.

A flow leaves by one port of its sender's NIC, which the bond's hash chooses, and each switch then forwards it by the
longest prefix that it has. So routing cannot move a flow to another plane: what arrives nowhere in its plane is lost
until the sender chooses another port.

Source:
    docs/intent.md, routing: a leaf announces its block of host links as a whole, and hosts of a bond one by one; planes
    meet only at the host. Linux Documentation/networking/bonding.rst, xmit_hash_policy: a flow keeps its port.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

from fabricgen.analysis.cell_graph import Outage
from fabricgen.analysis.failure_classes import cabled_link
from fabricgen.analysis.failures import Effect, PlanFailures
from fabricgen.analysis.symmetry import Element
from fabricgen.plan.model.cabling import cables_below, up_links
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, HostId
from fabricgen.plan.model.links import HostLink, Link


class Reachability(NamedTuple):
    """Flows and pairs after a failure; parts are of all flows of the uniform matrix.

    Attributes:
        pairs: Ordered pairs of NICs of one rail that have a path as planned; ``with_a_path`` are those that have one
            still, by whichever port of the sender.
        hit: Part of the flows that passed what failed, all of it lost until it is noticed; None of several failures.
        by_senders: Part that moves with the senders' own bonds or NICs, whose port went down; None of several failures.
        lost: Part that is lost after everything in the fabric has noticed, until senders move.
    """

    pairs: int
    with_a_path: int
    hit: Fraction | None
    by_senders: Fraction | None
    lost: Fraction

    @property
    def by_routing(self) -> Fraction:
        """Return the part that routes move which are withdrawn."""
        if self.hit is None or self.by_senders is None:
            return Fraction(0)
        return max(Fraction(0), self.hit - self.lost - self.by_senders)


def measure_reachability(failures: PlanFailures, effect: Effect) -> Reachability:
    """Return the reach of flows after a failure.

    Args:
        failures: The failures of the plan.
        effect: What one of them does.
    """
    planned, total = failures.planned, failures.traffic.total_gbps
    cut = round(sum(effect.cut.values(), Fraction(0)))
    arriving = sum(
        (each.links.down for each in effect.changes if isinstance(each.links.example, HostLink)), Fraction(0)
    )
    lost = (planned.delivered_gbps - arriving) / total if total else Fraction(0)
    found = Reachability(planned.pairs, planned.pairs - cut, None, None, lost)
    if len(effect.classes) > 1 or not total:
        return found
    element = effect.classes[0].element
    carried = [(link, *planned.carried(link)) for link in _links_of(failures.symmetry.plan, element)]
    passed = sum((up + down for _, up, down in carried), Fraction(0)) / (2 if isinstance(element, DeviceId) else 1)
    moving = _moving(failures, element, ((link, up) for link, up, _ in carried if isinstance(link, HostLink)))
    hit = passed / total
    return found._replace(hit=hit, by_senders=min(moving / total, max(Fraction(0), hit - lost)))


def _links_of(plan: FabricPlan, element: Element) -> Iterator[Link]:
    """Yield the links whose traffic passes an element: a link itself, or all links of a switch."""
    if isinstance(element, DeviceId):
        yield from cables_below(plan, element)
        yield from up_links(plan, element)
    elif not isinstance(element, HostId):
        yield cabled_link(plan, element)


def _moving(failures: PlanFailures, element: Element, sent: Iterable[tuple[HostLink, Fraction]]) -> Fraction:
    """Return what senders that have another port move to it, Gb/s."""
    outage = Outage(frozenset([element]))
    nics = ((failures.traffic.nic(link.host, link.rail, outage), gbps) for link, gbps in sent if gbps)
    return sum((gbps for nic, gbps in nics if nic.moves and nic.working), Fraction(0))
