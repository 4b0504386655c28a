"""Hashing of tiers: configured values, values that follow the switch's place, and effective ones."""

from __future__ import annotations

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.manifest.load import load_platforms
from fabricgen.platforms.manifest.spec import TierHash, find_hash

TOMAHAWK, JERICHO, SPECTRUM = "tomahawk5", "jericho2c_plus", "spectrum4"


def tiers(name: str, asic: str, *, off: bool = False) -> list[TierHash]:
    spec = load_platforms({name: ()}, "switch", Bag(), [template_root()])[name]
    return [find_hash(spec, tier, 0 if off else tier, asic) for tier in range(3)]


@pytest.mark.parametrize(
    ("name", "asic", "shown"),
    [
        ("eos", TOMAHAWK, ["1", "2", "3"]),
        ("eos", JERICHO, ["", "", ""]),
        ("cumulus_nvue", SPECTRUM, ["50", "100", "150"]),
        ("fboss", TOMAHAWK, ["10", "20", "30"]),
        ("frr", TOMAHAWK, ["1", "2", "3"]),
        ("sonic", TOMAHAWK, ["", "10 by device type", "25 by device type, if the ASIC keeps it"]),
    ],
)
def test_the_seed_of_each_tier(name: str, asic: str, shown: list[str]) -> None:
    found = tiers(name, asic)
    assert [tier.seed_shown for tier in found] == shown
    assert len({tier.choice for tier in found}) == (1 if asic == JERICHO else 3)


def test_without_decorrelation_sonic_s_spines_still_differ_and_its_cores_may_not() -> None:
    leaf, spine, core = tiers("sonic", TOMAHAWK, off=True)
    assert leaf.choice == core.choice != spine.choice


@pytest.mark.parametrize("name", ["eos", "cumulus_nvue", "fboss", "frr"])
def test_without_decorrelation_a_written_seed_is_the_leafs(name: str) -> None:
    assert len({tier.choice for tier in tiers(name, TOMAHAWK, off=True)}) == 1
