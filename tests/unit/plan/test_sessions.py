"""Features of sessions at both of their ends, or at neither."""

from __future__ import annotations

from itertools import pairwise

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.intent.fabric import FabricIntent
from fabricgen.plan.planner import PlatformFacts, build_plan
from tests.property.fabrics import NIC, SERVER, SWITCH, catalog

TIERS = ("leaf", "spine", "core")


def sides(able: set[str], ttl: str = "auto") -> dict[str, tuple[bool, bool]]:
    """GTSM below and above each tier of a fabric whose hosts run BGP, where only some platforms have it."""
    tier = {"model": SWITCH, "platform": "any"}
    intent = FabricIntent.model_validate(
        {
            "fabric": "x",
            "pods": 2,
            "units": 2,
            "hosts": {"gpu": {"server": SERVER, "nic": NIC, "per_unit": 2, "os": "host"}},
            "tiers": {
                "leaf": {**tier, "platform": "leaf"},
                "spine": {**tier, "platform": "spine", "per": "pod", "count": 2},
                "core": {**tier, "platform": "core", "per": "fabric", "count": 2},
            },
            "links": {
                "host-leaf": {"speed": "400G", "cable": {"media": "dac", "length_m": 2}},
                "leaf-spine": {"speed": "400G", "cable": {"media": "smf", "length_m": 30}},
                "spine-core": {"speed": "400G", "cable": {"media": "smf", "length_m": 30}},
            },
            "routing": {"hosts": "bgp", "security": {"ttl": ttl}},
        }
    )
    facts = {name: PlatformFacts(gtsm=name in able) for name in ("host", *TIERS)}
    plan = build_plan(intent, catalog(), facts, {}, Bag())
    return {tier.name: (tier.routing.gtsm_lower, tier.routing.gtsm_upper) for tier in plan.tiers}


@pytest.mark.parametrize("lacking", ["host", *TIERS])
def test_gtsm_runs_where_both_ends_can(lacking: str) -> None:
    found = sides({"host", *TIERS} - {lacking})
    ends = ["host", *TIERS]
    both = {pair: lacking not in pair for pair in pairwise(ends)}
    assert found == {
        "leaf": (both["host", "leaf"], both["leaf", "spine"]),
        "spine": (both["leaf", "spine"], both["spine", "core"]),
        "core": (both["spine", "core"], False),
    }


def test_gtsm_is_turned_off_by_a_word() -> None:
    assert set(sides({"host", *TIERS}, "off").values()) == {(False, False)}
