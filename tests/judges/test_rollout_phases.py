"""Rollouts in phases: no half state of any phase breaks an invariant, and each change at once would."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.command_line import succeed

from .crossread import Fabric, graph_links, read_tree
from .fresh_files import refused_files
from .half_states import HalfStates, violations
from .phase_trees import plan_phases, same_files, states

REPOSITORY = Path(__file__).resolve().parents[2]
QUICKSTART = "inventories/quickstart"
FABRICS: dict[str, tuple[str, tuple[str, ...], dict[str, Any]]] = {
    "sonic": (QUICKSTART, (), {}),
    "eos": (QUICKSTART, ("eos",), {}),
    "eos-unnumbered": (QUICKSTART, ("eos", "unnumbered"), {}),
    "eos-dual-tor": ("inventories/dual-tor", (), {}),
    "nvue": (QUICKSTART, ("nvue",), {}),
    "fboss": (QUICKSTART, ("fboss",), {}),
    "frr": (QUICKSTART, ("frr",), {}),
    "mixed-fboss": (QUICKSTART, ("mixed-fboss",), {}),
    "nvue-sonic": (QUICKSTART, ("nvue",), {"tiers": {"leaf": {"model": "dell_z9864f", "platform": "sonic"}}}),
    "nvue-frr": (QUICKSTART, ("nvue",), {"tiers": {"leaf": {"model": "dell_z9864f", "platform": "frr"}}}),
    "mixed-unnumbered": (QUICKSTART, ("mixed", "unnumbered"), {}),
    "nvue-eos-unnumbered": (
        QUICKSTART,
        ("nvue", "unnumbered"),
        {"tiers": {"leaf": {"model": "arista_7060x6_64pe", "platform": "eos"}}},
    ),
    "mixed": (
        "tests/fabrics/conformance",
        (),
        {"operations": {"sflow": None}, "tiers": {"leaf": {"platform": "eos"}, "spine": {"platform": "cumulus_nvue"}}},
    ),
}
"""Inventory, its overlays, and one more."""


def classes(*, roce: int = 26, storage: int | None = None, mode: str = "dcqcn") -> dict[str, Any]:
    """Treatment of traffic; the class of storage is lossless too, if it has a code point."""
    found: dict[str, Any] = {
        "roce": {"dscp": roce, "mark": roce, "priority": 3, "lossless": True, "weight_pct": 75},
        "storage": {"dscp": storage or 12, "priority": 4, "lossless": storage is not None, "weight_pct": 20},
        "cnp": {"dscp": 46, "priority": 6, "strict": True},
        "control": {"dscp": [48, 56], "priority": 7, "strict": True},
        "default": {"priority": 0, "weight_pct": 5},
    }
    reason = {} if mode == "dcqcn" else {"reason": "a trial"}
    return {"lossless": {"mode": mode, "classes": found, **reason}, "rollout": {"floor": 0}}


def sizes(mtu: int, *links: str) -> dict[str, Any]:
    return {**classes(), "links": {link: {"mtu": mtu} for link in links}}


def cables(length_m: int) -> dict[str, Any]:
    """One length for the cables between switches, which their headroom is for."""
    return {**classes(), "links": {"leaf-spine": {"cable": {"length_m": length_m}}}}


CHANGES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "code point": (classes(), classes(roce=30)),
    "lossless class": (classes(), classes(storage=10)),
    "reaction": (classes(mode="pfc_only"), classes()),
    "cable length": (cables(30), cables(100)),
    "MTU": (sizes(4200, "host-leaf", "leaf-spine"), sizes(9100, "host-leaf", "leaf-spine")),
    "link addresses": (classes(), {**classes(), "addressing": {"fabric_links": "10.64.0.0/12"}}),
    "AS numbers": (classes(), {**classes(), "routing": {"asn": {"base": 4200001000}}}),
}
"""Two intents by the change between them."""
REFUSED = {
    (name, change): "FG-ROL-060"
    for name in FABRICS
    for change in ("AS numbers", "link addresses")
    if "fboss" in name or (name.endswith("unnumbered") and change == "link addresses")
}
"""Changes that no rollout carries: BGP++ reads its neighbors when it starts, and links without addresses get some."""
HARMLESS = ("cable length",)
"""Changes that break nothing at once, because a cable is exchanged apart from them."""
NOT_RENDERED = {
    ("fboss", "lossless class"): "the chip has no headroom for two lossless priorities",
    ("fboss", "cable length"): "no headroom is published for cables of 100 m",
    ("mixed-fboss", "cable length"): "no headroom is published for cables of 100 m",
    ("mixed", "reaction"): "its intent sets parameters of DCQCN",
    ("mixed-fboss", "lossless class"): "the chip has no headroom for two lossless priorities",
}


def overlays_of(fabric: str) -> tuple[str, ...]:
    _, overlays, more = FABRICS[fabric]
    return (*overlays, *(("more",) if more else ()), "change")


Rendering = Callable[[str, dict[str, Any]], Path]
Reading = Callable[[Path], Fabric]


@pytest.fixture(scope="module")
def rendering(tmp_path_factory: pytest.TempPathFactory) -> Rendering:
    """Trees of fabrics under an overlay, each rendered once."""
    known: dict[str, Path] = {}

    def render(fabric: str, changes: dict[str, Any]) -> Path:
        key = repr((fabric, changes))
        if key not in known:
            inventory, _, more = FABRICS[fabric]
            folder = tmp_path_factory.mktemp(fabric)
            shutil.copytree(REPOSITORY / inventory, folder / "inventory")
            for name, data in (("more", more), ("change", changes)):
                text = yaml.safe_dump(data) if data else "{}"
                (folder / f"inventory/overlays/{name}.yaml").write_text(text)
            words = [word for name in overlays_of(fabric) for word in ("--overlay", name)]
            succeed("render", str(folder / "inventory"), *words, "-o", str(folder / "tree"))
            known[key] = folder / "tree"
        return known[key]

    return render


@pytest.fixture(scope="module")
def reading() -> Reading:
    return cache(read_tree)


CASES = [
    pytest.param(fabric, change, forth, id=f"{fabric}-{change}-{'forth' if forth else 'back'}")
    for fabric in FABRICS
    for change in CHANGES
    for forth in (True, False)
    if (fabric, change) not in NOT_RENDERED
]


@pytest.mark.nightly
@pytest.mark.parametrize(("fabric", "change", "forth"), CASES)
def test_no_half_state_breaks_an_invariant(
    fabric: str, change: str, forth: bool, rendering: Rendering, reading: Reading, tmp_path: Path
) -> None:
    old, new = (rendering(fabric, side) for side in CHANGES[change][:: 1 if forth else -1])
    phases, bag = plan_phases(old.parent / "inventory", new.parent / "inventory", overlays_of(fabric))
    if bag.has_errors:
        assert {fault.code for fault in bag} == {REFUSED[fabric, change]}
        return
    links = graph_links(reading(old))
    before = reading(old)
    assert not before.problems
    tree = old
    for phase, tree in states(old, phases, tmp_path):
        after = read_tree(tree)
        assert not [line for device in after.devices.values() for line in device.problems], tree.name
        used = frozenset(link for link in links if phase.out.isdisjoint(name for name, _ in link))
        assert violations(HalfStates.between(before, after, used)) == [], tree.name
        assert not forth or refused_files(tree, (old, new)) == [], tree.name
        before = after
    assert same_files(tree, new)
    broken = violations(HalfStates.between(reading(old), reading(new), links))
    assert bool(broken) != (change in HARMLESS), "at once the change breaks nothing"
