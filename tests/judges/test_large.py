"""The largest inventories, whole, before the cross-device reader: all agrees, and faults on the last devices are found.

Outside judges see the first and the last device of each shape, which is all of its text but the digits; with
FABRICGEN_JUDGE_ALL set, as ``make judge-all`` does, they see every distinct file of every device.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from .crossread import PROOFS, Case, findings, read_tree
from .files import File
from .outside import JUDGES, Judge
from .test_inventories import (
    INVENTORIES,
    REPOSITORY,
    Rendered,
    expectation,
    files,
    judge_rendered,
    mixed,
    plant,
    render,
    shown_links,
    spare_hosts,
)

__all__ = ["files"]
pytestmark = pytest.mark.nightly
FAULTS: dict[str, list[dict[str, str]]] = {
    path.stem: yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    for path in sorted((Path(__file__).parent / "faults/large").glob("*.yaml"))
}
"""Faults, each with the proof that must find it, by inventory and overlay, joined by ``+``."""

TOO_LARGE = {("astral", "")}
"""Inventories that no machine of ours renders whole; their overlays are judged."""


@pytest.fixture(scope="module", params=FAULTS)
def rendered(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Rendered:
    name, *overlays = request.param.split("+")
    return render(name, tuple(overlays), tmp_path_factory.mktemp(request.param))


@pytest.fixture(scope="module")
def case(rendered: Rendered) -> Case:
    fabric = read_tree(rendered.out)
    return Case.of(fabric, mixed(rendered.intent, fabric, expectation(rendered)))


def test_every_inventory_and_overlay_is_judged() -> None:
    folder = REPOSITORY / "inventories"
    shipped = {(path.parent.name, "") for path in folder.glob("*/fabric.yaml")}
    # A job says nothing about devices.
    overlays = {path: yaml.safe_load(path.read_text(encoding="utf-8")) for path in folder.glob("*/overlays/*.yaml")}
    shipped |= {(path.parents[1].name, path.stem) for path, said in overlays.items() if said.keys() != {"workload"}}
    judged = {(name, overlay) for name, overlays in INVENTORIES for overlay in overlays or ("",)}
    large = {(name, overlay) for name, _, overlay in (stem.partition("+") for stem in FAULTS)}
    assert sorted(shipped - judged - large - TOO_LARGE) == []


def test_all_devices_agree(rendered: Rendered, case: Case) -> None:
    gpus = (len(case.fabric.hosts()) - spare_hosts(rendered.intent)) * 8
    assert gpus == rendered.intent["expect"]["gpus"] >= 3072
    assert findings(case) == []


def test_graph_is_what_show_links_says(rendered: Rendered, case: Case) -> None:
    assert case.graph.links() == shown_links(rendered)


def test_faults_on_the_last_devices_are_found(rendered: Rendered, case: Case, tmp_path: Path) -> None:
    planted = FAULTS["+".join((rendered.name, *rendered.overlays))]
    faulty = plant(rendered, case.fabric, planted, tmp_path)
    proofs = [proof for proof in PROOFS if proof.__name__ in {fault["by"] for fault in planted}]
    found = findings(Case.of(faulty, case.expected), proofs)
    missed = [f["fault"] for f in planted if not any(re.match(f["finds"], line) for line in found)]
    assert missed == [], "\n".join(found[:20])


@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: judge.name)
def test_outside_judge(judge: Judge, rendered: Rendered, files: list[File]) -> None:
    judge_rendered(judge, rendered, files)
