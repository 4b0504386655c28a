"""Explaining a diagnostic code, or the causes of one line of a rendered file."""

from __future__ import annotations

from importlib import import_module
from pkgutil import walk_packages

import fabricgen
from fabricgen.diagnostics import Bag, Code, all_codes, lookup, register
from fabricgen.diagnostics.explain import explain_code

UNKNOWN_CODE = register(
    "FG-TRC-001",
    "Unknown code",
    why="There is nothing to explain.",
    fix="Use a code as a diagnostic prints it.",
    source="README.md",
)

_SILENT = ("fabricgen.cli", "fabricgen.__main__")


def load_codes() -> list[Code]:
    """Every code of fabricgen, by importing every room."""
    for module in walk_packages(fabricgen.__path__, "fabricgen."):
        if not module.name.startswith(_SILENT) and ".templates" not in module.name:
            import_module(module.name)
    return all_codes()


def explain_code_text(name: str, bag: Bag) -> str:
    """What a code means, why it matters, what to do and where that is written."""
    codes = load_codes()
    code = lookup(name.upper())
    if code is None:
        area = [known.id for known in codes if known.id.startswith(name.upper()[:6])]
        bag.add(UNKNOWN_CODE, f"there is no code {name!r}", hint=f"there are {', '.join(area)}" if area else "")
        return ""
    return explain_code(code)
