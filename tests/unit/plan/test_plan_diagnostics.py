"""Shipped inventories with other keys: leafs that do not meet, keys without effect, releases, weighted next hops."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from fabricgen.api import Compiled
from fabricgen.diagnostics import Bag, Diagnostic, format_path
from fabricgen.plan.planner.routing import weight_sum
from tests.acceptance.run import INVENTORIES, copy_inventory, diagnose, plan_of

LEAF = "leaf: {model: dell_z9864f, platform: sonic}"
ONE_GONE, TWO_GONE = (f"{{device: spine-0{n}, state: absent, reason: r}}" for n in (1, 2))
LEAF_GONE = "{device: leaf-u001-r0, state: absent, reason: r}"
STRIPE = {"per_pair: 4,": "per_pair: 4, pattern: {stripe: index},"}
ALONE = {
    "  spine: {model: arista_7060x6_64pe, platform: eos, per: fabric, count: 2}\n": "",
    "  leaf-spine: {speed: 400G, per_pair: 4, cable: {media: smf, length_m: 30}}\n": "",
    "oversubscription: {leaf: 1.0}": "",
}
NO_UPLINK = ["leaf-u001-r0 has no uplink path left"]


def compiled(folder: Path, name: str, changes: Mapping[str, str]) -> tuple[Compiled, Bag]:
    """A copy of an inventory with texts replaced."""
    return diagnose(copy_inventory(name, folder / "own", changes))


def found(bag: Bag, code: str) -> list[Diagnostic]:
    return [diagnostic for diagnostic in bag if diagnostic.code == code]


def cut(unit: int, spine: int) -> str:
    return f"{{link: [leaf-u00{unit}-r0, spine-0{spine}], state: absent, reason: r}}"


@pytest.mark.parametrize(
    ("exceptions", "messages"),
    [
        ((), []),
        ((ONE_GONE,), []),
        ((ONE_GONE, LEAF_GONE), []),
        ((cut(1, 1), cut(2, 1)), []),
        ((cut(1, 1), cut(1, 2)), NO_UPLINK),
        ((ONE_GONE, TWO_GONE), NO_UPLINK),
        ((cut(1, 1), cut(2, 2)), ["leaf-u001-r0 and leaf-u002-r0 have no upper switch in common"]),
    ],
)
def test_leafs_that_exceptions_keep_apart(exceptions: tuple[str, ...], messages: list[str], tmp_path: Path) -> None:
    changes = {"addressing:": f"exceptions: [{', '.join(exceptions)}]\naddressing:"}
    _, bag = compiled(tmp_path, "quickstart", changes)
    assert [diagnostic.message for diagnostic in found(bag, "FG-EXC-024")] == messages


@pytest.mark.parametrize(
    ("changes", "messages"),
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
        ({**STRIPE, "bond: routed": "bond: none"}, []),
    ],
)
def test_pairs_of_leafs_that_meet_nowhere(changes: dict[str, str], messages: list[str], tmp_path: Path) -> None:
    _, bag = compiled(tmp_path, "dual-tor", changes)
    assert [diagnostic.message for diagnostic in found(bag, "FG-TOP-033")] == messages


def test_hint_for_a_link_that_is_written_upside_down(tmp_path: Path) -> None:
    _, bag = compiled(tmp_path, "dual-tor", {"leaf-spine:": "spine-leaf:"})
    assert found(bag, "FG-TOP-002")[-1].hint.startswith("rename links.spine-leaf to leaf-spine")
    assert not found(bag, "FG-TOP-033")


@pytest.mark.parametrize(
    ("old", "new", "paths"),
    [
        ("{rails_per_leaf: 4}", "{group: host, rails_per_leaf: 4}", ["attachment.rails_per_leaf"]),
        ("{rails_per_leaf: 4}", "{group: host}", []),
        ("tiers:", "planes: {count: 1, host: nic}\ntiers:", ["planes.host"]),
        ("tiers:", "planes: 1\ntiers:", []),
    ],
)
def test_keys_without_effect(old: str, new: str, paths: list[str], tmp_path: Path) -> None:
    _, bag = compiled(tmp_path, "quickstart", {old: new})
    assert [format_path(diagnostic.path) for diagnostic in found(bag, "FG-INT-010")] == paths


def test_default_release_is_the_newest_published_one_that_has_the_board(tmp_path: Path) -> None:
    made, bag = compiled(tmp_path, "quickstart", {})
    assert [(tier.release.name, tier.release.routing) for tier in made.plan.tiers] == [("202605", "10.5.4")] * 2
    assert not bag.has_errors


BOARD = "x86_64-dell_z9864f-r0"
RELEASES_OF_SONIC = "202311; it supports 202405, 202411, 202505, 202511, 202605, master"


@pytest.mark.parametrize(
    ("model", "release", "code", "parts"),
    [
        *(
            ("dell_z9864f", name, "FG-PLT-045", (f"release {name} of sonic", "202605, master have one", BOARD))
            for name in ("202405", "202411", "202505", "202511")
        ),
        ("nvidia_sn5600", "202311", "FG-PLT-095", (RELEASES_OF_SONIC,)),
    ],
)
def test_releases_that_lack_the_board_or_are_too_old(
    model: str, release: str, code: str, parts: tuple[str, ...], tmp_path: Path
) -> None:
    leaf = f'leaf: {{model: {model}, platform: sonic, release: "{release}"}}'
    (diagnostic,) = found(compiled(tmp_path, "quickstart", {LEAF: leaf})[1], code)
    assert [part for part in parts if part not in diagnostic.message] == []


def test_a_release_with_the_board_has_its_port_profile(tmp_path: Path) -> None:
    leaf = 'leaf: {model: arista_7060x6_64pe, platform: sonic, release: "202405"}'
    assert not found(compiled(tmp_path, "quickstart", {LEAF: leaf})[1], "FG-PLT-045")


@pytest.mark.parametrize(
    ("name", "overlay", "why"),
    [
        ("quickstart", "", "tomahawk5"),
        ("quickstart", "spectrum", ""),
        ("quickstart", "frr", ""),
        ("quickstart", "nvue", ""),
        ("quickstart", "eos", "rendered without"),
        ("quickstart", "fboss", "rendered without"),
        ("quickstart", "mixed", "rendered without"),
        ("rail-8k", "", "parallel"),
    ],
)
def test_next_hops_are_weighted_in_every_tier_or_in_none(name: str, overlay: str, why: str) -> None:
    """Parallel links turn weights on, unless a platform has none or its ASIC is unknown there."""
    weights = plan_of(INVENTORIES / name, *([overlay] if overlay else [])).weights
    assert bool(weights.active) == (not why)
    assert why in weights.why


@pytest.mark.parametrize(
    ("word", "release", "overlay", "code", "parts"),
    [
        ("auto", 202605, (), "FG-RTE-930", ["tomahawk5", "1.14 times its planned load, 8 times after 7"]),
        ("auto", 202405, ("spectrum",), "FG-RTE-930", ["what the SDK of spectrum4 makes of weights"]),
        (
            "on",
            202605,
            (),
            "FG-RTE-931",
            ["16 next hops", "needs 4080 of 64000 members, one that weights by itself 64"],
        ),
        ("on", 202411, ("spectrum",), "FG-RTE-931", ["scales them to a sum of 256, 16 for each"]),
        ("on", 202505, ("spectrum",), "FG-RTE-931", ["scales them to a sum of 512, 32 for each"]),
    ],
)
def test_weights_or_their_absence_come_with_figures(
    word: str, release: int, overlay: tuple[str, ...], code: str, parts: list[str], tmp_path: Path
) -> None:
    """SAI pull request 2166 repeats members; sums: SAI_WCMP_NORMALIZATION_MAX_TOTAL_WEIGHT of buildimage's branches."""
    changes = {"addressing:": f"routing: {{ecmp: {{weights: {word}}}}}\naddressing:"}
    changes[LEAF] = f"{LEAF[:-1]}, release: {release}}}"
    _, bag = diagnose(copy_inventory("quickstart", tmp_path / "own", changes), *overlay)
    assert [part for part in parts if part not in found(bag, code)[0].message] == []


def test_the_sum_of_a_release_is_that_of_nvidias_sdk_alone() -> None:
    compiled, _ = diagnose(INVENTORIES / "quickstart")
    assert compiled.plan
    assert compiled.catalog
    asic = compiled.catalog.switches["dell_z9864f"].asic._replace(weight_sum_max=4096)
    sums = [weight_sum(compiled.plan.tiers[0], asic._replace(vendor=vendor)) for vendor in ("nvidia", "broadcom")]
    assert sums == [512, 4096]


@pytest.mark.parametrize("overlay", ["eos", "fboss"])
def test_platforms_without_weights_come_with_the_load_of_the_rest(overlay: str) -> None:
    message = found(diagnose(INVENTORIES / "quickstart", overlay)[1], "FG-RTE-930")[0].message
    assert [part for part in (f"{overlay} is rendered without", "8 times after 7") if part not in message] == []
