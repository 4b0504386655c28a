"""A slip in an inventory is never a traceback: it is told, and told on its line."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml

from fabricgen.api import place_diagnostics
from fabricgen.compiler.compile import compile_document
from fabricgen.diagnostics import Bag, Diagnostic
from fabricgen.source import load_document
from tests.property.hostile_runs import judge_run, run
from tests.property.mutate import Mutation, mutate
from tests.sampling import EVERYTHING, FRESH

INVENTORIES = Path(__file__).parents[2] / "inventories"
SEEDS, CHUNK = 500, 25
WHOLE = 10_000 if EVERYTHING else SEEDS
FRESH_CHUNK = "fresh"
SLIPS = SEEDS if EVERYTHING else 40
TOLD_ON_LINE_PCT = 95


@cache
def _shipped() -> list[Any]:
    names = ("quickstart", "rail-1k")
    return [yaml.safe_load((INVENTORIES / name / "fabric.yaml").read_text(encoding="utf-8")) for name in names]


def _mutation(seed: int) -> Mutation:
    shipped = _shipped()
    return mutate(shipped[seed % len(shipped)], random.Random(seed))


def _judge(seed: int) -> tuple[bool, list[Diagnostic]]:
    """Return whether a mutated document is refused, and all that is said about it."""
    bag = Bag()
    with TemporaryDirectory() as folder:
        file = Path(folder) / "fabric.yaml"
        file.write_text(_mutation(seed).text, encoding="utf-8")
        document = load_document(file, bag, shown_as="fabric.yaml")
        if document is not None:
            compile_document(document, INVENTORIES, bag)
    return bag.has_errors, place_diagnostics(bag, document)


@pytest.mark.sampled(0, of="first", always=(FRESH_CHUNK,))
@pytest.mark.parametrize("first", [FRESH_CHUNK, *range(0, WHOLE, CHUNK)])
def test_mutated_inventory_is_judged_and_never_crashes(first: int | str, tmp_path: Path) -> None:
    begin = SEEDS + FRESH if isinstance(first, str) else first
    for seed in range(begin, begin + CHUNK):
        mutation = _mutation(seed)
        (tmp_path / "fabric.yaml").write_text(mutation.text, encoding="utf-8")
        verbs = [["validate", ".", "--format", "json"], ["render", ".", "-o", f"out{seed}", "--only", "*01*"]]
        for words in verbs:
            ran = run(words, tmp_path)
            assert judge_run(ran) == "", (seed, mutation.name, ran)
            if ran.code:
                break


def test_slips_are_told_on_their_line() -> None:
    refused, elsewhere = 0, []
    for seed in range(SLIPS):
        mutation = _mutation(seed)
        is_refused, said = _judge(seed)
        refused += is_refused
        if is_refused and not any(d.place and d.place.line in mutation.lines for d in said):
            elsewhere.append(f"seed {seed}, {mutation.name}")
    assert refused > SLIPS / 2
    assert 100 * (refused - len(elsewhere)) >= TOLD_ON_LINE_PCT * refused, elsewhere
