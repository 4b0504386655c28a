"""Many mistakes of one kind, none of which hides another, and texts that are repeated by aliases."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.diagnostics import Bag
from tests.acceptance.run import diagnose

QUICKSTART = (Path(__file__).parents[2] / "inventories/quickstart/fabric.yaml").read_text()


def _validate(folder: Path, text: str) -> Bag:
    (folder / "fabric.yaml").write_text(text)
    return diagnose(folder)[1]


def test_keys_with_capitals_are_all_reported(tmp_path: Path) -> None:
    keys = [f"Key{at}" for at in range(60)]
    text = QUICKSTART.replace("operations: {", "operations: {" + "".join(f"{key}: 1, " for key in keys), 1)
    bag = _validate(tmp_path, text)
    assert [item.path for item in bag if item.code == "FG-INT-001"] == [("operations", key) for key in keys]
    assert not [item for item in bag if "nothing else" in item.message]


@pytest.mark.parametrize(("length", "refused"), [(60_000, True), (50, False)])
def test_copies_of_a_text_weigh_what_it_is_long(length: int, refused: bool, tmp_path: Path) -> None:
    text = f"{QUICKSTART}x: &x {'a' * length}\ny: [{', '.join(['*x'] * 2000)}]\n"
    assert ("FG-SRC-018" in {item.code for item in _validate(tmp_path, text)}) == refused
