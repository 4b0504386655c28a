"""A faulty record in an inventory's own catalog: its faults are told, and nobody looks for what it lacks."""

from __future__ import annotations

from pathlib import Path

from fabricgen.api import compile_inventory
from fabricgen.diagnostics import Bag, Severity
from tests.acceptance.run import copy_inventory


def test_a_nic_without_family_and_ports_is_told_as_such(tmp_path: Path) -> None:
    inventory = copy_inventory("quickstart", tmp_path / "own", {"connectx7_400g": "own_nic"})
    (inventory / "catalog" / "nics").mkdir(parents=True)
    (inventory / "catalog" / "nics" / "own_nic.yaml").write_text("ports: []\n")
    bag = Bag()
    compile_inventory(inventory, (), bag)
    errors = {diagnostic.code: diagnostic.message for diagnostic in bag if diagnostic.severity is Severity.ERROR}
    assert {"FG-INT-002", "FG-INT-003"} <= set(errors)
    assert not {"FG-PLT-001", "FG-TOP-022"} & set(errors)
