"""The writers for machines: read back by parsers of their formats, with messages that try to break out of them."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import pytest
from diagnostics_samples import CODE, EVIL, HOSTILE, ORDINARY, SHOWN, lines_of
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.diagnostics import Diagnostic, Place, Related, Severity, Waiver
from fabricgen.diagnostics.writers import FORMATS, write_diagnostics

_ANY = st.text(st.characters(), max_size=20)
_PLACES = st.none() | st.builds(Place, _ANY, st.integers(0, 9), st.integers(0, 9))
_PATHS = st.lists(_ANY, max_size=2).map(tuple)
_DIAGNOSTICS = st.builds(
    Diagnostic,
    code=st.sampled_from([CODE, "FG-QOS-015"]),
    severity=st.sampled_from(Severity),
    message=_ANY,
    path=_PATHS,
    hint=_ANY,
    related=st.lists(st.builds(Related, _ANY, _PATHS, _PLACES), max_size=2).map(tuple),
    place=_PLACES,
    count=st.integers(1, 3),
    waived=st.none() | st.builds(Waiver, _ANY, _ANY, _ANY),
)


def write(format_name: str, diagnostics: list[Diagnostic]) -> str:
    return write_diagnostics(diagnostics, format_name, lines_of=lines_of)


def encodable(text: str) -> str:
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


@given(diagnostics=st.lists(_DIAGNOSTICS, max_size=3))
def test_every_format_survives_everything(diagnostics: list[Diagnostic]) -> None:
    for name in FORMATS:
        output = write(name, diagnostics)
        output.encode()
        assert output.endswith("\n") or (name == "github" and not diagnostics)
        assert output == write(name, diagnostics[::-1]) or len(set(map(repr, diagnostics))) > 1
    json.loads(write("json", diagnostics))
    check_sarif(json.loads(write("sarif", diagnostics)), diagnostics)
    cases = ElementTree.fromstring(write("junit", diagnostics).encode()).findall(".//testcase")
    assert len(cases) == max(1, len(diagnostics))
    assert len(write("github", diagnostics).split("\n")) == len(diagnostics) + 1


def test_order_is_that_of_places_then_codes() -> None:
    for diagnostics in (ORDINARY, ORDINARY[::-1]):
        codes = [item["code"] for item in json.loads(write("json", diagnostics))["diagnostics"]]
        assert codes == ["FG-OUT-002", "FG-QOS-011", "FG-QOS-015", "FG-SRC-016", "FG-OUT-001"]


def test_json_holds_everything() -> None:
    document, place = json.loads(write("json", ORDINARY)), {"file": "fabric.yaml", "line": 4, "column": 22}
    assert document["summary"] == {"error": 3, "warning": 1, "info": 1, "waived": 0}
    assert document["diagnostics"][3] == {
        "code": CODE,
        "severity": "error",
        "message": "priority is 9; 0 to 7 are allowed",
        "path": ["lossless", "classes", "roce", "priority"],
        "device": "",
        "place": place,
        "hint": "use 3",
        "count": 4096,
        "waived": None,
        "related": [
            {"text": "class chosen here", "path": ["lossless", "classes"], "place": place | {"line": 3, "column": 3}},
            {"text": "see there", "path": ["fabric"], "place": None},
        ],
    }
    assert json.loads(write("json", EVIL[:1]))["diagnostics"][0]["message"] == encodable(HOSTILE)


def check_sarif(log: dict[str, Any], diagnostics: list[Diagnostic]) -> None:
    """Check the properties that are written against the SARIF 2.1.0 schema."""
    assert set(log) == {"$schema", "version", "runs"}
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert set(run) == {"tool", "columnKind", "results"}
    assert run["columnKind"] in {"utf16CodeUnits", "unicodeCodePoints"}
    driver = run["tool"]["driver"]
    assert set(driver) <= {"name", "rules"}
    rules = driver["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for rule in rules:
        assert set(rule) <= {"id", "shortDescription", "fullDescription", "help", "defaultConfiguration"}
        assert rule["defaultConfiguration"]["level"] in {"none", "note", "warning", "error"}
        assert all(isinstance(rule[key]["text"], str) for key in rule if key not in {"id", "defaultConfiguration"})
    assert len(run["results"]) == len(diagnostics)
    for result in run["results"]:
        assert set(result) <= {
            "ruleId", "ruleIndex", "level", "message", "occurrenceCount", "locations", "relatedLocations",
            "suppressions", "properties",
        }  # fmt: skip
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in {"none", "note", "warning", "error"}
        assert result["occurrenceCount"] >= 1
        check_message(result["message"])
        for suppression in result.get("suppressions", []):
            assert set(suppression) <= {"kind", "status", "justification", "location"}
            assert suppression["kind"] in {"inSource", "external"}
            assert suppression["status"] in {"accepted", "underReview", "rejected"}
        assert len(result.get("locations", [{}])) == 1
        related = result.get("relatedLocations", [])
        assert [location["id"] for location in related] == list(range(1, len(related) + 1))
        for location in [*result.get("locations", []), *related]:
            check_location(location)


def check_message(message: dict[str, Any]) -> None:
    assert set(message) == {"text"}
    assert not re.search(r"[{}]", message["text"].replace("{{", "").replace("}}", ""))


def check_location(location: dict[str, Any]) -> None:
    assert set(location) <= {"id", "physicalLocation", "logicalLocations", "message"}
    if "physicalLocation" in location:
        physical = location["physicalLocation"]
        assert set(physical) == {"artifactLocation", "region"}
        assert min(physical["region"]["startLine"], physical["region"]["startColumn"]) >= 1
        uri = physical["artifactLocation"]["uri"]
        assert re.fullmatch(r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]*", uri)
        assert urlsplit(uri).scheme in {"", "file"}
    for logical in location.get("logicalLocations", []):
        assert set(logical) == {"fullyQualifiedName"}
    if "message" in location:
        check_message(location["message"])


def test_sarif() -> None:
    log = json.loads(write("sarif", ORDINARY))
    check_sarif(log, ORDINARY)
    result = log["runs"][0]["results"][3]
    assert result["message"]["text"] == "priority is 9; 0 to 7 are allowed\nHint: use 3"
    assert result["occurrenceCount"] == 4096
    place = {"artifactLocation": {"uri": "fabric.yaml"}, "region": {"startLine": 4, "startColumn": 22}}
    logical = [{"fullyQualifiedName": "lossless.classes.roce.priority"}]
    assert result["locations"] == [{"physicalLocation": place, "logicalLocations": logical}]
    assert [other["message"]["text"] for other in result["relatedLocations"]] == ["class chosen here", "see there"]
    rule = log["runs"][0]["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert rule["shortDescription"]["text"] == "A key, item or column given twice"
    uri = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert unquote(uri) == "dir/a b#%é.yaml"
    assert {item["level"] for item in log["runs"][0]["results"]} == {"error", "warning", "note"}


def test_sarif_of_an_absolute_path_is_a_file_uri() -> None:
    found = [Diagnostic(CODE, Severity.ERROR, "m", place=Place("/tmp/a b.yaml", 1, 1))]
    (result,) = json.loads(write("sarif", found))["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "file:///tmp/a%20b.yaml"


def test_junit() -> None:
    root = ElementTree.fromstring(write("junit", ORDINARY).encode())
    (suite,) = root.findall("testsuite")
    assert (suite.get("tests"), suite.get("failures")) == ("5", "3")
    cases = suite.findall("testcase")
    assert [case.get("name") for case in cases][3:] == ["FG-SRC-016 fabric.yaml:4:22", "FG-OUT-001 users[a: b].key"]
    failure = cases[3].find("failure")
    assert (failure.get("type"), failure.get("message")) == (CODE, "priority is 9; 0 to 7 are allowed")
    assert "count: 4096" in (failure.text or "")
    assert [case.find("system-out") is not None for case in cases] == [False, False, True, False, True]


def test_junit_without_diagnostics_passes() -> None:
    root = ElementTree.fromstring(write("junit", []).encode())
    assert root.get("failures") == "0"
    assert len(root.findall(".//testcase")) == 1


def test_junit_carries_what_xml_can() -> None:
    root = ElementTree.fromstring(write("junit", [item for item in EVIL if item.severity is Severity.ERROR]).encode())
    for failure in root.iter("failure"):
        assert failure.get("message") == SHOWN
        assert SHOWN in (failure.text or "")


def parse_command(line: str) -> tuple[str, dict[str, str], str]:
    """A workflow command as the runner parses it."""
    found = re.fullmatch(r"::([a-z]+) ([^\n]*?)::(.*)", line)
    properties = dict(pair.split("=", 1) for pair in found.group(2).split(","))
    decoded = {name: unescape(value).replace("%2C", ",") for name, value in properties.items()}
    return found.group(1), decoded, unescape(found.group(3))


def unescape(text: str) -> str:
    for code, character in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        text = text.replace(code, character)
    return text


def test_github() -> None:
    commands = [parse_command(line) for line in write("github", ORDINARY).splitlines()]
    assert [command for command, _, _ in commands] == ["error", "error", "warning", "error", "notice"]
    assert commands[0][1] == {"file": "dir/a b#%é.yaml", "line": "7", "col": "3", "title": "FG-OUT-002"}
    assert commands[3][2] == (
        "priority is 9; 0 to 7 are allowed (×4096)\npath: lossless.classes.roce.priority\nhint: use 3\n"
        "note: fabric.yaml:3:3: class chosen here\nnote: fabric: see there"
    )
    assert "file" not in commands[4][1]


@pytest.mark.parametrize("diagnostic", EVIL)
def test_github_messages_stay_in_their_command(diagnostic: Diagnostic) -> None:
    output = write("github", [diagnostic])
    assert output.count("\n") == 1
    assert "\r" not in output
    _, properties, message = parse_command(output.removesuffix("\n"))
    assert message.startswith(SHOWN)
    if diagnostic.place and diagnostic.place.file == HOSTILE:
        assert properties["file"] == SHOWN.replace("\n", "\\n")
