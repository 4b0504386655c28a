"""Release of a tier where the intent names none, and features that a release lacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.api import compile_inventory
from fabricgen.compiler.compile import Compiled
from fabricgen.diagnostics import Bag
from tests.acceptance.run import copy_inventory

LEAF = "leaf: {model: dell_z9864f, platform: sonic}"


def compiled(folder: Path, leaf: str) -> tuple[Compiled, Bag]:
    """The quickstart with another leaf tier."""
    bag = Bag()
    made = compile_inventory(copy_inventory("quickstart", folder / "own", {LEAF: f"leaf: {{{leaf}}}"}), (), bag)
    assert made is not None
    return made, bag


def test_default_is_the_newest_published_release_that_has_the_board(tmp_path: Path) -> None:
    made, bag = compiled(tmp_path, "model: dell_z9864f, platform: sonic")
    assert made.plan is not None
    assert [(tier.release.name, tier.release.routing) for tier in made.plan.tiers] == [("202605", "10.5.4")] * 2
    assert not bag.has_errors


@pytest.mark.parametrize("release", ["202405", "202411", "202505", "202511"])
def test_a_board_that_the_release_lacks_is_told_with_those_that_have_it(release: str, tmp_path: Path) -> None:
    _, bag = compiled(tmp_path, f'model: dell_z9864f, platform: sonic, release: "{release}"')
    (told,) = [each for each in bag if each.code == "FG-PLT-045"]
    assert f"release {release} of sonic" in told.message
    assert "202605, master have one" in told.message
    assert "x86_64-dell_z9864f-r0" in told.message


def test_an_old_release_is_refused_by_name(tmp_path: Path) -> None:
    _, bag = compiled(tmp_path, 'model: nvidia_sn5600, platform: sonic, release: "202311"')
    (told,) = [each for each in bag if each.code == "FG-PLT-095"]
    assert "202311; it supports 202405, 202411, 202505, 202511, 202605, master" in told.message


def test_a_profile_that_the_release_lacks_is_told_with_those_that_have_it(tmp_path: Path) -> None:
    _, bag = compiled(tmp_path, 'model: arista_7060x6_64pe, platform: sonic, release: "202405"')
    assert [each.message for each in bag if each.code == "FG-PLT-045"] == []
    assert all(each.code != "FG-PLT-045" or "lacks" in each.message for each in bag)
