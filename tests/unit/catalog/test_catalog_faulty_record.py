"""A faulty record in an inventory's own catalog: its faults are told, and nothing that follows from them."""

from __future__ import annotations

from pathlib import Path

from fabricgen.api import compile_inventory
from fabricgen.diagnostics import Bag, Severity
from tests.acceptance.run import copy_inventory


def test_a_nic_without_family_and_ports_is_told_as_such_only(tmp_path: Path) -> None:
    inventory = copy_inventory("quickstart", tmp_path / "own", {"connectx7_400g": "own_nic"})
    (inventory / "catalog" / "nics").mkdir(parents=True)
    (inventory / "catalog" / "nics" / "own_nic.yaml").write_text("ports: []\n")
    bag = Bag()
    compile_inventory(inventory, (), bag)
    errors = [diagnostic for diagnostic in bag if diagnostic.severity is Severity.ERROR]
    assert {diagnostic.code.rpartition("-")[0] for diagnostic in errors} == {"FG-CAT"}
    assert "family" in " ".join(diagnostic.message for diagnostic in errors)
