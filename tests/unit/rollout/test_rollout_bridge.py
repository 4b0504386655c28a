"""AS numbers in between: which number a router tells to whom, and which it accepts, on each platform that bridges."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.diff.counting import Counting
from fabricgen.diff.file_diff import FileDiff
from fabricgen.diff.kinds import FileKind, load_kinds
from fabricgen.diff.tree_changes import compare_trees
from fabricgen.platforms.patching.steps import Situation, apply_changes
from fabricgen.platforms.reading.reader import look_up
from fabricgen.rollout.phasing.atoms import ChangePart, Context
from fabricgen.rollout.phasing.bridge import MOVED
from fabricgen.rollout.phasing.kinds import RolloutStage
from fabricgen.rollout.phasing.parts import split_changes
from fabricgen.rollout.phasing.refusals import Refusals, RefuseFile
from fabricgen.rollout.phasing.states import stage_file

FRR, NVUE, BGPCPP = "etc/frr/frr.conf", "etc/nvue.d/startup.yaml", "etc/coop/bgpcpp.conf"
CONTEXT = Context(is_host=False)
TOLD = {"state": "enabled", "asn": "65001", "prepend": "disabled", "replace": "enabled"}


def kind_of(path: str) -> FileKind:
    """Files of a kind."""
    return load_kinds(None, Bag()).of_device("switches", [path])[path]


def situation(path: str, before: str, after: str) -> Situation:
    """A change of a file."""
    kind = kind_of(path)
    trees = kind.read(before), kind.read(after)
    changes = compare_trees(*trees, kind.semantics).changes
    return Situation(path, changes, *trees, before, after, kind.semantics)


def state_at(found: Situation, parts: list[ChangePart], stage: RolloutStage) -> dict[str, Any]:
    """The tree once a stage is done."""
    values = [part.build(lambda atom: (atom.stage or 0) <= stage) for part in parts]
    changes = [part.change._replace(after=value) for part, value in zip(parts, values, strict=True)]
    return apply_changes(found.before, [change for change in changes if change.before != change.after])


def nvue(own: int, remote: int, vrf: str = "", told: str = "") -> str:
    """A switch with a neighbor, and one in another VRF."""
    rows = f"neighbor: {{swp1: {{type: unnumbered, remote-as: {remote}{told}}}}}"
    other = (
        f"\n      tenant: {{router: {{bgp: {{{vrf}neighbor: {{10.0.0.1: {{type: numbered, remote-as: 65009}}}}}}}}}}"
    )
    return (
        f"- set:\n    router: {{bgp: {{autonomous-system: {own}}}}}\n"
        f"    vrf:\n      default: {{router: {{bgp: {{{rows}}}}}}}{other}\n"
    )


def vrfs(own: int = 0, **numbers: int) -> str:
    """A switch with a neighbor in each of some VRFs, which have numbers of their own unless they are 0."""
    rows = ""
    for name, number in numbers.items():
        words = f"autonomous-system: {number}, " if number else ""
        neighbor = "neighbor: {10.0.0.1: {type: numbered, remote-as: 65009}}"
        rows += f"\n      {name}: {{router: {{bgp: {{{words}{neighbor}}}}}}}"
    top = f"    router: {{bgp: {{autonomous-system: {own}}}}}\n" if own else ""
    return f"- set:\n{top}    vrf:{rows}\n"


def frr(own: int, remote: int) -> str:
    """A router with a neighbor, and one in a VRF that keeps its number."""
    return (
        f"router bgp {own}\n neighbor 10.0.0.1 remote-as {remote}\nexit\n"
        "router bgp 65100 vrf tenant\n neighbor 10.1.0.1 remote-as 65009\nexit\n"
    )


def bgpcpp(own: int, remote: int) -> str:
    """A speaker of BGP++ with a peer."""
    peer = {"peer_addr": "10.0.0.1", "next_hop4": "0.0.0.0", "next_hop6": "::", "remote_as_4_byte": remote}
    return json.dumps({"router_id": "10.255.0.1", "local_as_4_byte": own, "peers": [peer]})


def neighbors(tree: dict[str, Any], vrf: str = "default") -> dict[str, Any]:
    """Neighbors of a switch in a VRF."""
    return look_up(tree, "vrf", vrf, "router", "bgp", "neighbor")


def test_router_tells_its_old_number_first_and_accepts_one_alone_last() -> None:
    found = situation(NVUE, nvue(65001, 65002), nvue(65101, 65102))
    parts = split_changes(found, CONTEXT)
    assert [part.refused for part in parts] == [""] * len(parts)
    expanded, migrated, contracted = (
        state_at(found, parts, stage) for stage in (RolloutStage.accept, RolloutStage.migrate, RolloutStage.drop)
    )
    for tree in (expanded, migrated, contracted):
        assert tree["router"]["bgp"]["autonomous-system"] == "65101"
    assert neighbors(expanded)["swp1"] == {"type": "unnumbered", "remote-as": "external", "local-as": TOLD}
    assert neighbors(migrated)["swp1"] == {"type": "unnumbered", "remote-as": "external"}
    assert contracted == found.after


@pytest.mark.parametrize(("vrf", "told"), [("", TOLD), ("autonomous-system: 65100, ", None)])
def test_neighbors_of_a_vrf_are_told_the_number_that_is_nearest_to_them(vrf: str, told: object) -> None:
    found = situation(NVUE, nvue(65001, 65002, vrf), nvue(65101, 65102, vrf))
    expanded = state_at(found, split_changes(found, CONTEXT), RolloutStage.accept)
    assert neighbors(expanded, "tenant")["10.0.0.1"].get("local-as") == told
    assert neighbors(expanded)["swp1"]["local-as"] == TOLD


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        pytest.param({"tenant": 65001}, {"tenant": 65101}, {"tenant": "65001"}, id="nothing above"),
        pytest.param(
            {"tenant": 65001, "other": 65100}, {"tenant": 65101, "other": 65100}, {"tenant": "65001"},
            id="another VRF has its own",
        ),
        pytest.param(
            {"tenant": 65001, "default": 0}, {"tenant": 65101, "default": 0}, {"tenant": "65001"},
            id="another VRF has none",
        ),
        pytest.param(
            {"own": 65050, "tenant": 65001, "default": 0}, {"own": 65050, "tenant": 65101, "default": 0},
            {"tenant": "65001"}, id="the global one stays",
        ),
        pytest.param(
            {"own": 65050, "tenant": 65001, "default": 0}, {"own": 65150, "tenant": 65101, "default": 0},
            {"tenant": "65001", "default": "65050"}, id="both change",
        ),
        pytest.param(
            {"own": 65001, "default": 65101}, {"own": 65101, "default": 0}, {}, id="moves as it is, the other changes",
        ),
    ],
)  # fmt: skip
def test_number_of_a_vrf_is_told_to_its_own_neighbors_alone(
    before: dict[str, int], after: dict[str, int], told: dict[str, str]
) -> None:
    found = situation(NVUE, vrfs(**before), vrfs(**after))
    parts = split_changes(found, CONTEXT)
    assert [part.refused for part in parts] == [""] * len(parts)
    expanded = state_at(found, parts, RolloutStage.accept)
    rows = {name: neighbors(expanded, name)["10.0.0.1"].get("local-as") for name in before if name != "own"}
    assert {name: row["asn"] for name, row in rows.items() if row} == told
    assert state_at(found, parts, RolloutStage.drop) == found.after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param({"own": 65001, "tenant": 0}, {"own": 65001, "tenant": 65101}, id="comes"),
        pytest.param({"own": 65001, "tenant": 65101}, {"own": 65001, "tenant": 0}, id="goes"),
        pytest.param({"tenant": 65001}, {"own": 65101, "tenant": 0}, id="becomes the global one"),
    ],
)
def test_number_that_changes_as_it_moves_is_refused(before: dict[str, int], after: dict[str, int]) -> None:
    parts = split_changes(situation(NVUE, vrfs(**before), vrfs(**after)), CONTEXT)
    assert {part.reason for part in parts if part.refused} == {MOVED}


def test_router_of_a_vrf_keeps_its_number_beside_one_that_changes() -> None:
    found = situation(FRR, frr(65001, 65002), frr(65101, 65102))
    expanded = state_at(found, split_changes(found, CONTEXT), RolloutStage.accept)
    told = [row.get("neighbor 10.0.0.1", row.get("neighbor 10.1.0.1")) for key, row in expanded.items() if "bgp" in key]
    assert [row.get("local-as") for row in told] == ["65001 no-prepend replace-as", None]
    assert [row["remote-as"] for row in told] == ["external", "65009"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(nvue(65001, 65101), nvue(65101, 65102), id="a neighbor had the number"),
        pytest.param(
            nvue(65001, 65002, told=", local-as: {state: enabled, asn: 65007}"),
            nvue(65101, 65102, told=", local-as: {state: enabled, asn: 65007}"),
            id="a neighbor is told another number",
        ),
    ],
)
def test_no_state_in_between_is_refused(before: str, after: str) -> None:
    parts = split_changes(situation(NVUE, before, after), CONTEXT)
    assert {part.refused for part in parts} == {"", "asn"}


def refusals_of(*numbers: tuple[str, int, int]) -> list[str]:
    """Messages about routers with one neighbor each, by their name, their number and the one that they get."""
    bag, refusals = Bag(), Refusals()
    for name, before, after in numbers:
        found = situation(FRR, frr(before, 64600), frr(after, 64700))
        file = FileDiff(FRR, FRR, kind_of(FRR), (), Counting(found.after), found, found.after_text.encode())
        stage_file(file, found, CONTEXT, RefuseFile(refusals, name, f"{name}/{FRR}"))
    is_refused = refusals.any
    refusals.tell(bag)
    assert is_refused == bag.has_errors
    return [item.message for item in bag]


def test_number_that_goes_from_one_router_to_another_is_refused_once() -> None:
    assert refusals_of(("leaf-1", 65001, 65101), ("leaf-2", 65002, 65102)) == []
    assert refusals_of(("spine-1", 65001, 65101), ("spine-2", 65001, 65101)) == []
    (message,) = refusals_of(("leaf-1", 65001, 65002), ("leaf-2", 65002, 65003), ("leaf-3", 65003, 65004))
    assert message.startswith("leaf-1 and 1 more device: a router that takes the AS number of another one")
    assert message.endswith("here leaf-1 those of leaf-2 (65002)")


def test_speaker_of_bgpcpp_tells_its_old_number_as_its_peer_has_it() -> None:
    found = situation(BGPCPP, bgpcpp(65001, 65002), bgpcpp(65101, 65002))
    parts = split_changes(found, CONTEXT)
    assert [part.refused for part in parts] == ["", ""]
    expanded, contracted = (state_at(found, parts, stage) for stage in (RolloutStage.accept, RolloutStage.migrate))
    assert (expanded["local_as_4_byte"], expanded["peers"]["10.0.0.1"]["local_as_4_byte"]) == (65101, 65001)
    assert contracted == found.after


def test_number_of_a_peer_of_bgpcpp_is_refused_with_the_reason() -> None:
    parts = split_changes(situation(BGPCPP, bgpcpp(65001, 65002), bgpcpp(65001, 65102)), CONTEXT)
    (refused,) = [part for part in parts if part.refused]
    bag, refusals = Bag(), Refusals()
    RefuseFile(refusals, "leaf", BGPCPP).one_value(refused)
    refusals.tell(bag)
    (told,) = bag
    assert told.code == "FG-ROL-060"
    assert "BGP++ closes a session" in told.message
    assert told.hint.startswith("keep routing.asn, or change it while no job runs")
