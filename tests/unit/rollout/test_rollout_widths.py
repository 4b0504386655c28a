"""Equal-cost paths while sessions are there twice."""

from __future__ import annotations

import json

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.diff.kinds import load_kinds
from fabricgen.diff.tree_changes import compare_trees
from fabricgen.platforms.patching.steps import Situation
from fabricgen.rollout.phasing.atoms import Context
from fabricgen.rollout.phasing.kinds import RolloutStage
from fabricgen.rollout.phasing.widths import widen_paths

PATH, AGENT = "etc/frr/frr.conf", "etc/coop/agent.conf"
CONTEXT = Context(is_host=False)


def config(paths: int, *neighbors: str) -> str:
    """A routing configuration."""
    lines = "".join(f" neighbor {neighbor} remote-as 65001\n" for neighbor in neighbors)
    family = f" address-family ipv4 unicast\n  maximum-paths {paths}\n exit-address-family\n"
    return f"router bgp 65000\n{lines}{family}exit\n"


def situation(before: str, after: str, path: str = PATH) -> Situation:
    """A change of a routing configuration, or of another file."""
    kind = load_kinds(None, Bag()).of_device("switches", [path])[path]
    trees = kind.read(before), kind.read(after)
    changes = compare_trees(*trees, kind.semantics).changes
    return Situation(path, changes, *trees, before, after, kind.semantics)


def numbers(before: str, after: str) -> list[str]:
    """The number of paths before the rollout and after each of its stages."""
    (part,) = widen_paths(situation(before, after), CONTEXT).values()
    stages = (0, RolloutStage.accept, RolloutStage.migrate, RolloutStage.drop)
    return [str(part.build(lambda atom, at=at: (atom.stage or 0) <= at)) for at in stages]  # type: ignore[misc]


def test_number_of_paths_covers_both_sessions_until_the_old_ones_are_gone() -> None:
    assert numbers(config(8, "10.0.0.1"), config(8, "10.9.0.1")) == ["8", "16", "16", "8"]
    assert numbers(config(8, "10.0.0.1"), config(4, "10.9.0.1")) == ["8", "12", "12", "4"]


def test_number_stays_where_sessions_only_come_or_only_go() -> None:
    one, two = config(8, "10.0.0.1"), config(8, "10.0.0.1", "10.0.0.3")
    assert widen_paths(situation(one, two), CONTEXT) == {}
    assert widen_paths(situation(two, one), CONTEXT) == {}


def test_fewer_paths_wait_for_sessions_that_only_go() -> None:
    assert numbers(config(16, "10.0.0.1", "10.9.0.1"), config(8, "10.9.0.1")) == ["16", "16", "16", "8"]
    agent = [json.dumps({"sw": {"switchSettings": {"ecmpWidth": width}}}) for width in (16, 8)]
    assert widen_paths(situation(*agent, AGENT), CONTEXT) == {}
    (part,) = widen_paths(situation(*agent, AGENT), CONTEXT._replace(loses=True)).values()
    assert [
        part.build(lambda atom, at=at: (atom.stage or 0) <= at) for at in (RolloutStage.accept, RolloutStage.drop)
    ] == [16, 8]  # type: ignore[misc]


@pytest.mark.parametrize(("paths", "refused"), [(64, ""), (65, "address")])
def test_more_paths_than_the_program_takes_are_refused(paths: int, refused: str) -> None:
    found = widen_paths(situation(config(paths, "10.0.0.1"), config(paths, "10.9.0.1")), CONTEXT)
    (part,) = found.values()
    assert part.refused == refused
    assert ("130 paths" in part.reason) == bool(refused)


@pytest.mark.parametrize("doubles", [False, True])
def test_number_in_one_file_covers_the_sessions_of_another(doubles: bool) -> None:
    text = json.dumps({"sw": {"switchSettings": {"ecmpWidth": 8}}})
    found = widen_paths(situation(text, text, AGENT), CONTEXT._replace(doubles=doubles))
    widest = [part.build(lambda atom: atom.stage == RolloutStage.accept) for part in found.values()]
    assert widest == ([16] if doubles else [])
