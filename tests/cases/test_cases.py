"""Every case: what passes is clean, what fails is told at the marked line, with advice and without a traceback."""

from __future__ import annotations

import pytest

from fabricgen.api.explain import load_codes
from fabricgen.diagnostics import Diagnostic, Severity
from tests.cases.case import Case, Variant, load_cases
from tests.cases.inventory import CaseInventory
from tests.wording import faults_of

CASES = load_cases()
PASSING = [variant for case in CASES for variant in case.passing]
FAILING = [variant for case in CASES for variant in case.failing]
DECLARED = {code.id for code in load_codes()}


def _counts(diagnostic: Diagnostic) -> bool:
    """Return whether a diagnostic is an error that nobody has waived."""
    return diagnostic.severity is Severity.ERROR and diagnostic.waived is None


@pytest.mark.parametrize("variant", PASSING, ids=lambda variant: variant.name)
def test_passing_document_has_no_errors(variant: Variant, case_inventory: CaseInventory) -> None:
    found = case_inventory.compile(variant).diagnostics
    assert [d for d in found if d.code == variant.code] == []
    assert [d for d in found if _counts(d) and d.code not in variant.also] == []


@pytest.mark.parametrize("variant", FAILING, ids=lambda variant: variant.name)
def test_failing_document_is_told_at_its_marks(variant: Variant, case_inventory: CaseInventory) -> None:
    assert variant.places, "no line is marked"
    outcome = case_inventory.compile(variant)
    assert outcome.at(variant.code) == variant.places
    expected = {(mark.code, mark.file, mark.line) for mark in variant.marks}
    others = [d for d in outcome.diagnostics if _counts(d) and d.code not in {variant.code, *variant.also}]
    assert [d for d in others if not d.place or (d.code, d.place.file, d.place.line) not in expected] == []
    assert [(d.code, fault) for d in outcome.diagnostics for fault in faults_of(d)] == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.code)
def test_case_is_of_a_declared_code(case: Case) -> None:
    assert case.code in DECLARED
