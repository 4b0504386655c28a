"""Texts that are no YAML or JSON: one error, at the place of the mistake, in words about what was written."""

from __future__ import annotations

import json

import pytest
from source_files import Write, read, spots

# Text, line and column, and words that must appear in the message or the hint.
YAML_FAULTS = [
    ("hosts: {server: a, nic: b\nunits: 2\n", (2, 6), "close the bracket with '}'"),
    ("a: [1, 2\n", (1, 4), "never closed"),
    ("a: {b: 1\n", (1, 4), "never closed"),
    ("a: 1\nb: 'x\nc: 2\n", (2, 4), "never closed"),
    ('a: "x\n---\nb: 1\n', (1, 4), "never closed"),
    ("a: b: c\n", (1, 5), "already holds a value"),
    ("name:leaf\nfoo: 1\n", (2, 4), "space behind the colon"),
    ("a: 1\n  b: 2\n", (2, 4), "continues the text"),
    ("a:\n  b: 1\n c: 2\n", (3, 2), "the same indentation"),
    ("a: b\n- c\n", (2, 1), "the same indentation"),
    ("- a\nb: 1\n", (2, 1), "the same indentation"),
    ("a: - b\n", (1, 4), "list item is not allowed"),
    ("a: @x\n", (1, 4), "cannot start with '@'"),
    ("a: `x`\n", (1, 4), "cannot start with '`'"),
    ("a: %x\n", (1, 4), "cannot start with '%'"),
    ('a: "C:\\dir"\n', (1, 8), "backslash twice"),
    ('a: "\\x1"\n', (1, 7), "backslash twice"),
    ('a: "\\UFFFFFFFF"\n', (1, 1), "cannot be read"),
    ('a: "\\U00110000"\n', (1, 1), "cannot be read"),
    ("a: b]\nc: }\n", (2, 4), "missing before"),
    ("a: ,\n", (1, 4), "missing before"),
    ('a: "b" c\n', (1, 8), "quotes around a whole value"),
    ("a: |x\n  y\n", (1, 5), "special characters"),
    ("a: &\n", (1, 5), "special characters"),
    ("a: *\n", (1, 5), "special characters"),
    ("a: 1\n... b\n", (2, 5), "special characters"),
    ("  a: 1\nb: 2\n", (2, 1), "special characters"),
    ("a:\n  b: 1\n  c\nd: 1\n", (3, 3), "without colon"),
    ("a: !x!y b\n", (1, 4), "special characters"),
    ("a: |\n  \n    b\n", (3, 5), "special characters"),
    ("a: |\n     \n  b\n", (3, 3), "quotes"),
    ("a: [", (1, 5), "bracket is still open"),
    ("a: {b:\n---\n", (2, 1), "missing before"),
]

JSON_FAULTS = [
    ('{"a": 1,}', None), ('{a: 1}', (1, 2)), ('{"a": 1', (1, 8)), ('{\n "a": 1\n "b": 2}', (3, 2)), ('{"a" 1}', (1, 6)),
    ('{"a": "x}', (1, 7)), ('{"a": "x\ty"}', (1, 9)), ('{"a": "\\x"}', (1, 8)), ('{"a": tru}', (1, 7)),
    ('{"a": NaN}', (1, 7)), ('{"b": "NaN", "a": [1,\n -Infinity]}', (2, 2)), ('{"a": 1} {}', (1, 10)),
    ('{"a": // c\n 1}', (1, 7)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "spot", "words"), YAML_FAULTS)
@pytest.mark.parametrize("pure", [False, True], ids=["c", "pure"])
def test_yaml_fault(write: Write, text: str, spot: tuple[int, int], words: str, pure: bool) -> None:
    document, found = read(write(text), pure=pure)
    assert document is None
    assert spots(found) == [("FG-SRC-011", *spot)]
    assert words in f"{found[0].message}\n{found[0].hint}"


@pytest.mark.parametrize(("text", "spot"), JSON_FAULTS)
def test_json_fault(write: Write, text: str, spot: tuple[int, int] | None) -> None:
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
