"""An address beside another one, on a port that has one place for its address."""

from __future__ import annotations

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.diff.kinds import load_kinds
from fabricgen.diff.tree_changes import compare_trees
from fabricgen.platforms.patching.hierarchy import list_commands
from fabricgen.platforms.patching.steps import Situation, apply_changes
from fabricgen.rollout.phasing.atoms import Context
from fabricgen.rollout.phasing.beside import keep_beside
from fabricgen.rollout.phasing.directions import Lossless
from fabricgen.rollout.phasing.kinds import Stage

PATH = "mnt/flash/startup-config"
CONTEXT = Context(Lossless(frozenset(), frozenset()), is_host=False)
KIND = load_kinds(None, Bag()).of_device("switches", [PATH])[PATH]
OLD, NEW, OTHER = "10.0.0.0/31", "10.64.0.0/31", "10.0.0.2/31"
TAKEN = "the new address is of a subnet that a port of the switch still has"


def config(*lines: str, port: str = "Ethernet1/1") -> str:
    """A port with some lines."""
    return "".join(f"{line}\n" for line in (f"interface {port}", *(f"   {line}" for line in lines)))


def situation(before: str, after: str) -> Situation:
    """A change of a configuration."""
    trees = KIND.read(before), KIND.read(after)
    changes = compare_trees(*trees, KIND.semantics).changes
    return Situation(PATH, changes, *trees, before, after, KIND.semantics)


def state(change: Situation, port: str, stage: int) -> dict[str, object]:
    """The port once a stage is done."""
    parts = [part for parts in keep_beside(change, CONTEXT).values() for part in parts]
    values = [part.change._replace(after=part.build(lambda atom: (atom.stage or 0) <= stage)) for part in parts]
    found: dict[str, object] = apply_changes(change.before, values)[f"interface {port}"]
    return found


@pytest.mark.parametrize("port", ["Ethernet1/1", "Loopback0", "Vlan10"])
def test_new_address_is_the_second_one_until_the_old_one_goes(port: str) -> None:
    change = situation(config(f"ip address {OLD}", port=port), config(f"ip address {NEW}", port=port))
    both = {"ip address": OLD, f"ip address {NEW} secondary": "yes"}
    assert [state(change, port, stage) for stage in (0, Stage.accept, Stage.migrate, Stage.drop)] == [
        {"ip address": OLD}, both, both, {"ip address": NEW}
    ]  # fmt: skip


def test_address_that_only_comes_or_goes_is_no_second_one() -> None:
    one, none = config("mtu 9000", f"ip address {OLD}"), config("mtu 9000")
    assert keep_beside(situation(one, none), CONTEXT) == {}
    assert keep_beside(situation(none, one), CONTEXT) == {}


@pytest.mark.parametrize(
    ("held", "new", "words"),
    [
        pytest.param(OTHER, "10.0.0.3/31", TAKEN, id="moved between ports"),
        pytest.param("10.64.0.0/24", NEW, TAKEN, id="inside a wider one"),
        pytest.param(OTHER, "10.0.0.1/30", TAKEN, id="own subnet, wider"),
        pytest.param(OTHER, "10.0.0.1/31", TAKEN, id="own subnet"),
        pytest.param(OTHER, "dhcp", "the new value is no address with its prefix length", id="no address"),
        pytest.param(OTHER, NEW, "", id="free"),
    ],
)
def test_subnets_that_a_switch_has_on_a_port_are_not_given_to_another_one(held: str, new: str, words: str) -> None:
    rest = config(f"ip address {held}", port="Ethernet1/5")
    change = situation(config(f"ip address {OLD}") + rest, config(f"ip address {new}") + rest)
    parts = keep_beside(change, CONTEXT)["interface Ethernet1/1", "ip address"]
    assert [part.refused for part in parts] == ["address" if words else "", ""]
    assert parts[0].reason == words


def test_commands_take_the_second_address_away_before_it_becomes_the_first() -> None:
    texts = [
        config(f"ip address {OLD}"),
        config(f"ip address {OLD}", f"ip address {NEW} secondary"),
        config(f"ip address {NEW}"),
    ]
    expand, contract = (situation(*pair) for pair in (texts[:2], texts[1:]))
    shown = [[line.strip() for line in list_commands(each)] for each in (expand, contract)]
    assert shown[0] == ["interface Ethernet1/1", f"ip address {NEW} secondary", "vrf instance MGMT"]
    assert shown[1] == [
        "interface Ethernet1/1", f"no ip address {NEW} secondary", f"ip address {NEW}", "vrf instance MGMT"
    ]  # fmt: skip
    undone = [[line.strip() for line in list_commands(each.reversed())] for each in (expand, contract)]
    assert undone[0] == ["interface Ethernet1/1", f"no ip address {NEW} secondary", "vrf instance MGMT"]
    assert undone[1] == [
        "interface Ethernet1/1", f"ip address {OLD}", f"ip address {NEW} secondary", "vrf instance MGMT"
    ]  # fmt: skip
