"""Entries of policies that match another list of communities: the former one stays right behind the new one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.diff.tree_changes import compare_trees
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.patching.steps import Situation, apply_changes
from fabricgen.platforms.reading.semantics import load_semantics
from fabricgen.rollout.phasing.atoms import Atom, ChangePart, Context
from fabricgen.rollout.phasing.kinds import RolloutStage
from fabricgen.rollout.phasing.parts import split_changes

CONTEXT = Context(is_host=False)
MAP, LIST = "route-map LOWER_IN", "bgp community-list standard ABOVE"
Tree = dict[str, Any]


def split(before: Tree, after: Tree) -> tuple[Situation, list[ChangePart]]:
    """The parts of a change of a frr.conf."""
    semantics = load_semantics(template_root(), "shared/vtysh.yaml", Bag())
    assert semantics is not None
    changes = tuple(compare_trees(before, after, semantics).changes)
    situation = Situation("etc/frr/frr.conf", changes, before, after, "", "", semantics)
    return situation, split_changes(situation, CONTEXT)


def state(situation: Situation, parts: list[ChangePart], stage: RolloutStage) -> Mapping[str, Any]:
    """The tree once a stage is done."""

    def done(atom: Atom) -> bool:
        return (atom.stage or RolloutStage.accept) <= stage

    return apply_changes(situation.before, [part.change._replace(after=part.build(done)) for part in parts])


def entry(community: str, mark: str) -> Tree:
    return {"action": "permit", "match community": community, "set community": f"{mark} additive"}


def test_former_entry_stays_until_its_community_is_sent_no_more() -> None:
    last = {"20": {"action": "permit"}}
    before = {MAP: {"10": entry("OLD", "64512:7"), **last}}
    situation, parts = split(before, {MAP: {"10": entry("NEW", "64512:1"), **last}})
    assert not any(part.refused for part in parts)
    assert state(situation, parts, RolloutStage.accept) == {
        MAP: {"10": entry("NEW", "64512:7"), "11": entry("OLD", "64512:7"), **last}
    }
    assert state(situation, parts, RolloutStage.migrate) == {
        MAP: {"10": entry("NEW", "64512:1"), "11": entry("OLD", "64512:1"), **last}
    }
    assert state(situation, parts, RolloutStage.drop) == situation.after


def test_entry_without_room_behind_it_is_refused() -> None:
    last = {"11": {"action": "permit"}}
    _, parts = split({MAP: {"10": entry("OLD", "64512:7"), **last}}, {MAP: {"10": entry("NEW", "64512:7"), **last}})
    assert [(part.refused, "no number is free" in part.reason) for part in parts if part.refused] == [("accept", True)]


def test_list_has_both_communities_in_between() -> None:
    situation, parts = split({LIST: {"seq 10": "permit 64512:7"}}, {LIST: {"seq 10": "permit 64512:1"}})
    both = {LIST: {"seq 10": "permit 64512:1", "seq 11": "permit 64512:7"}}
    assert state(situation, parts, RolloutStage.accept) == both
    assert state(situation, parts, RolloutStage.cease) == both
    assert state(situation, parts, RolloutStage.drop) == situation.after


@pytest.mark.parametrize("word", ["additive", ""])
def test_policy_of_what_is_sent_changes_at_once(word: str) -> None:
    name = "route-map LOWER_OUT"
    sides = [{name: {"10": {"action": "permit", "set community": f"{mark} {word}".strip()}}} for mark in ("1:1", "1:2")]
    situation, parts = split(*sides)
    assert state(situation, parts, RolloutStage.ready) == situation.before
    assert state(situation, parts, RolloutStage.migrate) == situation.after
