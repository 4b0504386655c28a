"""Policies that are read as a whole: which change of them has a state between, and what that permits."""

from __future__ import annotations

from typing import Any

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.diff.kinds import load_kinds
from fabricgen.platforms.patching.steps import ABSENT, Change, Situation
from fabricgen.rollout.phasing.alternatives import permit_either
from fabricgen.rollout.phasing.atoms import Context
from fabricgen.rollout.phasing.kinds import RolloutStage

PATH = "etc/coop/bgpcpp.conf"
CONTEXT = Context(is_host=False)
PERMIT, DENY = 5, 6


def terms(*prefixes: str, action: int = PERMIT, community: str = "64512:1") -> list[dict[str, Any]]:
    """A statement of a term for prefixes, behind one that denies what came from above."""
    filters = [{"base_prefix": each, "prefix_len_ranges": [{"value": 27}]} for each in prefixes]
    return [
        {"name": "descended", "communities": [community], "policy_action_entries": [{"type": DENY}]},
        {"name": "own", "match": [{"prefixes": filters}], "policy_action_entries": [{"type": action}]},
    ]


def between(before: Any, after: Any, stage: RolloutStage = RolloutStage.accept) -> Any:
    """The statement once a stage is done; None where it is not one of prefixes alone."""
    semantics = load_kinds(None, Bag()).of_device("switches", [PATH])[PATH].semantics
    change = Change(("policies", "bgp_policy_statements", "IN", "policy_entries"), before, after, semantics.root)
    part = permit_either(change, Situation(PATH, [change], {}, {}, "", "", semantics), CONTEXT)
    return part and part.build(lambda atom: (atom.stage or 0) <= stage)


def test_statement_permits_old_and_new_prefixes_until_no_old_one_is_sent() -> None:
    old, new = terms("10.0.0.0/8", "172.16.0.0/12"), terms("10.0.0.0/8", "172.32.0.0/12")
    both = terms("10.0.0.0/8", "172.32.0.0/12", "172.16.0.0/12")
    assert [between(old, new, stage) for stage in (RolloutStage.accept, RolloutStage.migrate, RolloutStage.drop)] == [
        both,
        both,
        new,
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(terms("10.0.0.0/8", action=DENY), terms("10.64.0.0/10", action=DENY), id="a term denies"),
        pytest.param(terms("10.0.0.0/8"), terms("10.64.0.0/10", community="64512:2"), id="a community changes"),
        pytest.param(terms("10.0.0.0/8"), terms("10.64.0.0/10")[1:], id="a term goes"),
        pytest.param(terms("10.0.0.0/8"), terms(), id="a list is empty"),
        pytest.param(terms("10.0.0.0/8"), ABSENT, id="the statement goes"),
    ],
)
def test_nothing_else_has_a_state_between(before: Any, after: Any) -> None:
    assert between(before, after) is None
