"""Diagnostics: the one way in which any room tells the user something."""

from fabricgen.diagnostics.bag import Bag
from fabricgen.diagnostics.model import Diagnostic, IntentPath, Place, Related, Severity, Waiver, format_path, hint_of
from fabricgen.diagnostics.registry import Code, all_codes, lookup, register
from fabricgen.diagnostics.words import Nearest

__all__ = [
    "Bag",
    "Code",
    "Diagnostic",
    "IntentPath",
    "Nearest",
    "Place",
    "Related",
    "Severity",
    "Waiver",
    "all_codes",
    "format_path",
    "hint_of",
    "lookup",
    "register",
]
