"""The inventories that ship: they validate, and the schema that editors get describes them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from fabricgen.api import compile_inventory
from fabricgen.diagnostics import Bag, Severity
from tests.command_line import run_here
from tests.meta.declarations import REPOSITORY

INVENTORIES = REPOSITORY / "inventories"
SCHEMA = INVENTORIES / "intent.schema.json"
SHIPPED = sorted(path.parent for path in INVENTORIES.glob("*/fabric.yaml"))
FABRICS = [*SHIPPED, *sorted(path.parent for path in (REPOSITORY / "tests" / "fabrics").glob("*/fabric.yaml"))]


def _schema() -> Draft202012Validator:
    return Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))


@pytest.mark.parametrize("folder", FABRICS, ids=lambda folder: folder.name)
def test_inventory_has_no_errors(folder: Path) -> None:
    bag = Bag()
    compiled = compile_inventory(folder, (), bag)
    assert [d.message for d in bag if d.severity is Severity.ERROR] == []
    assert compiled is not None
    assert compiled.plan is not None
    assert compiled.plan.name == folder.name


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda folder: folder.name)
def test_inventory_warns_of_nothing_that_nobody_explains(folder: Path) -> None:
    bag = Bag()
    compile_inventory(folder, (), bag)
    assert [(d.code, d.message) for d in bag if d.severity is Severity.WARNING and d.waived is None] == []


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda folder: folder.name)
def test_overlay_of_an_inventory_has_no_errors(folder: Path) -> None:
    for overlay in sorted((folder / "overlays").glob("*.yaml")):
        bag = Bag()
        compile_inventory(folder, [overlay.stem], bag)
        assert [d.message for d in bag if d.severity is Severity.ERROR] == [], overlay.name


def test_the_shipped_schema_is_what_the_command_prints() -> None:
    assert run_here("schema").stdout == SCHEMA.read_text(encoding="utf-8")


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(json.loads(SCHEMA.read_text(encoding="utf-8")))


@pytest.mark.parametrize("folder", FABRICS, ids=lambda folder: folder.name)
def test_the_schema_accepts_what_fabricgen_accepts(folder: Path) -> None:
    written = yaml.safe_load((folder / "fabric.yaml").read_text(encoding="utf-8"))
    assert [error.message for error in _schema().iter_errors(written)] == []


def test_the_schema_refuses_a_misspelt_key() -> None:
    written = yaml.safe_load((SHIPPED[0] / "fabric.yaml").read_text(encoding="utf-8"))
    written["operatoins"] = {}
    assert list(_schema().iter_errors(written))
