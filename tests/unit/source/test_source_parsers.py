"""The two parsers: which one is at work, that both agree on everything, and that no input stops either."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML
from source_files import Write, read
from test_source_syntax import FAULTS
from test_source_text_faults import GOES_ON, STOPS

from fabricgen.diagnostics import Bag
from fabricgen.source import parse, read_csv
from fabricgen.source.nodes import Node

PIECES = [
    "a", "b", "k", ": ", ":", ", ", ",", "\n", "\n  ", "\n- ", "- ", "\t", "?", "? ", "# ", "#", "&a ", "*a", "!",
    "!!str ", "|\n  ", ">-\n  ", "|", ">", "'", '"', "%", "@", "`", "[", "]", "{", "}", "\\", "\\u00e9", "\\x4", "0",
    "1", ".", "~", "<<: ", "---\n", "...\n", "\r\n", "\r", " ", "   \n", "{a: b:c}", "::1", "é", "😀", "\x00", "\x85",
    "\u2028", "\ufeff",
]  # fmt: skip
REPOSITORY = Path(__file__).parents[3]
HOSTILE = [
    "%\n", "\t", "- \t", "a\t", "&a", "|\n ", "> #", "[\n", "{\n", "- ", "? ", "a: ", "- a\n", '"', "!", "a: &a [*a]\n",
    "<<: 1\n", "-\n",
]  # fmt: skip
SEEDS = [
    "fabric: quick\nhosts: {server: s, nic: n, per_unit: 4}\nunits: {count: 2, max: 8}  # eight\ntiers:\n"
    "  leaf:  {model: m, platform: sonic}\n  spine: {model: m, per: fabric}\n",
    "a: |\n  x\n   y\n\n  z\nb: >-\n  folded\n  text\nc: 'it''s'\nd: \"q\\n\\u00e9\"\n",
    "- name: x\n  v: [1, 2, {a: b}]\n- name: y\n-\n  - z\n",
    "a: &x {k: 1}\nb: *x\nc: [*x, *x]\nusers: [{name: n, secret: env:KEY}]\n",
    "k: plain\n  multi\n  line # c\n? complex\n: v\n",
    'x:\n\ty: 1\n\tz: "t\tu"\n',
]
_EDITS = st.lists(st.tuples(st.integers(0, 200), st.integers(0, 6), st.sampled_from(PIECES) | st.just("")), max_size=5)


def outcome(path: Path, *, pure: bool) -> object:
    """Everything that reading a file gives: values, places and diagnostics."""
    document, found = read(path, pure=pure)
    return (described(document.root) if document else None, found)


def described(node: Node) -> object:
    value: Any = node.value
    if isinstance(value, dict):
        value = {key: described(item) for key, item in value.items()}
    elif isinstance(value, list):
        value = [described(item) for item in value]
    return (repr(value), node.line, node.column, node.key_line, node.key_column)


def test_the_c_parser_is_at_work() -> None:
    parser: type = YAML(typ="safe").Parser
    assert parser.__name__ == "CParser"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return whether the Python parser was asked, once per parser that was."""
    found: list[bool] = []
    bounded = parse._bounded

    def spy(text: str, *, pure: bool) -> object:
        found.append(pure)
        return bounded(text, pure=pure)

    monkeypatch.setattr(parse, "_bounded", spy)
    return found


@pytest.mark.parametrize("text", [SEEDS[0], SEEDS[2], SEEDS[3], 'seeds: ["0", "25?", "?"]\nask: {path: "/?a=b"}\n'])
def test_ordinary_text_is_left_to_the_c_parser(write: Write, text: str, asked: list[bool]) -> None:
    read(write(text))
    assert asked == [False]


def test_what_ships_is_left_to_the_c_parser(asked: list[bool]) -> None:
    files = [*REPOSITORY.glob("fabricgen/catalog/data/**/*.yaml"), *REPOSITORY.glob("templates/**/platform.yaml")]
    for file in files:
        parse.parse_events(file.read_text())
        assert asked[-1] is False, file
    assert len(asked) == len(files) > 50


@pytest.mark.parametrize(
    "text",
    [
        *(text for text, *_ in GOES_ON.values()), *(text for text, _ in STOPS.values()),
        *(text for text, *_ in FAULTS["yaml"]), *SEEDS,
        "a: [b?c, d]", "{a:1}", "{a:[1]}", "['a':1]", "[:a]", "{a :b}", "a: \"it\\'s\"", "*a: 1", "&a: 1",
        "a: !!str &x 1", "a: 1\n...\n...\n---\nb: 2", ">\n---\nb", "a: >#c\n b", "a: |\n\n   \n  x\n",
        "a:\n-\n- \n", "{a, b: , c}", "? a",
    ],
)  # fmt: skip
def test_parsers_agree(write: Write, text: str | bytes) -> None:
    path = write(text)
    assert outcome(path, pure=False) == outcome(path, pure=True)


@given(seed=st.sampled_from(SEEDS), edits=_EDITS)
def test_parsers_agree_on_mutated_text(
    tmp_path_factory: pytest.TempPathFactory, seed: str, edits: list[tuple[int, int, str]]
) -> None:
    text = seed
    for start, length, piece in edits:
        start %= len(text) + 1
        text = text[:start] + piece + text[start + length :]
    agree(tmp_path_factory, text.encode())


@given(pieces=st.lists(st.sampled_from(PIECES), max_size=20))
def test_parsers_agree_on_random_pieces(tmp_path_factory: pytest.TempPathFactory, pieces: list[str]) -> None:
    agree(tmp_path_factory, "".join(pieces).encode())


@given(data=st.binary(max_size=60))
def test_random_bytes_never_raise(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    for name in ("f.yaml", "f.json"):
        agree(tmp_path_factory, data, name)
    path = tmp_path_factory.getbasetemp() / "f.csv"
    path.write_bytes(data)
    read_csv(path, Bag(), required=["a"], optional=["b"])


def agree(tmp_path_factory: pytest.TempPathFactory, data: bytes, name: str = "f.yaml") -> None:
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(data)
    assert outcome(path, pure=False) == outcome(path, pure=True)


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("head", ["", "|\n", 'a: "\t"\n'])
def test_hostile_text_comes_to_an_end(write: Write, text: str, head: str) -> None:
    path = write(head + text * (8192 // len(text)) + "x")
    assert outcome(path, pure=False) == outcome(path, pure=True)


def test_holding_documents_needs_no_parser() -> None:
    code = "import sys, fabricgen.source; sys.exit(any(name.partition('.')[0] == 'ruamel' for name in sys.modules))"
    subprocess.run([sys.executable, "-c", code], check=True)
