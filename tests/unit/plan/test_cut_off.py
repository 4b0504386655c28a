"""Messages where exceptions leave leafs without a path to each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.api import compile_inventory
from fabricgen.diagnostics import Bag
from tests.acceptance.run import copy_inventory

GONE = "{{device: {name}, state: absent, reason: r}}"
CUT = "{{link: [{leaf}, {spine}], state: absent, reason: r}}"


def said(folder: Path, *exceptions: str) -> list[str]:
    """Messages of the rule for a quickstart with exceptions."""
    inventory = copy_inventory(
        "quickstart", folder / "own", {"addressing:": f"exceptions: [{', '.join(exceptions)}]\naddressing:"}
    )
    bag = Bag()
    compile_inventory(inventory, (), bag)
    return [diagnostic.message for diagnostic in bag if diagnostic.code == "FG-EXC-024"]


@pytest.mark.parametrize(
    "exceptions",
    [
        (),
        (GONE.format(name="spine-01"),),
        (GONE.format(name="spine-01"), GONE.format(name="leaf-u001-r0")),
        (CUT.format(leaf="leaf-u001-r0", spine="spine-01"), CUT.format(leaf="leaf-u002-r0", spine="spine-01")),
    ],
)
def test_nothing_is_said_while_leafs_meet(exceptions: tuple[str, ...], tmp_path: Path) -> None:
    assert said(tmp_path, *exceptions) == []


def test_a_leaf_without_uplinks_is_told(tmp_path: Path) -> None:
    cut = (CUT.format(leaf="leaf-u001-r0", spine=f"spine-0{number}") for number in (1, 2))
    assert said(tmp_path, *cut) == ["leaf-u001-r0 has no uplink path left"]


def test_a_fabric_without_spines_is_told_once(tmp_path: Path) -> None:
    gone = (GONE.format(name=f"spine-0{number}") for number in (1, 2))
    assert said(tmp_path, *gone) == ["leaf-u001-r0 has no uplink path left"]


def test_leafs_that_use_different_spines_are_told(tmp_path: Path) -> None:
    cut = (CUT.format(leaf=f"leaf-u00{number}-r0", spine=f"spine-0{number}") for number in (1, 2))
    assert said(tmp_path, *cut) == ["leaf-u001-r0 and leaf-u002-r0 have no upper switch in common"]
