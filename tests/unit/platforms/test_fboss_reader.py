"""The reader of FBOSS files: what it takes away, what it refuses, and that its names are those of the daemons."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from fabricgen.platforms.fboss import PLATFORM
from fabricgen.platforms.fboss.reader import known_fields, locate, read
from fabricgen.platforms.reading.reader import ReadFault

AGENT: dict[str, Any] = {
    "sw": {
        "hostname": "leaf-1",
        "ports": [
            {"logicalID": 9, "name": "eth1/1/1", "state": 2, "description": None},
            {"logicalID": 10, "name": "eth1/1/5", "state": 1},
        ],
        "portQueueConfigs": {"fabric": [{"id": 3, "scheduling": 0}, {"id": 7, "scheduling": 1}]},
        "loadBalancers": [{"id": 1, "fieldSelection": {"ipv4Fields": [2, 1]}}],
    }
}


def test_rows_go_by_what_they_are_and_null_is_absent() -> None:
    switch = read(json.dumps(AGENT))["sw"]
    assert switch["ports"]["eth1/1/1"] == {"logicalID": 9, "name": "eth1/1/1", "state": 2}
    assert set(switch["portQueueConfigs"]["fabric"]) == {"3", "7"}
    assert switch["loadBalancers"]["1"]["fieldSelection"]["ipv4Fields"] == [1, 2]


def test_marking_is_a_value_of_its_own() -> None:
    linear = {"minimumLength": 1, "maximumLength": 2, "probability": 20}
    queue = {"id": 3, "scheduling": 0, "aqms": [{"behavior": 1, "detection": {"linear": linear}}]}
    tree = read(json.dumps({"sw": {"portQueueConfigs": {"fabric": [queue]}}}))
    assert tree["sw"]["portQueueConfigs"]["fabric"]["3"]["aqms"]["1"]["detection"]["linear"] == linear


def test_order_of_rows_means_nothing_and_order_of_terms_does() -> None:
    turned = {"sw": {**AGENT["sw"], "ports": AGENT["sw"]["ports"][::-1]}}
    assert read(json.dumps(AGENT)) == read(json.dumps(turned))
    terms = [{"name": "a"}, {"name": "b"}]
    policies = [
        {"router_id": "10.0.0.1", "policies": {"bgp_policy_statements": [{"name": "P", "policy_entries": rows}]}}
        for rows in (terms, terms[::-1])
    ]
    assert read(json.dumps(policies[0])) != read(json.dumps(policies[1]))


def test_the_file_names_its_switch() -> None:
    assert PLATFORM.format_of("").hostname(read(json.dumps(AGENT))) == "leaf-1"
    assert PLATFORM.format_of("").hostname(read('{"router_id": "10.0.0.1"}')) == ""


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"logicalID"', '"logicalId"', "did you mean logicalID"),
        ('"hostname"', '"hostName"', "sw has what is no field of SwitchConfig"),
        ('"sw"', '"switch"', "neither 'sw' nor 'router_id'"),
        ('"eth1/1/5"', '"eth1/1/1"', "sw.ports has a row twice"),
    ],
)
def test_what_the_agent_would_drop_is_refused(old: str, new: str, words: str) -> None:
    text = json.dumps(AGENT, indent=1)
    assert old in text
    with pytest.raises(ReadFault, match=words):
        read(text.replace(old, new))


def test_a_fault_has_its_line() -> None:
    text = json.dumps(AGENT, indent=1).replace('"state"', '"sate"')
    with pytest.raises(ReadFault) as caught:
        read(text)
    assert '"sate"' in text.splitlines()[caught.value.line - 1]


def test_a_row_is_found_by_what_identifies_it() -> None:
    text = json.dumps(AGENT, indent=1)
    line = locate(text, ("sw", "ports", "eth1/1/5", "state"))
    assert text.splitlines()[line - 1].strip() == '"state": 1'


@pytest.mark.parametrize(("root", "file"), [("AgentConfig", "fboss_agent"), ("BgpConfig", "fboss_bgp")])
def test_the_names_are_those_of_the_thrift_files(root: str, file: str) -> None:
    judges = os.environ.get("FABRICGEN_JUDGES")
    facts = Path(judges or "").parent / f"data/{file}.facts.json"
    if not judges or not facts.is_file():
        pytest.skip("the facts of the thrift files are not in the folder that FABRICGEN_JUDGES names")
    structs = json.loads(facts.read_text(encoding="utf-8"))["structs"]
    wanted = {name: {field: row[0] for field, row in struct["fields"].items()} for name, struct in structs.items()}
    assert known_fields()[root] == wanted
