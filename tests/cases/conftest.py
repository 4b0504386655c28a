"""The one inventory that a test process runs all cases in."""

from __future__ import annotations

import pytest

from tests.cases.case import load_cases
from tests.cases.inventory import CaseInventory


@pytest.fixture(scope="session")
def case_inventory(tmp_path_factory: pytest.TempPathFactory) -> CaseInventory:
    return CaseInventory(tmp_path_factory.mktemp("cases"), load_cases())
