"""Classes of two failures at once."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from fabricgen.analysis.cells import Partition
from fabricgen.analysis.failure_classes import FailureClass, class_key, list_classes
from fabricgen.analysis.symmetry import Symmetry


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
        for second in list_classes(Partition(symmetry, alone), besides=first.element):
            if second.scope not in scopes:
                continue
            other = order[class_key(base, second.element)]
            if other == number:
                yield FailurePair(first, second, first.size * second.size // 2)
            elif other > number:
                yield FailurePair(first, second, first.size * second.size)
