"""Results as people and build servers read them."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from fabricgen.lab.verify.findings import LabFinding, LabResult, list_findings, list_results, to_data, to_junit

GOOD = LabResult("cabling", 8, "ports", note="a <sample>")
BAD = LabResult(
    "sessions", 4, "sessions", (LabFinding("leaf-1", "Ethernet0", "state <Idle>"), LabFinding("leaf-2", "E4", "x"))
)


def test_junit_has_a_case_per_check_and_fails_with_what_was_found() -> None:
    (suite,) = ET.fromstring(to_junit("lab", [GOOD, BAD]))
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    cases = {case.get("name"): case for case in suite}
    assert cases["cabling"].find("failure") is None
    failure = cases["sessions"].find("failure")
    assert "leaf-1 Ethernet0: state <Idle>" in (failure.text or "")


def test_a_table_names_some_and_counts_the_rest() -> None:
    assert [row["result"] for row in list_results([GOOD, BAD])] == ["pass", "FAIL"]
    rows = list(list_findings([GOOD, BAD], 1))
    assert [row["device"] for row in rows] == ["leaf-1", "…"]
    assert rows[1]["reason"] == "1 more"


def test_json_leaves_nothing_out() -> None:
    data = to_data([GOOD, BAD])
    assert [item["passed"] for item in data] == [True, False]
    assert data[1]["findings"] == [
        {"device": "leaf-1", "link": "Ethernet0", "reason": "state <Idle>"},
        {"device": "leaf-2", "link": "E4", "reason": "x"},
    ]
