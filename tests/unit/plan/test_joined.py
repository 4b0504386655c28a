"""Pairs of leafs over which hosts bond: whether they meet above."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.api import compile_inventory
from fabricgen.diagnostics import Bag
from tests.acceptance.run import copy_inventory

STRIPE = {"per_pair: 4,": "per_pair: 4, pattern: {stripe: index},"}
ALONE = {
    "  spine: {model: arista_7060x6_64pe, platform: eos, per: fabric, count: 2}\n": "",
    "  leaf-spine: {speed: 400G, per_pair: 4, cable: {media: smf, length_m: 30}}\n": "",
    "oversubscription: {leaf: 1.0}": "",
}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, []),
        (STRIPE, ["the leafs of a pair, over which hosts bond, meet nowhere: stripe: index keeps them apart"]),
        (
            ALONE,
            [
                "nothing joins 2 units: no tier is above the leafs",
                "the leafs of a pair, over which hosts bond, meet nowhere: no tier is above them",
            ],
        ),
        ({**STRIPE, "bond: lacp": "bond: none"}, []),
    ],
)
def test_a_pair_that_meets_nowhere_is_told(changes: dict[str, str], words: list[str], tmp_path: Path) -> None:
    bag = Bag()
    assert compile_inventory(copy_inventory("dual-tor", tmp_path / "own", changes), (), bag) is not None
    assert [diagnostic.message for diagnostic in bag if diagnostic.code == "FG-TOP-033"] == words


def test_a_link_written_upside_down_is_told_how_to_write_it(tmp_path: Path) -> None:
    bag = Bag()
    compile_inventory(copy_inventory("dual-tor", tmp_path / "own", {"leaf-spine:": "spine-leaf:"}), (), bag)
    found = {diagnostic.code: diagnostic.hint for diagnostic in bag}
    assert found["FG-TOP-002"].startswith("rename links.spine-leaf to leaf-spine")
    assert "FG-TOP-033" not in found
