"""Keys that another key leaves without effect, where it takes a fabric of its own to show."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.api import compile_inventory
from fabricgen.diagnostics import Bag, format_path
from tests.acceptance.run import copy_inventory


@pytest.mark.parametrize(
    ("old", "new", "paths"),
    [
        ("{rails_per_leaf: 4}", "{group: host, rails_per_leaf: 4}", ["attachment.rails_per_leaf"]),
        ("{rails_per_leaf: 4}", "{group: host}", []),
        ("tiers:", "planes: {count: 1, host: nic}\ntiers:", ["planes.host"]),
        ("tiers:", "planes: 1\ntiers:", []),
    ],
)
def test_a_key_without_effect_is_told(old: str, new: str, paths: list[str], tmp_path: Path) -> None:
    bag = Bag()
    compile_inventory(copy_inventory("quickstart", tmp_path / "own", {old: new}), (), bag)
    assert [format_path(diagnostic.path) for diagnostic in bag if diagnostic.code == "FG-INT-010"] == paths
