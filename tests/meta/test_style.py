"""Texts that people read keep to docs/style.md, as far as a machine can tell."""

from __future__ import annotations

import io
import re
import tokenize
from pathlib import Path

from fabricgen.api.explain import load_codes
from tests.meta.test_names import modules
from tests.wording import DIALECT

REPOSITORY = Path(__file__).resolve().parents[2]
QUESTIONS = ("What", "Who", "Whose", "Whether", "Which", "How", "Where", "When", "Why", "That")
DOC = re.compile(r'^ *"""([A-Za-z]+)', re.MULTILINE)
"""First word of a text that stands by itself."""
PLACEHOLDER = re.compile(r"\{[^{}]*\}")
POINTS_BACK = re.compile(
    r"^(nothing\b|see (the )?(message|above)|as (the message|above)|do what it says)", re.IGNORECASE
)
BARE_EXIT_CODE = re.compile(r"^ *assert .*\.returncode (?:==|in) (?:-?\w+|\([\d, ]+\))(?:  #.*)?$", re.MULTILINE)


def _strings_and_comments(text: str) -> str:
    """Every string and comment of a module, expressions left out."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    texts = [token.string for token in tokens if token.type in (tokenize.STRING, tokenize.COMMENT)]
    return PLACEHOLDER.sub("", " ".join(" ".join(texts).split()))


def test_strings_and_comments_are_plain() -> None:
    texts = list(modules("fabricgen", "tools"))
    assert len(texts) > 500
    suspect = [(path, _strings_and_comments(text)) for path, text in texts if DIALECT.search(" ".join(text.split()))]
    assert [f"{path}: {found[0]}" for path, text in suspect if (found := DIALECT.search(text))] == []


def test_docstrings_state_a_thing_or_what_is_done() -> None:
    docstrings = [(path, found) for path, text in modules("fabricgen", "tools", "tests") for found in DOC.findall(text)]
    assert len(docstrings) > 5000
    assert [(path, word) for path, word in docstrings if word in QUESTIONS] == []


def test_texts_of_codes_are_plain() -> None:
    texts = {(code.id, text) for code in load_codes() for text in (code.title, code.why, code.fix)}
    assert len(texts) > 1000
    assert sorted(found for found in texts if DIALECT.search(found[1])) == []


def test_no_advice_points_back_at_its_message() -> None:
    codes = load_codes()
    assert sorted(code.id for code in codes if POINTS_BACK.search(code.fix) or code.fix in (code.title, code.why)) == []


def test_exit_codes_are_judged_together_with_what_was_printed() -> None:
    """A test that fails shows why; ``Done.exits`` does, and so does a message of its own."""
    bare = {path: BARE_EXIT_CODE.findall(path.read_text()) for path in (REPOSITORY / "tests").rglob("*.py")}
    assert {str(path): found for path, found in bare.items() if found} == {}
