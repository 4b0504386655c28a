"""Weighted ECMP is on in every tier or in none."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.api import compile_inventory
from fabricgen.diagnostics import Bag
from fabricgen.plan.model.fabric import PathWeights
from tests.acceptance.run import INVENTORIES


def weights_of(name: str, *overlays: str) -> PathWeights:
    made = compile_inventory(Path(INVENTORIES / name), overlays, Bag())
    assert made is not None
    assert made.plan is not None
    return made.plan.weights


@pytest.mark.parametrize("overlay", ["frr", "nvue"])
def test_parallel_links_turn_weights_on(overlay: str) -> None:
    assert weights_of("quickstart").active
    assert weights_of("quickstart", overlay).active


@pytest.mark.parametrize("overlay", ["eos", "fboss", "mixed"])
def test_one_platform_without_weights_turns_them_off(overlay: str) -> None:
    found = weights_of("quickstart", overlay)
    assert not found.active
    assert "rendered without" in found.why


def test_single_links_need_no_weights() -> None:
    found = weights_of("rail-8k")
    assert not found.active
    assert "parallel" in found.why
