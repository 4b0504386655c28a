"""Every inventory and overlay with SONiC tiers at every release, before the checker of that release.

``make test`` takes one release per inventory and overlay with a printed seed; with FABRICGEN_JUDGE_ALL set, as
``make judge-all`` does, it takes all. A release that lacks a board, HwSKU, pool or headroom row has to be refused by
one of the codes that name the releases that have it.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from fabricgen.compiler.compile import Compiled, compile_document
from fabricgen.device.lower import Lowering
from fabricgen.diagnostics import Bag, Severity
from fabricgen.render.engine import Renderer
from fabricgen.source import load_document
from tests.judges.test_sonic_releases import FILE, NO_TABLES, RELEASES, checker, findings
from tests.sampling import EVERYTHING, FRESH

INVENTORIES = Path(__file__).resolve().parents[2] / "inventories"
REFUSED = NO_TABLES | {"FG-PLT-045"}


def sides() -> list[tuple[str, str]]:
    found = []
    for intent in sorted(INVENTORIES.glob("*/fabric.yaml")):
        overlays = sorted(intent.parent.glob("overlays/*.yaml"))
        found += [(intent.parent.name, ""), *((intent.parent.name, each.stem) for each in overlays)]
    return found


def compiled(name: str, *overlays: Path) -> tuple[Compiled, set[str]]:
    """An inventory with overlays, and the codes of its errors."""
    bag = Bag()
    document = load_document(INVENTORIES / name / "fabric.yaml", bag, overlays=overlays)
    made = compile_document(document, INVENTORIES / name, bag)
    return made, {each.code for each in bag if each.severity is Severity.ERROR}


def rendered(made: Compiled) -> Iterator[tuple[str, str]]:
    """Name and config_db.json of the first and the last switch of each SONiC tier."""
    renderer, lowering = Renderer(made.platforms, Bag()), Lowering(made.plan)
    for number, tier in enumerate(made.plan.tiers):
        devices = [each for each in made.plan.switches() if tier.platform == "sonic" and each.tier == number]
        for device in dict.fromkeys((*devices[:1], *devices[-1:])):
            switch = lowering.lower_switch(device)
            for file in renderer.render_switch(switch):
                if file.path.endswith(FILE):
                    yield switch.hostname, file.data.decode()


@pytest.mark.sampled(6, of="name,overlay")
@pytest.mark.parametrize(("name", "overlay"), sides(), ids=lambda word: word or "plain")
def test_every_release_takes_the_inventory(name: str, overlay: str, tmp_path: Path) -> None:
    checker()
    overlays = [INVENTORIES / name / "overlays" / f"{overlay}.yaml"] if overlay else []
    plain, errors = compiled(name, *overlays)
    assert errors == set()
    tiers = [tier.name for tier in plain.plan.tiers if tier.platform == "sonic"]
    if not tiers:
        return
    releases = RELEASES
    if not EVERYTHING:
        releases = (random.Random(f"{FRESH}{name}{overlay}").choice(RELEASES),)
    for release in releases:
        there = tmp_path / f"{release}.yaml"
        there.write_text(yaml.safe_dump({"tiers": {tier: {"release": release} for tier in tiers}}))
        made, errors = compiled(name, *overlays, there)
        if errors:
            assert errors & REFUSED, (release, errors)
            print(f"{release} is refused by {sorted(errors)}")  # noqa: T201 - figures
            continue
        files = dict(rendered(made))
        print(f"{release}, {len(files)} files")  # noqa: T201 - figures
        assert files
        said = [(name, each) for name, text in files.items() for each in findings(json.loads(text), release)]
        assert said == [], release
