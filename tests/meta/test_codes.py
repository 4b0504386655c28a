"""Every diagnostic code is unique, documented and tried: what passes and what fails."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from fabricgen.api.explain import load_codes
from fabricgen.diagnostics.registry import RETIRED
from fabricgen.state.state_codes import DEVIATIONS
from tests.cases.case import load_cases
from tests.meta.declarations import REPOSITORY, declared_codes, inventory_codes, repeated_codes

PRODUCT = [code for code in load_codes() if code.id in declared_codes()]
CASES = {case.code: case for case in load_cases()}
_ID = re.compile(r"FG-[A-Z]{3}-\d{3}")


def test_no_code_is_declared_twice() -> None:
    assert repeated_codes() == []


def test_every_declaration_is_loaded() -> None:
    assert {code.id for code in PRODUCT} == set(declared_codes())


def test_a_retired_number_is_not_given_again() -> None:
    assert set(RETIRED).isdisjoint(declared_codes())
    assert set(RETIRED.values()) <= set(declared_codes())


def test_every_code_is_documented() -> None:
    assert len(PRODUCT) > 350
    for code in PRODUCT:
        assert code.title.strip(), code.id
        assert not code.title.endswith("."), code.id
        assert code.source.strip(), code.id
        assert code.why.endswith("."), f"{code.id}: why is a sentence"
        assert code.fix.endswith("."), f"{code.id}: fix is a sentence"


@cache
def _named_elsewhere() -> frozenset[str]:
    """Codes in the values of other tests than the cases; one in a comment or a docstring alone tests nothing."""
    files = [path for path in (REPOSITORY / "tests").rglob("*.py") if path.parent != Path(__file__).parent]
    return frozenset(code for path in files for text in _values(path) for code in _ID.findall(text))


def _values(file: Path) -> Iterator[str]:
    """Every text of a module that stands for a value."""
    source = file.read_text(encoding="utf-8")
    tree = ast.parse(source if _ID.search(source) else "")
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.value


def test_every_code_has_a_passing_and_a_failing_case() -> None:
    """A case, or where no inventory can cause it a test of its room, which calls deviations by their check."""
    others = set(declared_codes()) - set(CASES) - {code.id for code in DEVIATIONS.values()}
    assert others <= _named_elsewhere(), "no case and no test names it"
    assert [code for code, case in CASES.items() if not case.passing or not case.failing] == []


def test_codes_that_an_inventory_causes_have_cases() -> None:
    """A room may guard against what no inventory can say; that is the exception, and never silent."""
    without = inventory_codes() - set(CASES)
    assert without <= _named_elsewhere()
    assert len(without) <= 2, f"write cases for {sorted(without)}"
