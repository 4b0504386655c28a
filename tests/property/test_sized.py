"""Every fabric that sizing offers compiles, and is the one that was sized; FABRICGEN_JUDGE_ALL draws many."""

from __future__ import annotations

import random
from collections import Counter
from math import exp, log
from pathlib import Path

import pytest

from fabricgen.analysis.capacity import count_gpus, tier_oversubscription
from fabricgen.api.size import size_option
from fabricgen.compiler.compile import compile_document
from fabricgen.diagnostics import Bag
from fabricgen.sizing.ask import AskError, Option, SizingOptions, make_request
from fabricgen.sizing.fabric import FabricSize, size_fabric
from fabricgen.sizing.intent_text import write_intent
from fabricgen.sizing.request import SwitchModels, Unfit
from fabricgen.source import load_text_document
from tests.sampling import EVERYTHING
from tests.unit.size.sized import shelf

CASES = 3000 if EVERYTHING else 60
RATIOS = ("1:1", "1:1", "1:1", "2:1", "3:1", "16:15", "7:2")


def draw(dice: random.Random) -> tuple[SizingOptions, SwitchModels] | None:
    """Return a request and a switch by lot; None for one whose options exclude each other."""
    catalog = shelf().catalog
    asked = SizingOptions(
        gpus=round(exp(dice.uniform(log(8), log(131_072)))),
        server=dice.choice([name for name, server in catalog.servers.items() if server.gpus]),
        nic=dice.choice(["", "", "", *catalog.nics]),
        speed=dice.choice(["", "", "200G", "400G", "800G"]),
        uplink=dice.choice(["", "", "", "400G", "800G"]),
        ratio=dice.choice(RATIOS),
        pod_ratio=dice.choice(RATIOS),
        attachment=dice.choice(["rail", "rail", "host"]),
        per_unit=dice.choice([0, 0, 0, 2, 18, 32]),
        dual_tor=dice.random() < 0.1,
    )
    model = dice.choice([model for model in catalog.switches.values() if model.platforms])
    platform = dice.choice([name for name in model.platforms if name in shelf().platforms])
    try:
        make_request(asked, shelf())
    except AskError:
        return None
    return asked, SwitchModels(model, model, model, platform)


def judge(asked: SizingOptions, boxes: SwitchModels) -> str:
    """Return what became of a request: ``offered``, or a reason for refusing it."""
    request = make_request(asked, shelf())
    size, option = size_fabric(request, boxes), size_option(request, boxes, shelf())
    told = f"{asked} {boxes.names[0]} {boxes.platform}"
    if isinstance(option, Unfit):
        assert option.why, told
        if isinstance(size, FabricSize):
            # What refuses it is about the hardware: never the arithmetic of ports, counts and pools.
            code = option.why.rpartition("(")[2].rstrip(")")
            assert not code.startswith(("FG-TOP-0", "FG-EXP", "FG-ADR", "FG-SRC", "FG-SCH")), f"{told}: {option.why}"
            return code
        assert option.remedy, told
        return "ports"
    compare(option, told)
    return "offered"


def compare(option: Option, told: str) -> None:
    """Assert that the plan is what was sized."""
    size = option.size
    bag = Bag()
    document = load_text_document(write_intent(size, "sized"), bag, unique_items=True)
    made = compile_document(document, Path("sized"), bag)
    assert count_gpus(made.plan) == size.gpus >= size.request.gpus, told
    assert len(made.plan.tiers) == len(size.tiers), told
    for planned, tier in zip(made.plan.tiers, size.tiers, strict=True):
        ratio = tier_oversubscription(made.plan, planned)
        assert planned.size == tier.switches, told
        assert (ratio is None) == (tier.ratio is None), told
        if ratio is not None and tier.ratio is not None:
            assert ratio[0] * tier.ratio.denominator == ratio[1] * tier.ratio.numerator, told
            assert tier.ratio <= (size.request.ratio, size.request.pod_ratio)[planned.number], told


@pytest.mark.nightly
def test_every_fabric_that_is_offered_is_the_one_that_was_sized() -> None:
    found: Counter[str] = Counter()
    for seed in range(CASES):
        drawn = draw(random.Random(seed))
        if drawn is not None:
            found[judge(*drawn)] += 1
    assert found["offered"] > CASES // 8, found
    assert found["ports"], found
