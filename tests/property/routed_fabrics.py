"""Random fabrics of the whole language with things out of service or moved, for judges of what routing does in them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import assume, given, note
from hypothesis import strategies as st

from fabricgen.api import compile_inventory
from fabricgen.diagnostics import Bag, Severity
from fabricgen.plan.model.fabric import FabricPlan
from tests.property.generated.dice import Dice, by_lot
from tests.property.generated.files import OVERLAY, write_inventory
from tests.property.generated.model import Model
from tests.property.generated.outages import Outages
from tests.property.generated.vocabulary import Drawn, intents
from tests.sampling import EVERYTHING

PLATFORMS = (("sonic",), ("eos",), ("eos", "sonic"), ("sonic",), ("eos",), ("fboss", "eos"), ("eos", "frr"), ("frr",))
"""Platforms of tiers, share by share; hosts bond below EOS and FRR, links are drained on SONIC, EOS and FBOSS."""
SHARES = len(PLATFORMS)
_FABRICS = int(os.environ.get("FABRICGEN_EXAMPLES", "200" if EVERYTHING else "8"))
EXAMPLES, LONG = max(1, _FABRICS // SHARES), _FABRICS >= 200
"""Fabrics of each share, and whether that is a long run, in which what takes longer is looked at too."""
FIRST_SEED = int(os.environ.get("FABRICGEN_SEED", "1"))
NOT_RENDERED = {"FG-PLT-021"}
"""Errors about what no platform renders, a NIC that spreads over planes, which the plan has nevertheless."""


@st.composite
def routed_fabrics(draw: st.DrawFn, platforms: tuple[str, ...]) -> Drawn:
    """A fabric with exceptions that change routes, whatever they cut off."""
    drawn, dice = draw(intents(platforms)), Dice(draw)
    drawn.data.pop("expect", None)
    if not dice.once_in(4):
        drawn.data.pop("exceptions", None)
        found = Outages(dice, Model(drawn.data)).exceptions()
        drawn.data.update({"exceptions": found} if found else {})
    planes = drawn.data.get("planes")
    if isinstance(planes, dict) and planes.get("host") == "separate" and dice.once_in(2):
        planes["host"] = "nic"
        collectives = drawn.data.get("collectives")
        if isinstance(collectives, dict):
            collectives.pop("fault_tolerance", None)
    return drawn


def plan_drawn(drawn: Drawn) -> FabricPlan:
    bag = Bag()
    with TemporaryDirectory() as folder:
        write_inventory(Path(folder), drawn.data, drawn.overlay)
        made = compile_inventory(Path(folder), (OVERLAY,) if drawn.overlay else (), bag)
    found = [d for d in bag if d.severity is Severity.ERROR and not d.waived]
    assert [d.message for d in found if d.code not in NOT_RENDERED] == []
    return made.plan


def judge_share(share: int, judge: Callable[[FabricPlan], object]) -> None:
    """Let a judge, which raises on a disagreement, look at the fabrics of a share by its number."""
    seen = set[str]()

    @by_lot(FIRST_SEED + share, EXAMPLES)
    @given(routed_fabrics(PLATFORMS[share]))
    def run(drawn: Drawn) -> None:
        text = json.dumps(drawn.data)
        assume(text not in seen)
        note(text)
        judge(plan_drawn(drawn))
        seen.add(text)

    run()
