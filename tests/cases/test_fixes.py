"""A fix mends: applied to the document of its case, the code is gone, no error is new, and its hint reads well."""

from __future__ import annotations

from pathlib import Path

from fabricgen.compiler.compile import compile_document
from fabricgen.diagnostics import Bag, Diagnostic, Fix, Severity
from fabricgen.source import Document, load_document
from tests.cases.case import Case, load_cases
from tests.cases.inventory import CaseInventory, installed
from tests.sampling import EVERYTHING, FRESH, sampled
from tests.wording import faults_of

CASES = [case for case in load_cases() if not case.code.startswith("FG-SRC")]
FEWEST, SAMPLED = 120, 40
"""Codes whose cases have a fix (more may come, fewer may not), and cases of a sample."""


def errors(found: list[Diagnostic]) -> set[tuple[str, tuple[str, ...]]]:
    return {(item.code, item.path) for item in found if item.severity is Severity.ERROR}


def found_in(document: Document, folder: Path) -> list[Diagnostic]:
    bag = Bag()
    compile_document(document, folder, bag)
    return list(bag)


def apply_fix(document: Document, fix: Fix) -> Document:
    """Return the document with the changes of a fix.

    Raises:
        KeyError: A change leads through a plain value.
    """
    for change in fix.changes:
        if change.value is not None:
            document = document.replaced(change.path, change.value)
        elif document.has(change.path):
            document = document.without(change.path)
    return document


def mended(case: Case, inventory: CaseInventory) -> tuple[int, list[str]]:
    """Return how many fixes the failing documents of a case have, and what is wrong with them."""
    number, wrong = 0, []
    for variant in case.failing[:2]:
        folder = inventory.folder
        overlays = [folder / "overlays" / f"{name}.yaml" for name in variant.overlays]
        document = load_document(folder / variant.main, Bag(), overlays=overlays)
        assert document is not None
        with installed([folder / variant.packages] if variant.packages else []):
            before = found_in(document, folder)
            for item in before:
                if item.code != case.code or not item.fixes:
                    continue
                number += 1
                wrong += [f"{variant.name}: {fault}" for fault in faults_of(item)]
                after = found_in(apply_fix(document, item.fixes[0]), folder)
                if (item.code, item.path, item.message) in {(one.code, one.path, one.message) for one in after}:
                    wrong.append(f"{variant.name}: {item.fixes[0].changes} leaves {item.message}")
                new = errors(after) - errors(before)
                if new:
                    wrong.append(f"{variant.name}: {item.fixes[0].changes} brings {new}")
    return number, wrong


def test_a_fix_mends_its_case(case_inventory: CaseInventory) -> None:
    tried = {case.code: case for case in sampled(CASES, SAMPLED, f"{FRESH} fixes")}
    results = {code: mended(case, case_inventory) for code, case in tried.items()}
    assert [text for _, wrong in results.values() for text in wrong] == []
    with_fix = sorted(code for code, (number, _) in results.items() if number)
    assert len(with_fix) >= (FEWEST if EVERYTHING else SAMPLED * FEWEST // len(CASES) // 2), with_fix
