"""Files and functions stay small."""

from __future__ import annotations

import ast
from pathlib import Path
from statistics import median, quantiles

import pytest

from tests.meta.declarations import REPOSITORY, python_files

LINES_MAX = 500
MEDIAN_TARGET, P90_TARGET = 150, 350
FUNCTION_P95_TARGET = 50
TEXTS = [
    *python_files(),
    *sorted((REPOSITORY / "templates").rglob("*.j2")),
    *sorted((REPOSITORY / "tests").rglob("*.py")),
    *sorted((REPOSITORY / "tools").rglob("*.py")),
]


def _lines(file: Path) -> int:
    return len(file.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("file", TEXTS, ids=lambda file: str(file.relative_to(REPOSITORY)))
def test_no_file_is_too_long(file: Path) -> None:
    assert _lines(file) <= LINES_MAX


def test_modules_are_small() -> None:
    sizes = {file: _lines(file) for file in python_files()}
    longest = ", ".join(f"{file.name} {size}" for file, size in sorted(sizes.items(), key=lambda item: -item[1])[:10])
    assert median(sizes.values()) <= MEDIAN_TARGET, longest
    assert quantiles(sizes.values(), n=10)[-1] <= P90_TARGET, longest


def test_functions_are_small() -> None:
    sizes = {
        f"{file.name}:{node.name}": node.end_lineno - node.lineno + 1
        for file in python_files()
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno
    }
    longest = ", ".join(f"{name} {size}" for name, size in sorted(sizes.items(), key=lambda item: -item[1])[:10])
    assert quantiles(sizes.values(), n=20)[-1] <= FUNCTION_P95_TARGET, longest
