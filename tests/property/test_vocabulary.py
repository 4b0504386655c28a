"""Random fabrics draw the whole language: every key of the schema, every word of a choice, every form of a value."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.property.generated.keys import Schema
from tests.property.generated.vocabulary import Drawn, intents
from tests.property.test_generated import OTHERS, PLATFORMS

REPOSITORY = Path(__file__).resolve().parents[2]
EACH = 150
"""Fabrics that are drawn, and not built, of each set of platforms: fewer would miss what is rare."""

EXCLUDED = {
    r"exceptions\.\[\]\.set\.\*(\.\[\]:integer|:number|=True|=False)": "no leaf that may be set has such a value",
    r"links\.\*\.speed=(10|25|40|50|1600)G": "no NIC of the catalog runs it",
    r"planes\.host=nic": "no NIC that is installed spreads over its ports: FG-PLT-050",
}
"""What is not drawn, as patterns of keys, and why."""


def drawn() -> set[str]:
    """All that random fabrics say."""
    schema, found = Schema(REPOSITORY / "inventories" / "intent.schema.json"), set[str]()
    for number, platforms in enumerate(dict.fromkeys(PLATFORMS + OTHERS)):

        @seed(number)
        @settings(
            max_examples=EACH,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(intents(platforms))
        def look(each: Drawn) -> None:
            found.update(schema.said(each.data))

        look()
    return found


def test_every_key_is_drawn_or_named_with_a_reason() -> None:
    known = Schema(REPOSITORY / "inventories" / "intent.schema.json").known()
    found = drawn()
    excluded = {word for word in known if any(re.fullmatch(pattern, word) for pattern in EXCLUDED)}
    assert sorted(known - found - excluded) == [], "neither drawn nor excluded"
    assert sorted(found & excluded) == [], "excluded, and drawn all the same"
    assert [p for p in EXCLUDED if not any(re.fullmatch(p, word) for word in known)] == [], "of no key"
