"""Effect of the loss of some elements on a fabric: who still reaches whom, what is left of widths and of bandwidth."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from fabricgen.analysis.cell_graph import Outage
from fabricgen.analysis.cells import Partition
from fabricgen.analysis.fabric_load import FabricLoad, measure_load
from fabricgen.analysis.failure_classes import FailureClass, class_key, list_classes
from fabricgen.analysis.link_classes import LinkClass
from fabricgen.analysis.nic_traffic import NicTraffic
from fabricgen.analysis.planned_load import PlannedLoad
from fabricgen.analysis.symmetry import Symmetry

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
        size: How many such failures there are.
        cut: Ordered pairs of NICs between which nothing arrives any more, by rail.
        reduced: Ordered pairs of NICs of whose traffic a part is lost until senders move it, by rail.
        arriving: The smallest part that still arrives between any two of these.
        worst: The link with the highest load of those that carry more than before; None if none does.
        changes: Every class of links.
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
    """The failures of one plan.

    Attributes:
        planned: Its load with nothing failed.
    """

    def __init__(self, symmetry: Symmetry) -> None:
        """Prepare the uniform matrix."""
        self.symmetry, self.traffic = symmetry, NicTraffic(symmetry)
        self.irregular = symmetry.irregular()
        self.planned = PlannedLoad(self.traffic)

    def single(self, scopes: Sequence[str] = ()) -> list[FailureClass]:
        """Return the classes of single failures.

        Args:
            scopes: Names of tiers and links; empty for all.
        """
        classes = list_classes(Partition(self.symmetry, self.irregular))
        return [each for each in classes if not scopes or each.scope in scopes]

    def effect(self, *classes: FailureClass, size: int = 0) -> Effect:
        """Work out what happens when one element of each class fails.

        Args:
            classes: The classes; of several, each was listed with those before it singled out.
            size: How many such failures there are; for one class, its size.
        """
        failed = frozenset(each.element for each in classes)
        singled_out = self.irregular.joined(self.symmetry.singled_out(failed))
        planned = self.planned
        now = measure_load(self.traffic, singled_out, Outage(failed))
        cut, reduced, arriving = _compare_pairs(planned, now)
        changes = tuple(_compare_links(planned, now))
        return Effect(
            classes,
            size or classes[0].size,
            cut,
            reduced,
            arriving,
            _compare_widths(planned, now),
            _worst(changes),
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


def _compare_links(planned: PlannedLoad, now: FabricLoad) -> Iterator[LinkChange]:
    for links in now.links.values():
        yield LinkChange(links, planned.load_of(links), links.load)


def _worst(changes: Sequence[LinkChange]) -> LinkChange | None:
    more = [change for change in changes if change.now > change.planned]
    return max(more, key=lambda change: (change.now, change.now - change.planned), default=None)


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
    """Yield the classes of pairs of elements of some scopes, each pair in one class whatever its order.

    Pairs whose elements could be exchanged are counted from both ends, so half of them are pairs.

    Args:
        symmetry: The plan.
        scopes: Names of tiers and links.
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
