"""Small fabrics with habits of their switches, for the analysis and for brute force."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml

from fabricgen.analysis.deadlock.turns import BOUNCE, DOWN, LOSSY, TURN, UP, ForwardingRules
from fabricgen.plan.model.fabric import FabricPlan
from tests.acceptance.run import compile_clean
from tests.property.buffer_graph import Habits

CLASSES = (3, 4)
"""Lossless classes of every site."""
Changes = Mapping[tuple[int, str, int], int]


@dataclass(frozen=True)
class Site:
    """A fabric with habits of its switches: tiers that do not mark, take their own AS number, or flood upwards."""

    name: str
    document: dict[str, Any]
    valleys: frozenset[int] = frozenset()
    own: frozenset[int] = frozenset()
    floods: frozenset[int] = frozenset()
    changes: Changes = field(default_factory=dict)

    @property
    def rules(self) -> ForwardingRules:
        """Return the habits as the analysis takes them."""
        flooded = {tier: frozenset({UP, DOWN}) for tier in self.floods}
        return ForwardingRules(self.valleys, self.own, flooded, self.changes)

    @property
    def habits(self) -> Habits:
        """Return the habits as the brute force takes them."""

        def recolour(tier: int, came_down: bool, goes_up: bool, priority: int) -> int | None:
            turn = {(True, True): BOUNCE, (False, False): TURN}.get((came_down, goes_up), "")
            after = self.changes.get((tier, turn, priority), priority)
            return None if after == LOSSY else after

        return Habits(set(self.valleys), set(self.own), set(self.floods), recolour)

    def demoted(self) -> Site:
        """Return the same with bounced packets demoted."""
        rules = self.rules.with_demotion(4, CLASSES)
        return replace(self, name=f"{self.name}, demoted", changes=rules.changes)

    def plan(self, folder: Path) -> FabricPlan:
        """Return its plan, with two lossless classes."""
        (folder / "fabric.yaml").write_text(yaml.safe_dump(self.document, sort_keys=False), encoding="utf-8")
        plan = compile_clean(folder).plan
        return plan._replace(contract=replace(plan.contract, lossless=CLASSES))


def _document(*, tiers: int, spines: int = 2, per_pair: int = 1, bond: bool = False, **more: Any) -> dict[str, Any]:
    """A unit or two of a host or two under leafs of all eight rails, and up to three tiers above."""
    model, platform = "arista_7060x6_64pe", "eos"
    names = ("leaf", "spine", "core", "top")[:tiers]
    box = {"model": model, "platform": platform}
    scopes = {
        "spine": {"per": "pod", "count": spines},
        "core": {"per": "zone", "count": 2},
        "top": {"per": "fabric", "count": 2},
    }
    if tiers < 4:
        scopes["core"]["per"] = "fabric"
    if tiers < 3:
        scopes["spine"]["per"] = "fabric"
    link = {"speed": "400G", "cable": {"media": "smf", "length_m": 30}}
    made: dict[str, Any] = {
        "fabric": "site",
        "operations": {"tacacs": {"servers": ["192.168.0.12"], "key": {"secret": "env:TACACS_KEY"}}},
        "hosts": {"server": "dgx_h100_8", "nic": "connectx7_2x200g" if bond else "connectx7_400g", "per_unit": 1},
        "units": {"count": 2},
        **({"pods": {"count": 2}} if tiers > 2 else {}),
        **({"zones": {"count": 2}} if tiers > 3 else {}),
        "attachment": {"rails_per_leaf": 8, **({"leafs_per_group": 2, "bond": "lacp"} if bond else {})},
        "tiers": {name: {**box, **scopes.get(name, {})} for name in names},
        "links": {
            "host-leaf": {"speed": "200G" if bond else "400G", "cable": {"media": "mmf", "length_m": 3}},
            **{f"{lower}-{upper}": {**link, "per_pair": per_pair} for lower, upper in pairwise(names)},
        },
    }
    for key, value in more.items():
        made[key] = {**made.get(key, {}), **value} if isinstance(value, dict) else value
    return made


def _striped(document: dict[str, Any], link: str) -> dict[str, Any]:
    links = {**document["links"], link: {**document["links"][link], "pattern": {"stripe": "index"}}}
    return {**document, "links": links}


_TWO, _THREE, _FOUR = _document(tiers=2), _document(tiers=3), _document(tiers=4)
_ALONE = {"rails_per_leaf": 8, "leafs_per_group": 1, "bond": "none"}
_BOND = _document(tiers=2, bond=True)
_BOND3 = _document(tiers=3, bond=True)
_CUT = {
    **_BOND,
    "exceptions": [
        {"link": ["leaf-u001-1", "spine-01"], "state": "absent", "reason": "fibre cut"},
        {"link": ["gpu-u002-h01", "leaf-u002-2"], "state": "absent", "reason": "dead optics"},
    ],
}
_SINGLE = {
    **_BOND,
    "hosts": {
        "gpu": _BOND["hosts"],
        "plain": {"server": "dgx_h100_8", "nic": "connectx7_400g", "per_unit": 1, "attachment": _ALONE},
    },
    "links": {**_BOND["links"], "plain-leaf": {**_BOND["links"]["host-leaf"], "speed": "400G"}},
}
_SWAP = {(tier, BOUNCE, one): other for tier in range(4) for one, other in ((3, 4), (4, 3))}
_RAISE = {(tier, BOUNCE, 3): 4 for tier in range(4)}
_CROSS = {**_RAISE, **{(tier, TURN, 4): 3 for tier in range(4)}}
_leafs, _spines, _cores = frozenset({0}), frozenset({1}), frozenset({2})

PLANTED = [
    Site("bond over two leafs", _BOND),
    Site("bond, one spine", _document(tiers=2, bond=True, spines=1)),
    Site("bond, parallel links", _document(tiers=2, bond=True, per_pair=3)),
    Site("bond below three tiers", _BOND3),
    Site("bond over leafs that meet at the cores only", _striped(_BOND3, "leaf-spine")),
    Site("bond beside hosts of one port", _SINGLE),
    Site("bond of which cables are missing", _CUT),
    Site("four tiers, cores in stripes", _striped(_FOUR, "spine-core")),
    Site("spines take their own number", _THREE, own=_spines),
    Site("cores of four tiers take their own number", _striped(_FOUR, "spine-core"), own=_cores),
    Site("leafs forget the mark, spines take their own number", _TWO, valleys=_leafs, own=_spines),
    Site("leafs of three tiers do", _THREE, valleys=_leafs, own=_spines),
    Site(
        "spines forget the mark, cores take their own number", _document(tiers=3, spines=1), valleys=_spines, own=_cores
    ),
    Site("leafs of four tiers do", _FOUR, valleys=_leafs, own=_spines),
    Site("leafs flood upwards", _TWO, floods=_leafs),
    Site("leafs of three tiers flood upwards", _THREE, floods=_leafs),
    Site("spines flood upwards", _THREE, floods=_spines),
    Site("two classes swap as packets bounce", _BOND, changes=_SWAP),
    Site("a bounce raises the class, which bounces again", _THREE, own=_spines, changes=_RAISE),
    Site("two classes cross: raised by a bounce, lowered by the next turn", _BOND, changes=_CROSS),
]
"""Sites in which buffers can wait in a circle."""
SOUND = [
    Site("two tiers", _TWO),
    Site("three tiers", _THREE),
    Site("three tiers in stripes", _striped(_THREE, "spine-core")),
    Site("two classes that cross without a bounce", _THREE, changes={(1, TURN, 3): 4, (1, TURN, 4): 3}),
    Site("leafs forget the mark, spines refuse their own number", _TWO, valleys=_leafs),
    *(site.demoted() for site in PLANTED[:12] if not site.valleys),
]
"""Sites in which they cannot."""
