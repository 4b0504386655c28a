"""Texts that people read keep to docs/style.md, as far as a machine can tell."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from fabricgen.api.explain import load_codes
from tests.wording import DIALECT

REPOSITORY = Path(__file__).resolve().parents[2]
QUESTIONS = ("What", "Who", "Whose", "Whether", "Which", "How", "Where", "When", "Why", "That")
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
PLACEHOLDER = re.compile(r"\{[^{}]*\}")
POINTS_BACK = re.compile(
    r"^(nothing\b|see (the )?(message|above)|as (the message|above)|do what it says)", re.IGNORECASE
)
BARE_EXIT_CODE = re.compile(r"^ *assert .*\.returncode (?:==|in) (?:-?\w+|\([\d, ]+\))(?:  #.*)?$", re.MULTILINE)


def _docstrings() -> list[tuple[str, str]]:
    """Return place and docstring of every module, class, function and attribute."""
    found = []
    for folder in ("fabricgen", "tools", "tests"):
        for path in sorted((REPOSITORY / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, DOCUMENTED) and (text := ast.get_docstring(node)):
                    found.append((f"{path.relative_to(REPOSITORY)}:{getattr(node, 'lineno', 1)}", text))
                elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                    found.append((f"{path.relative_to(REPOSITORY)}:{node.lineno}", str(node.value.value)))
    return found


def _texts() -> Iterator[tuple[str, str]]:
    """Yield place and text of every string and comment of the product and its tools, expressions left out."""
    for folder in ("fabricgen", "tools"):
        for path in sorted((REPOSITORY / folder).rglob("*.py")):
            with path.open("rb") as file:
                for token in tokenize.tokenize(file.readline):
                    if token.type in (tokenize.STRING, tokenize.COMMENT):
                        place = f"{path.relative_to(REPOSITORY)}:{token.start[0]}"
                        yield place, PLACEHOLDER.sub("", " ".join(token.string.split()))


def test_strings_and_comments_are_plain() -> None:
    texts = list(_texts())
    assert len(texts) > 20000
    assert [f"{place} {found[0]}" for place, text in texts if (found := DIALECT.search(text))] == []


def test_docstrings_state_a_thing_or_what_is_done() -> None:
    docstrings = _docstrings()
    assert len(docstrings) > 5000
    assert [place for place, text in docstrings if text.split(maxsplit=1)[0] in QUESTIONS] == []


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
