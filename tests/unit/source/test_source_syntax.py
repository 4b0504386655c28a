"""Texts that are no YAML or JSON: one error, at the place of the mistake, in words about what was written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from source_files import Write, read, spots

FAULTS = yaml.safe_load((Path(__file__).parent / "syntax_faults.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("text", "spot", "words"), FAULTS["yaml"])
@pytest.mark.parametrize("pure", [False, True], ids=["c", "pure"])
def test_yaml_fault(write: Write, text: str, spot: list[int], words: str, pure: bool) -> None:
    document, found = read(write(text), pure=pure)
    assert document is None
    assert spots(found) == [("FG-SRC-011", *spot)]
    assert words in f"{found[0].message}\n{found[0].hint}"


@pytest.mark.parametrize(("text", "spot"), FAULTS["json"])
def test_json_fault(write: Write, text: str, spot: list[int] | None) -> None:
    document, found = read(write(text, "fabric.json"))
    assert document is None
    assert [item.code for item in found] == ["FG-SRC-012"]
    assert spot is None or spots(found) == [("FG-SRC-012", *spot)]


def test_where_a_bracket_was_opened_is_named(write: Write) -> None:
    _, found = read(write("a: 1\nhosts: {server: a,\n nic: b\nunits: 2\n"))
    assert [str(other.place) for item in found for other in item.related] == ["f:2:8"]


@pytest.mark.parametrize("pure", [False, True], ids=["c", "pure"])
def test_json_is_read_with_the_same_care(write: Write, pure: bool) -> None:
    text = '{"a": 1, "b": {"c": "\\ud83d\\ude00\\/", "c": 2},\n\t"a": 3, "l": [1, 1]}'
    document, found = read(write(text, "fabric.JSON"), pure=pure)
    assert spots(found) == [("FG-SRC-016", 1, 39), ("FG-SRC-016", 2, 2), ("FG-SRC-016", 2, 19)]
    assert document.data == {"a": 1, "b": {"c": "😀/"}, "l": [1, 1]}


@pytest.mark.parametrize("name", ["fabric.json", "fabric.yaml"])
@pytest.mark.parametrize("pure", [False, True], ids=["c", "pure"])
def test_json_that_nests_deep_is_no_crash(write: Write, name: str, pure: bool) -> None:
    _, found = read(write(json.dumps({"a": 1})[:-1] + ', "b": ' + "[" * 30000 + "]" * 30000 + "}", name), pure=pure)
    assert [item.code for item in found] == ["FG-SRC-019"]
