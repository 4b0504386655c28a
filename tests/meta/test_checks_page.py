"""The page of traps: every code on it exists, and there are as many rules as the page stands for."""

from __future__ import annotations

import re

from fabricgen.api.explain import load_codes
from fabricgen.checks.model import RULES
from fabricgen.checks.run import load_rules
from tests.meta.declarations import REPOSITORY

PAGE = (REPOSITORY / "docs" / "checks.md").read_text(encoding="utf-8")
RULES_AT_LEAST = 60


def test_every_code_on_the_page_exists() -> None:
    named = set(re.findall(r"FG-[A-Z]{3}-\d{3}", PAGE))
    assert named
    assert named <= {code.id for code in load_codes()}


def test_every_row_has_an_answer() -> None:
    rows = [line for line in PAGE.split("\n") if line.startswith("|") and not line.startswith("|---")]
    assert all(len(row.strip("|").split("|")[-1].strip()) >= 3 for row in rows)


def test_there_are_rules_enough_each_with_a_source() -> None:
    load_rules()
    assert len({rule.code.id for rule in RULES}) >= RULES_AT_LEAST
    assert all(rule.code.source.strip() for rule in RULES)
