"""Every two failing documents that can be one report both codes; FABRICGEN_JUDGE_ALL combines all, not a sample."""

from __future__ import annotations

from functools import cache

import pytest

from tests.cases.case import Case, Variant, load_cases
from tests.cases.combine import Combiner, can_meet
from tests.cases.inventory import CaseInventory, Outcome
from tests.sampling import EVERYTHING, FRESH, sampled

CASES = load_cases()
SAMPLED = 1
"""Others that each case is combined with in a sample."""


def _others(number: int) -> list[tuple[Case, Case]]:
    if EVERYTHING:
        return [(CASES[number], other) for other in CASES[number + 1 :]]
    numbers = sampled(range(len(CASES)), SAMPLED, f"{FRESH} {CASES[number].code}")
    return [(CASES[min(number, at)], CASES[max(number, at)]) for at in numbers if at != number]


@pytest.fixture(scope="session")
def combiner(case_inventory: CaseInventory) -> Combiner:
    return Combiner(case_inventory.folder)


@pytest.mark.sampled(100, of="number")
@pytest.mark.parametrize("number", range(len(CASES)), ids=lambda number: CASES[number].code)
def test_pairs_report_both_codes(number: int, case_inventory: CaseInventory, combiner: Combiner) -> None:
    silent = []
    for one, other in _others(number):
        pair = combiner.choose(one, other)
        if pair is not None and can_meet(*pair):
            outcome = case_inventory.compile(*pair)
            silent += [(v.name, pair[0].name, pair[1].name) for v in pair if not _is_told(v, outcome, case_inventory)]
    assert silent == []


def _is_told(variant: Variant, outcome: Outcome, inventory: CaseInventory) -> bool:
    """Return whether the code is reported where the document alone has it: on its line, or of its intent path."""
    told = [d for d in outcome.diagnostics if d.code == variant.code]
    if any(d.place and (d.place.file, d.place.line) in variant.places for d in told):
        return True
    paths = _paths_alone(variant, inventory) if told else frozenset()
    return any(d.path in paths for d in told)


@cache
def _paths_alone(variant: Variant, inventory: CaseInventory) -> frozenset[tuple[str, ...]]:
    return frozenset(d.path for d in inventory.compile(variant).diagnostics if d.code == variant.code)


def test_most_pairs_can_be_one_document(combiner: Combiner) -> None:
    pairs = [(one, other) for at, one in enumerate(CASES) for other in CASES[at + 1 :]]
    chosen = [combiner.choose(*pair) for pair in pairs]
    combined = [pair for pair in chosen if pair is not None and can_meet(*pair)]
    assert len(combined) >= 0.85 * len(pairs), f"only {len(combined)} of {len(pairs)} pairs"
