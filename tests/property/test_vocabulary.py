"""Random fabrics draw the whole language: every key of the schema, every word of a choice, every form of a value."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given

from tests.property.generated.dice import by_lot
from tests.property.generated.keys import Schema
from tests.property.generated.vocabulary import Drawn, intents
from tests.property.test_generated import OTHERS, PLATFORMS

REPOSITORY = Path(__file__).resolve().parents[2]
EACH, ROUNDS = 60, 10
"""Fabrics that are drawn, and not built, of each set of platforms in a round; what no round draws is too rare."""

SMALLEST = {
    "fabric": "x",
    "hosts": {"server": "s", "nic": "n", "per_unit": 1},
    "units": 1,
    "tiers": {"leaf": {"model": "m", "platform": "p"}},
    "links": {"host-leaf": {"speed": "400G", "cable": {"media": "dac", "length_m": 3}}},
}
EXCLUDED = {
    r"exceptions\.\[\]\.set\.\*(\.\[\]:integer|:number|=True|=False)": "no leaf that may be set has such a value",
    r"links\.\*\.speed=(10|25|40|50|1600)G": "no NIC of the catalog runs it",
    r"(routing|tiers\.\*)\.ecmp\.resilient=True": "EOS alone hashes so, on Jericho, and no box that is drawn has one",
    r"rollout\.(canary:|gate:|max_failures:|scheduler_group:string|soak:|steps\.).*": "waves alone have a pace",
    r"lossless\.classes\.\*\.mark:integer": "a state between two code points alone says it",
    r"collectives\.(telemetry_window:integer|variables\.\*\.value:string)": "a test of NCCL's files has them",
    r"(routing|tiers\.\*)\.ecmp\.load_balancing=cluster": "no platform renders it: FG-PLT-021",
    r"routing\.timers\.keepalive_s=auto": "the default, as where the key is left out",
    r"(addressing|routing\.asn)\.series\..*": "test_numbers draws them",
    r"units\.kinds\.\*\.hosts:integer": "drawn by group",
    r"operations\.ptp\..*": "the port of a grandmaster is one that no link has; quickstart's overlay ptp names two",
    r"planes\.host=nic": "no NIC that is installed spreads over its ports: FG-PLT-021",
}
"""Keys that are not drawn, as patterns, and the reasons."""


def words_of_a_round(schema: Schema, number: int) -> set[str]:
    """All that some random fabrics of each set of platforms say."""
    found = set[str]()
    for platforms in dict.fromkeys(PLATFORMS + OTHERS):

        @by_lot(number, EACH)
        @given(intents(platforms))
        def look(each: Drawn) -> None:
            found.update(schema.said(each.data))

        look()
    return found


@pytest.mark.nightly
def test_every_key_is_drawn_or_named_with_a_reason() -> None:
    schema = Schema(REPOSITORY / "inventories" / "intent.schema.json")
    known, found = schema.known(), set[str]()
    excluded = {word for word in known if any(re.fullmatch(pattern, word) for pattern in EXCLUDED)}
    for number in range(ROUNDS):
        found |= words_of_a_round(schema, number)
        if known <= found | excluded:
            break
    assert sorted(known - found - excluded) == [], "neither drawn nor excluded"
    assert sorted(found & excluded) == [], "excluded, and drawn all the same"
    assert [p for p in EXCLUDED if not any(re.fullmatch(p, word) for word in known)] == [], "of no key"


def test_a_key_that_nobody_draws_is_found(tmp_path: Path) -> None:
    root = json.loads((REPOSITORY / "inventories" / "intent.schema.json").read_text(encoding="utf-8"))
    root["$defs"]["WatchdogIntent"]["properties"]["voice"] = {"enum": ["loud", "low"], "type": "string"}
    (tmp_path / "schema.json").write_text(json.dumps(root), encoding="utf-8")
    schema = Schema(tmp_path / "schema.json")
    words = {"lossless.watchdog.voice=loud", "lossless.watchdog.voice=low"}
    assert words <= schema.known()
    assert schema.said({"lossless": {"watchdog": {"voice": "low"}}, **SMALLEST}) & words == {
        "lossless.watchdog.voice=low"
    }
