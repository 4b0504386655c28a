"""Declarations of every diagnostic code, read from the source without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = REPOSITORY / "fabricgen"
_DECLARE = {"register", "rule"}  # And partials of these, whatever their names, which are given a reason or a remedy.
_FROM_INVENTORY = {"source", "validation", "intent", "catalog", "plan", "physics", "checks", "analysis", "platforms"}
_COMPILER = PACKAGE / "api" / "compile.py"


def python_files() -> list[Path]:
    """Every module of the product."""
    return sorted(PACKAGE.rglob("*.py"))


def declared_codes() -> dict[str, Path]:
    """The file that declares each code; the last one of a code that is declared twice."""
    return dict(_declarations())


def repeated_codes() -> list[str]:
    """Codes that are declared more than once."""
    codes = [code for code, _ in _declarations()]
    return sorted({code for code in codes if codes.count(code) > 1})


def inventory_codes() -> set[str]:
    """Codes of the rooms that only ever look at an inventory, and of the pipeline that joins them."""
    return {
        code
        for code, file in declared_codes().items()
        if file == _COMPILER or file.relative_to(PACKAGE).parts[0] in _FROM_INVENTORY
    }


@cache
def _declarations() -> tuple[tuple[str, Path], ...]:
    return tuple(_read_declarations())


def _read_declarations() -> Iterator[tuple[str, Path]]:
    texts = ((file, file.read_text(encoding="utf-8")) for file in python_files())
    for file, text in texts:
        for node in ast.walk(ast.parse(text)) if '"FG-' in text else ():
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                code, says = str(node.args[0].value), {word.arg for word in node.keywords} & {"why", "fix"}
                if code.startswith("FG-") and (says or getattr(node.func, "id", "") in _DECLARE):
                    yield code, file
