"""A slip in an inventory is never a traceback: it is told, and told on its line."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml

from fabricgen.api import place_diagnostics
from fabricgen.api.compile import compile_document
from fabricgen.cli.app import main
from fabricgen.diagnostics import Bag, Diagnostic
from fabricgen.source import load_document
from tests.property.mutate import Mutation, mutate

INVENTORIES = Path(__file__).parents[2] / "inventories"
SEEDS, CHUNK = 500, 25
TOLD_ON_LINE_PCT = 95
Run = Callable[..., tuple[int, str]]


@cache
def _shipped() -> list[Any]:
    names = ("quickstart", "rail-1k")
    return [yaml.safe_load((INVENTORIES / name / "fabric.yaml").read_text(encoding="utf-8")) for name in names]


def _mutation(seed: int) -> Mutation:
    shipped = _shipped()
    return mutate(shipped[seed % len(shipped)], random.Random(seed))


@cache
def _judge(seed: int, *, pure: bool) -> tuple[bool, list[Diagnostic]]:
    """Whether a mutated document is refused, and all that is said about it."""
    bag = Bag()
    with TemporaryDirectory() as folder:
        file = Path(folder) / "fabric.yaml"
        file.write_text(_mutation(seed).text, encoding="utf-8")
        document = load_document(file, bag, pure=pure, shown_as="fabric.yaml")
        if document is not None:
            compile_document(document, INVENTORIES, bag)
    return bag.has_errors, place_diagnostics(bag, document)


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command line in this process; its exit code and all it printed."""

    def call(*arguments: object) -> tuple[int, str]:
        monkeypatch.setattr("sys.argv", ["fabricgen", *map(str, arguments)])
        code = main()
        return code, "".join(capfd.readouterr())

    return call


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_mutated_inventory_is_judged_and_never_crashes(first: int, tmp_path: Path, run: Run) -> None:
    for seed in range(first, first + CHUNK):
        mutation = _mutation(seed)
        (tmp_path / "fabric.yaml").write_text(mutation.text, encoding="utf-8")
        code, printed = run("validate", tmp_path, "--format", "json")
        assert code in (0, 1), f"seed {seed}, {mutation.name}:\n{printed}"
        if code == 0:
            code, printed = run("render", tmp_path, "-o", tmp_path / f"out{seed}", "--only", "*01*")
            assert code in (0, 1), f"seed {seed}, {mutation.name}:\n{printed}"
        assert "Traceback" not in printed


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_both_parsers_say_the_same(first: int) -> None:
    for seed in range(first, first + CHUNK):
        assert _judge(seed, pure=True) == _judge(seed, pure=False), f"seed {seed}"


def test_slips_are_told_on_their_line() -> None:
    refused, elsewhere = 0, []
    for seed in range(SEEDS):
        mutation = _mutation(seed)
        is_refused, said = _judge(seed, pure=False)
        refused += is_refused
        if is_refused and not any(d.place and d.place.line in mutation.lines for d in said):
            elsewhere.append(f"seed {seed}, {mutation.name}")
    assert refused > SEEDS / 2
    assert 100 * (refused - len(elsewhere)) >= TOLD_ON_LINE_PCT * refused, elsewhere
