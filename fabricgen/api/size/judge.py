"""Judging the intent of a sized fabric by compiling it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fabricgen.api.compile import judge_document
from fabricgen.catalog import OwnFolder
from fabricgen.diagnostics import Bag, Diagnostic
from fabricgen.sizing.fabric import FabricSize
from fabricgen.sizing.intent_text import write_intent
from fabricgen.source import load_text_document


def judge_size(size: FabricSize, own: Sequence[OwnFolder]) -> list[Diagnostic]:
    """Return what every stage and check finds in the intent of a sized fabric.

    Args:
        size: The fabric.
        own: Catalog folders of the user.
    """
    bag = Bag()
    document = load_text_document(write_intent(size, "sized"), bag, unique_items=True)
    found = [] if document is None else [*judge_document(document, Path(), own)]
    return [*bag, *found]
