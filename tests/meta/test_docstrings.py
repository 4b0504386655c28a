"""Every module, class, public function and rule says what it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from fabricgen.checks.model import RULES, Rule
from fabricgen.checks.run import load_rules
from tests.meta.declarations import REPOSITORY, python_files

load_rules()
_DEFINITION = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
TESTS = sorted((REPOSITORY / "tests").rglob("*.py"))


def _public(node: ast.Module | _DEFINITION) -> Iterator[_DEFINITION]:
    """Definitions that others may use; what stands inside a function is its own affair."""
    for child in node.body:
        if isinstance(child, _DEFINITION) and not child.name.startswith("_"):
            yield child
            if isinstance(child, ast.ClassDef):
                yield from _public(child)


def _is_overload(node: _DEFINITION) -> bool:
    return any(isinstance(name, ast.Name) and name.id in ("overload", "override") for name in node.decorator_list)


@pytest.mark.parametrize("file", python_files(), ids=lambda file: str(file.relative_to(REPOSITORY)))
def test_everything_public_has_a_docstring(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    silent = [node.name for node in _public(tree) if not ast.get_docstring(node) and not _is_overload(node)]
    assert ast.get_docstring(tree), "the module has no docstring"
    assert silent == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code.id)
def test_rule_has_a_docstring(rule: Rule) -> None:
    assert (rule.check.__doc__ or "").strip().endswith(".")


@pytest.mark.parametrize("file", TESTS, ids=lambda file: str(file.relative_to(REPOSITORY)))
def test_every_test_module_has_a_docstring(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert not text.strip() or ast.get_docstring(ast.parse(text))
