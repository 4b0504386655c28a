"""AS numbers of a router whose neighbors are commands beside its number."""

from __future__ import annotations

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.diff.kinds import load_kinds
from fabricgen.diff.tree_changes import compare_trees
from fabricgen.platforms.patching.hierarchy import list_commands
from fabricgen.platforms.patching.steps import Situation, apply_changes
from fabricgen.platforms.reading.reader import Tree
from fabricgen.rollout.phasing.atoms import ChangePart, Context
from fabricgen.rollout.phasing.kinds import RolloutStage
from fabricgen.rollout.phasing.parts import split_changes

PATH = "mnt/flash/startup-config"
CONTEXT = Context(is_host=False)
KIND = load_kinds(None, Bag()).of_device("switches", [PATH])[PATH]
PORT = "neighbor interface Ethernet1/1 peer-group UPPER"
FILTER = {"peer-filter EXTERNAL": {"10 match as-range 1-4294967295 result accept": "yes"}}
FILTER_TEXT = "peer-filter EXTERNAL\n   10 match as-range 1-4294967295 result accept\n"


def config(number: int, *lines: str, groups: tuple[str, ...] = ("UPPER",), above: str = "") -> str:
    """A router with its groups of neighbors."""
    made = [f"neighbor {group} peer group" for group in groups]
    return above + "".join(
        f"{line}\n" for line in (f"router bgp {number}", *(f"   {each}" for each in (*made, *lines)))
    )


def situation(before: str, after: str) -> Situation:
    """A change of a configuration."""
    trees = KIND.read(before), KIND.read(after)
    changes = compare_trees(*trees, KIND.semantics).changes
    return Situation(PATH, changes, *trees, before, after, KIND.semantics)


def split(before: str, after: str) -> list[ChangePart]:
    """The parts of a change."""
    return split_changes(situation(before, after), CONTEXT)


def states(before: str, after: str) -> list[Tree]:
    """The configuration after each stage."""
    change = situation(before, after)
    parts = split_changes(change, CONTEXT)
    return [
        apply_changes(
            change.before,
            [part.change._replace(after=part.build(lambda atom: (atom.stage or 0) <= stage)) for part in parts],  # noqa: B023
        )
        for stage in (RolloutStage.accept, RolloutStage.migrate, RolloutStage.drop)
    ]


def test_old_number_is_told_until_every_neighbor_accepts_any() -> None:
    expand, migrate, contract = states(config(1, f"{PORT} remote-as 5"), config(2, f"{PORT} remote-as 6"))
    groups = {"neighbor UPPER peer group": "yes"}
    between = {"number": "2", **groups, "neighbor interface Ethernet1/1": "peer-group UPPER peer-filter EXTERNAL"}
    told = {"neighbor UPPER local-as": "1 no-prepend replace-as"}
    assert expand == {"router bgp": {**between, **told}, **FILTER}
    assert migrate == {"router bgp": between, **FILTER}
    last = {"number": "2", **groups, "neighbor interface Ethernet1/1": "peer-group UPPER remote-as 6"}
    assert contract == {"router bgp": last}


def test_every_group_that_stays_is_told_and_no_other() -> None:
    old, new = (
        config(number, groups=groups)
        for number, groups in ((1, ("UPPER", "LOWER", "GONE")), (2, ("UPPER", "LOWER", "NEW")))
    )
    told = {key for key in states(old, new)[0]["router bgp"] if key.endswith("local-as")}
    assert told == {"neighbor UPPER local-as", "neighbor LOWER local-as"}


def test_neighbor_that_only_gets_another_group_is_no_change_of_its_number() -> None:
    moved = PORT.replace("UPPER", "UPPER_DRAINED")
    (part,) = split(config(1, f"{PORT} remote-as 5"), config(1, f"{moved} remote-as 5"))
    assert part.refused == ""
    assert [atom.stage for atom in part.atoms] == [None]


NUMBERED = ("neighbor 10.0.0.0 peer group UPPER", "neighbor 10.0.0.0 remote-as 5")
REFUSED = {
    "the number of a neighbor": (config(1, f"{PORT} remote-as 2"), config(2, f"{PORT} remote-as 3"), ""),
    "the number of a neighbor with an address": (config(1, *NUMBERED), config(5, *NUMBERED), ""),
    "told another number already": (config(1, "neighbor UPPER local-as 9"), config(2, "neighbor UPPER local-as 9"), ""),
    "accepted by a filter of its own": (config(1, f"{PORT} peer-filter OWN"), config(1, f"{PORT} remote-as 3"), ""),
    "neighbor with an address": (
        config(1, *NUMBERED),
        config(1, NUMBERED[0], "neighbor 10.0.0.0 remote-as 6"),
        "EOS accepts one",
    ),
}


@pytest.mark.parametrize(("before", "after", "reason"), REFUSED.values(), ids=[*REFUSED])
def test_number_without_a_state_between_is_refused(before: str, after: str, reason: str) -> None:
    refused = [part for part in split(before, after) if part.refused]
    assert [part.refused for part in refused] == ["asn"]
    told = refused[0].reason or refused[0].change.meaning.get("ends_reason")
    assert told.startswith(reason)
    assert bool(told) == bool(reason)


def test_commands_define_the_filter_and_free_the_neighbor_of_its_number() -> None:
    between = config(2, f"{PORT} peer-filter EXTERNAL", above=FILTER_TEXT)
    forth = situation(between, config(2, f"{PORT} remote-as 6"))
    assert [line.strip() for line in list_commands(forth)] == [
        "no peer-filter EXTERNAL", "router bgp 2", f"no {PORT} peer-filter EXTERNAL", f"{PORT} remote-as 6"
    ]  # fmt: skip
    assert [line.strip() for line in list_commands(forth.reversed())] == [
        *(line.strip() for line in FILTER_TEXT.splitlines()),
        "router bgp 2", f"no {PORT} remote-as 6", f"{PORT} peer-filter EXTERNAL",
    ]  # fmt: skip
