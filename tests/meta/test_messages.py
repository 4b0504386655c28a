"""Every code of the registry has a message that a test causes, and its texts keep to docs/style.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.api.explain import load_codes
from fabricgen.diagnostics import Diagnostic
from tests.cases.case import load_cases
from tests.messages import list_faults, read_list, recorded
from tests.wording import faults_of

REPOSITORY = Path(__file__).resolve().parents[2]


def test_fixes_of_codes_are_hints() -> None:
    found = [Diagnostic(code.id, code.severity, code.title, hint=code.hint) for code in load_codes()]
    assert len(found) > 300
    assert [(each.code, fault) for each in found for fault in faults_of(each)] == []


def test_a_fault_of_wording_is_found() -> None:
    found = Diagnostic("FG-TOP-009", load_codes()[0].severity, "1 links find no port.", hint="see above")
    assert [fault.split(":")[0] for fault in faults_of(found)] == [
        "message ends with a full stop",
        "message has '1 links'",
        "hint is no imperative",
    ]


def test_every_code_has_a_test_that_causes_its_message() -> None:
    """Those of an inventory are held by the cases, and the others by ``tests/conftest.py``, to what is listed."""
    of_cases = {case.code for case in load_cases()}
    listed = [code for codes in read_list().values() for code in codes]
    assert sorted(listed) == sorted({code.id for code in load_codes()} - of_cases)


@pytest.mark.parametrize("path", sorted({test.partition("::")[0] for test in read_list()}))
def test_listed_tests_exist(path: str) -> None:
    names = {test.partition("::")[2].partition("[")[0] for test in read_list() if test.startswith(f"{path}::")}
    text = (REPOSITORY / path).read_text(encoding="utf-8")
    assert {name for name in names if f"\ndef {name}(" not in text} == set()


def test_a_test_without_its_message_fails() -> None:
    with recorded() as found:
        Diagnostic("FG-TOP-009", load_codes()[0].severity, "1 links find no port.", hint="add ports")
    missing, *wording = list_faults(["FG-TOP-009", "FG-TOP-010"], found)
    assert missing == "FG-TOP-010: no message"
    assert all(fault.startswith("FG-TOP-009: message ") for fault in wording)
    assert len(wording) == 2
    with recorded() as found:
        pass
    assert list_faults(["FG-TOP-009"], found) == ["FG-TOP-009: no message"]
