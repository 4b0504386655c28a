"""Overlays: what they replace, merge and add, and where the result stands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from source_files import Write, read, spots

from fabricgen.diagnostics import Bag
from fabricgen.source import load_document

MERGED = [
    ("a: 1", "a: 2", {"a": 2}),
    ("a: 1", "b: 2", {"a": 1, "b": 2}),
    ("a: {x: 1, y: 2}", "a: {y: 3, z: 4}", {"a": {"x": 1, "y": 3, "z": 4}}),
    ("a: {x: 1}", "a: text", {"a": "text"}),
    ("a: text", "a: {x: 1}", {"a": {"x": 1}}),
    ("a: {x: 1}", "a: null", {"a": None}),
    ("a: [x, y]", "a: {x: 1}", {"a": {"x": 1}}),
    ("a: [x, y]", "a: [y, z]", {"a": ["x", "y", "z"]}),
    ("a: [1]", "a: ['1']", {"a": ["1"]}),
    (
        "u: [{name: a, k: 1, l: 1}, {name: b}]",
        "u: [{name: c}, {name: a, k: 2}]",
        {"u": [{"name": "a", "k": 2, "l": 1}, {"name": "b"}, {"name": "c"}]},
    ),
    (
        "e: [{device: d, state: drained, reason: r}]",
        "e: [{device: d, set: {x: 1}, reason: s}, {device: d, state: absent}]",
        {"e": [{"device": "d", "state": "absent", "reason": "r"}, {"device": "d", "set": {"x": 1}, "reason": "s"}]},
    ),
]


@pytest.mark.parametrize(("base", "over", "data"), MERGED)
def test_merge(write: Write, base: str, over: str, data: object) -> None:
    document, found = read(write(base), overlays=(write(over, "over.yaml"),))
    assert found == []
    assert document.data == data
    assert list(document.data) == list(dict.fromkeys(text.split(":")[0] for text in (base, over)))


def test_every_value_keeps_the_place_it_came_from(write: Write) -> None:
    base = write("tiers:\n  leaf:\n    model: a\n    count: 1\nusers:\n- {name: n, k: 1}\n")
    over = write("tiers:\n  leaf: {model: b}\n  core: {model: c}\nusers: [{name: n, l: 2}, {name: m}]\n", "over.yaml")
    document, _ = read(base, overlays=(over,))
    o = str(over)
    expected = {
        ("tiers",): ("f", 1, 1),
        ("tiers", "leaf"): ("f", 2, 3),
        ("tiers", "leaf", "model"): (o, 2, 17),
        ("tiers", "leaf", "count"): ("f", 4, 12),
        ("tiers", "core"): (o, 3, 3),
        ("users", "[n]"): ("f", 6, 3),
        ("users", "[n]", "k"): ("f", 6, 16),
        ("users", "[n]", "l"): (o, 4, 22),
        ("users", "[m]"): (o, 4, 26),
    }
    places = {path: document.place(path) for path in expected}
    assert {path: (p.file, p.line, p.column) for path, p in places.items() if p} == expected
    key = document.place(("tiers", "leaf", "model"), on_key=True)
    assert (key.file, key.line, key.column) == (o, 2, 10) if key else False
    assert document.files == ("f", o)
    assert document.lines(o)[2] == "  core: {model: c}"


def test_later_overlays_win(write: Write) -> None:
    overlays = tuple(write(f"a: {n}\n", f"o{n}.yaml") for n in (1, 2, 3))
    document, _ = read(write("a: 0\n"), overlays=overlays)
    assert document.data == {"a": 3}
    assert len(document.files) == 4


def test_an_overlay_that_cannot_be_read_is_left_out(write: Write, tmp_path: Path) -> None:
    overlays = (write("- list\n", "l.yaml"), write("b: [\n", "s.yaml"), write("b: 1\n", "g.yaml"))
    document, found = read(write("a: 0\n"), overlays=(tmp_path / "none.yaml", *overlays))
    assert document.data == {"a": 0, "b": 1}
    assert [code for code, _, _ in spots(found)] == ["FG-SRC-001", "FG-SRC-011", "FG-SRC-022"]


def test_faults_of_overlays_are_reported_without_a_base(write: Write, tmp_path: Path) -> None:
    bag = Bag()
    assert load_document(tmp_path / "none.yaml", bag, overlays=[write("a: 1\na: 2\n", "o.yaml")]) is None
    assert [item.code for item in bag] == ["FG-SRC-001", "FG-SRC-016"]


def test_the_base_is_not_changed_by_what_is_laid_over_it(write: Write) -> None:
    base = write("a: &x [{name: n}]\nb: *x\n")
    document, _ = read(base, overlays=(write("a: [{name: n, k: 1}, {name: m}]\n", "o.yaml"),))
    assert document.data == {"a": [{"name": "n", "k": 1}, {"name": "m"}], "b": [{"name": "n"}]}


_KEYS = st.sampled_from("abcd")
_VALUES = st.recursive(st.integers(0, 3), lambda inner: st.dictionaries(_KEYS, inner, max_size=3), max_leaves=8)
_MAPPINGS = st.dictionaries(_KEYS, _VALUES, min_size=1, max_size=3)


def merged(base: Any, over: Any) -> Any:
    """Merging as RFC 7396 defines it, which is what overlays do to mappings without nulls."""
    if not isinstance(over, dict) or not isinstance(base, dict):
        return over
    return {
        key: merged(base[key], over[key]) if key in base and key in over else {**base, **over}[key]
        for key in base | over
    }


@given(base=_MAPPINGS, over=_MAPPINGS)
def test_mappings_merge_like_json_merge_patch(
    tmp_path_factory: pytest.TempPathFactory, base: dict[str, Any], over: dict[str, Any]
) -> None:
    folder = tmp_path_factory.getbasetemp()
    (folder / "b.yaml").write_text(str(base))
    (folder / "o.yaml").write_text(str(over))
    document, found = read(folder / "b.yaml", overlays=(folder / "o.yaml",))
    assert found == []
    assert document.data == merged(base, over)
