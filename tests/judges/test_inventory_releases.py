"""Every inventory and overlay with SONiC or Cumulus tiers at every release, before the judge of that release.

``make test`` takes one release per inventory and overlay with a printed seed; with FABRICGEN_JUDGE_ALL set, as
``make judge-all`` does, it takes all. A release that lacks a board, HwSKU, pool or headroom row has to be refused by
one of the codes that name the releases that have it.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from fabricgen.compiler.compile import Compiled, compile_document
from fabricgen.device.lower import Lowering
from fabricgen.device.model import Switch
from fabricgen.diagnostics import Bag, Severity
from fabricgen.render.engine import Renderer
from fabricgen.source import load_document
from tests import tally
from tests.judges.nvue import __main__ as nvue
from tests.judges.test_sonic_releases import FILE, NO_TABLES, RELEASES, findings
from tests.sampling import EVERYTHING, FRESH

INVENTORIES = Path(__file__).resolve().parents[2] / "inventories"
REFUSED = NO_TABLES | {"FG-PLT-045"}
WHOLE = 32
"""Switches of a tier, all of which are shown when everything is."""
COMBINED = [("quickstart", f"{other} nvue") for other in ("dual", "ipv6", "dual unnumbered", "host-bgp", "ptp")]
SYSTEMS: dict[str, tuple[str, tuple[str, ...], Callable[[str, str], list[str]]]] = {
    "sonic": (FILE, RELEASES, lambda text, release: findings(json.loads(text), release)),
    "cumulus_nvue": ("startup.yaml", nvue.RELEASES, nvue.findings),
}
"""Platform to its file, its releases and the judge of one at one."""


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


def rendered(made: Compiled, platform: str = "sonic") -> Iterator[tuple[Switch, str]]:
    """Model and file of the first and the last switch of each tier of a platform; all of small tiers."""
    renderer, lowering = Renderer(made.platforms, Bag()), Lowering(made.plan)
    for number in range(len(made.plan.tiers)):
        devices = [each for each in made.plan.switches() if made.plan.tier_of(each).platform == platform]
        devices = [each for each in devices if each.tier == number]
        is_whole = EVERYTHING and len(devices) <= WHOLE
        for device in devices if is_whole else dict.fromkeys((*devices[:1], *devices[-1:])):
            switch = lowering.lower_switch(device)
            for file in renderer.render_switch(switch):
                if file.path.endswith(SYSTEMS[platform][0]):
                    yield switch, file.data.decode()


@pytest.mark.sampled(6, of="name,overlay")
@pytest.mark.parametrize("platform", SYSTEMS)
@pytest.mark.parametrize(("name", "overlay"), [*sides(), *COMBINED], ids=lambda word: word or "plain")
def test_every_release_takes_the_inventory(name: str, overlay: str, platform: str, tmp_path: Path) -> None:
    overlays = [INVENTORIES / name / "overlays" / f"{each}.yaml" for each in overlay.split()]
    plain, errors = compiled(name, *overlays)
    assert errors == set()
    tiers = [tier.name for tier in plain.plan.tiers if tier.platform == platform]
    _, known, judge = SYSTEMS[platform]
    drawn = random.Random(f"{FRESH}{name}{overlay}").choice(known)
    for release in (known if EVERYTHING else (drawn,)) if tiers else ():
        there = tmp_path / f"{release}.yaml"
        there.write_text(yaml.safe_dump({"tiers": {tier: {"release": release} for tier in tiers}}))
        made, errors = compiled(name, *overlays, there)
        if errors:
            assert errors & REFUSED, (release, errors)
            print(f"{release} is refused by {sorted(errors)}")  # noqa: T201 - figures
            continue
        said = {text: judge(text, switch.cls.release.name) for switch, text in rendered(made, platform)}
        print(f"{release}, {len(said)} files")  # noqa: T201 - figures
        for text, found in said.items():
            tally.count(f"{platform}, releases", text, release=release, refused=bool(found))
        assert said
        assert [each for found in said.values() for each in found] == [], release


def test_since_of_nvue_names_the_first_release_that_has_an_object() -> None:
    for path, first in (
        (each, first) for each, first in nvue.MANIFEST["since"].items() if not each.startswith(("model", "BGP"))
    ):
        steps = path.replace("*-", "ipv4-").replace("*", "swp1").split(" > ")
        text = f"- set: {''.join(f'{{{step}: ' for step in steps)}{{}}{'}' * len(steps)}\n"
        known = [not any("Extra" in each for each in nvue.findings(text, release)) for release in nvue.RELEASES]
        assert known == [at >= nvue.RELEASES.index(first) for at in range(len(known))], path
