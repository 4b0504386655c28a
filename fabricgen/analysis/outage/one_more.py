"""Bandwidth left between leafs when one more switch fails while some are out.

A link that fails instead never costs more than the switch above it, of which it is a part.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from fabricgen.analysis.outage.leaf_pairs import LeafPairs
from fabricgen.analysis.outage.surviving import Surviving


class WorstFailure(NamedTuple):
    """The failure that leaves least.

    Attributes:
        left: Smallest part of its planned bandwidth that a pair keeps.
        node: The node that fails; None where none costs a pair any more.
        pair: Number of the class of that pair; None where no pair has lost any.
    """

    left: Fraction
    node: int | None
    pair: int | None


class OneMore:
    """Answers for one state at a time; equal ones are worked out once."""

    def __init__(self, model: LeafPairs) -> None:
        """Know no state yet."""
        self._model = model
        self._known: dict[frozenset[int], WorstFailure] = {}

    def worst(self, surviving: Surviving) -> WorstFailure:
        """Return the failure of a single further node that leaves least.

        Args:
            surviving: The state of the fabric before it.
        """
        out = frozenset(surviving.out)
        found = self._known.get(out)
        if found is None:
            found = self._known[out] = self._find(surviving)
        return found

    def _find(self, surviving: Surviving) -> WorstFailure:
        left, number = surviving.worst()
        found = WorstFailure(left, None, number)
        for node in range(len(self._model.graph.tiers)):
            if node not in surviving.out:
                left, number = surviving.worst_after(surviving.loss(node))
                if left < found.left:
                    found = WorstFailure(left, node, number)
        return found
