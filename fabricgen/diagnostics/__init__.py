"""Diagnostics: the one way in which any room tells the user something."""

from fabricgen.diagnostics.bag import Bag
from fabricgen.diagnostics.model import (
    Diagnostic,
    Fix,
    IntentPath,
    KeyChange,
    Place,
    Related,
    Severity,
    Waiver,
    format_path,
    hint_of,
    instead,
    set_to,
)
from fabricgen.diagnostics.registry import Code, all_codes, lookup, register
from fabricgen.diagnostics.words import Nearest

__all__ = [
    "Bag",
    "Code",
    "Diagnostic",
    "Fix",
    "IntentPath",
    "KeyChange",
    "Nearest",
    "Place",
    "Related",
    "Severity",
    "Waiver",
    "all_codes",
    "format_path",
    "hint_of",
    "instead",
    "lookup",
    "register",
    "set_to",
]
