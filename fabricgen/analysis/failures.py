"""Effect of the loss of some elements on a fabric: who still reaches whom, what is left of widths and of bandwidth.

A flow leaves by one port of its sender's NIC, which the bond's hash chooses, and each switch then forwards it by the
longest prefix that it has. So routing cannot move a flow to another plane: what arrives nowhere in its plane is lost
until the sender chooses another port.

Source:
    docs/intent.md, routing: a leaf announces its block of host links as a whole, and hosts of a bond one by one; planes
    meet only at the host. Linux Documentation/networking/bonding.rst, xmit_hash_policy: a flow keeps its port.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from fabricgen.analysis.cells import Element, HostCell, Partition, Symmetry
from fabricgen.analysis.fabric_load import FabricLoad, LinkClass, PlannedLoad, measure_load
from fabricgen.analysis.failure_classes import FailureClass, cabled_link, class_key, list_classes
from fabricgen.analysis.forwarding import Outage, working_ports
from fabricgen.analysis.nic_traffic import NicTraffic
from fabricgen.plan.model.cabling import HostLink, Link, cables_below, up_links
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, HostId

Widths = dict[tuple[int, bool], tuple[int, int]]
"""By tier and direction: equal next hops as planned and now, where the fewest are left."""


class LinkChange(NamedTuple):
    """Links that are alike, with their load without and with the failure, each over the rate of the link."""

    links: LinkClass
    planned: Fraction
    now: Fraction


class Effect(NamedTuple):
    """Effect of one class of failures.

    Attributes:
        classes: What fails, one element or two together.
        cut: Ordered pairs of NICs between which nothing arrives any more, by rail.
        reduced: Ordered pairs of NICs of whose traffic a part is lost until senders move it, by rail.
        arriving: The smallest part that still arrives between any two of these.
        worst: The link with the highest load of those that carry more than before; None if none does.
        before: Highest load of any link without the failure; ``after`` with it.
    """

    classes: tuple[FailureClass, ...]
    size: int
    cut: dict[int, Fraction]
    reduced: dict[int, Fraction]
    arriving: Fraction
    widths: Widths
    worst: LinkChange | None
    changes: tuple[LinkChange, ...]
    before: Fraction
    after: Fraction

    @property
    def bandwidth(self) -> Fraction:
        """Part of the bandwidth of the uniform matrix that is left when its worst link is full; 0 if pairs are cut."""
        if self.cut or not self.after:
            return Fraction(0)
        return min(Fraction(1), self.before / self.after)


class PlanFailures:
    """The failures of one plan, and its load with nothing failed."""

    def __init__(self, symmetry: Symmetry) -> None:
        """Prepare the uniform matrix."""
        self.symmetry, self.traffic = symmetry, NicTraffic(symmetry)
        self.irregular = symmetry.irregular()
        self.planned = PlannedLoad(self.traffic)

    def single(self, scopes: Sequence[str] = ()) -> list[FailureClass]:
        """Return the classes of single failures, of tiers and links by name, or of all."""
        classes = list_classes(Partition(self.symmetry, self.irregular))
        return [each for each in classes if not scopes or each.scope in scopes]

    def effect(self, *classes: FailureClass, size: int = 0) -> Effect:
        """Work out what happens when one element of each class fails.

        Of several classes, each was listed with those before it singled out. ``size`` is the number of such failures; 0
        takes that of the first class.
        """
        failed = frozenset(each.element for each in classes)
        singled_out = self.irregular.joined(self.symmetry.singled_out(failed))
        planned = self.planned
        now = measure_load(self.traffic, singled_out, Outage(failed))
        cut, reduced, arriving = _compare_pairs(planned, now)
        changes = tuple(LinkChange(links, planned.load_of(links), links.load) for links in now.links.values())
        more = [change for change in changes if change.now > change.planned]
        return Effect(
            classes,
            size or classes[0].size,
            cut,
            reduced,
            arriving,
            _compare_widths(planned, now),
            max(more, key=lambda change: (change.now, change.now - change.planned), default=None),
            changes,
            planned.highest,
            max((each.load for each in now.links.values()), default=Fraction(0)),
        )


def _compare_pairs(planned: PlannedLoad, now: FabricLoad) -> tuple[dict[int, Fraction], dict[int, Fraction], Fraction]:
    """Return pairs that are cut off and those that lose a part, by rail, and the smallest part left of the latter."""
    cut: dict[int, Fraction] = {}
    reduced: dict[int, Fraction] = {}
    smallest = Fraction(1)
    for received in now.received.values():
        for reach in received.pairs.values():
            before = planned.reach(received.nic, reach).arriving
            if reach.arriving >= before:
                continue
            found = reduced if reach.arriving else cut
            if reach.arriving:
                smallest = min(smallest, reach.arriving / before)
            for rail in reach.rails:
                found[rail] = found.get(rail, Fraction(0)) + Fraction(reach.pairs, len(reach.rails))
    return cut, reduced, smallest


def _compare_widths(planned: PlannedLoad, now: FabricLoad) -> Widths:
    """Of each tier and direction the choice of which the smallest part is left; one that is gone leaves none."""
    found: Widths = {}
    for received in now.received.values():
        for (plane, _, upwards), width in received.widths.items():
            before = planned.width(received.nic, plane, width)
            if before is None:
                continue
            place = width.device.tier, upwards
            known = found.get(place)
            if known is None or Fraction(width.links, before.links) < Fraction(known[1], known[0]):
                found[place] = before.links, width.links
    return found


class FailurePair(NamedTuple):
    """Pairs of elements that are alike: one of each, and how many such pairs there are."""

    first: FailureClass
    second: FailureClass
    size: int


def list_pairs(symmetry: Symmetry, scopes: Collection[str]) -> Iterator[FailurePair]:
    """Yield the classes of pairs of elements of tiers and links by name, each pair in one class whatever its order.

    Pairs whose elements could be exchanged are counted from both ends, so half of them are pairs.
    """
    irregular = symmetry.irregular()
    base = Partition(symmetry, irregular)
    classes = [each for each in list_classes(base) if each.scope in scopes]
    order = {each.key: number for number, each in enumerate(classes)}
    for number, first in enumerate(classes):
        alone = irregular.joined(symmetry.singled_out([first.element]))
        for second in list_classes(Partition(symmetry, alone), without=first.element):
            if second.scope not in scopes:
                continue
            other = order[class_key(base, second.element)]
            if other == number:
                yield FailurePair(first, second, first.size * second.size // 2)
            elif other > number:
                yield FailurePair(first, second, first.size * second.size)


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
    """Return the reach of flows after a failure."""
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


class LostHost(NamedTuple):
    """Hosts that are alike, one of which fails.

    ``ports`` counts its NIC ports, ``own_pairs`` the ordered pairs of NICs of one rail that it is an end of.
    """

    host: HostId
    size: int
    ports: int
    leafs: int
    effect: Effect
    own_pairs: int

    @property
    def others_cut(self) -> int:
        """Return the pairs that are cut although both of their hosts work."""
        return round(sum(self.effect.cut.values(), Fraction(0))) - self.own_pairs


def list_lost_hosts(failures: PlanFailures) -> Iterator[LostHost]:
    """Yield every class of hosts in service, with the loss of one of them."""
    partition = Partition(failures.symmetry, failures.irregular)
    cells = list(partition.host_cells())
    for cell in cells:
        found = _lose(failures, cell, cells)
        if found is not None:
            yield found


def _lose(failures: PlanFailures, cell: HostCell, cells: list[HostCell]) -> LostHost | None:
    plan = failures.symmetry.plan
    rails = range(len(plan.hosts[cell.host.group].rails))
    by_rail = {rail: working_ports(plan, cell.host, rail) for rail in rails}
    links = [link for ports in by_rail.values() for link in ports]
    if not links:
        return None
    parts = (FailureClass(plan.hosts[cell.host.group].link.name, link.id, 1, ()) for link in links)
    effect = failures.effect(*parts, size=cell.size)
    own = sum(2 * (_nics(failures, cells, rail) - 1) for rail, ports in by_rail.items() if ports)
    return LostHost(cell.host, cell.size, len(links), len({link.upper_end for link in links}), effect, own)


def _nics(failures: PlanFailures, cells: list[HostCell], rail: int) -> int:
    """Return how many hosts have a NIC that works on a rail."""
    plan = failures.symmetry.plan
    return sum(
        cell.size
        for cell in cells
        if rail < len(plan.hosts[cell.host.group].rails) and working_ports(plan, cell.host, rail)
    )
