"""An address beside another one, on a port that has one place for its address."""

from __future__ import annotations

from functools import partial

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.diff.kinds import load_kinds
from fabricgen.diff.tree_changes import compare_trees
from fabricgen.platforms.patching.hierarchy import list_commands
from fabricgen.platforms.patching.steps import Situation, apply_changes
from fabricgen.rollout.phasing.atoms import Atom, Context
from fabricgen.rollout.phasing.kinds import RolloutStage
from fabricgen.rollout.phasing.parts import split_changes
from fabricgen.rollout.phasing.second_addresses import keep_both

PATH = "mnt/flash/startup-config"
CONTEXT = Context(is_host=False)
KIND = load_kinds(None, Bag()).of_device("switches", [PATH])[PATH]
OLD, NEW, OTHER = "10.0.0.0/31", "10.64.0.0/31", "10.0.0.2/31"
THIRD = "10.9.0.0/31"
OLD6, NEW6 = "2001:db8::/127", "2001:db8:1::/127"
TAKEN = "the new address is of a subnet that a port of the switch still has"
OWN = "the new address is of the subnet of {}, which its port still has"


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
    parts = [part for parts in keep_both(change, CONTEXT).values() for part in parts]
    values = [part.change._replace(after=part.build(lambda atom: (atom.stage or 0) <= stage)) for part in parts]
    found: dict[str, object] = apply_changes(change.before, values)[f"interface {port}"]
    return found


@pytest.mark.parametrize("port", ["Ethernet1/1", "Loopback0", "Vlan10"])
def test_new_address_is_the_second_one_until_the_old_one_goes(port: str) -> None:
    change = situation(config(f"ip address {OLD}", port=port), config(f"ip address {NEW}", port=port))
    both = {"ip address": OLD, f"ip address {NEW} secondary": "yes"}
    assert [state(change, port, at) for at in (0, RolloutStage.accept, RolloutStage.migrate, RolloutStage.drop)] == [
        {"ip address": OLD}, both, both, {"ip address": NEW}
    ]  # fmt: skip


def test_address_that_only_comes_or_goes_is_no_second_one() -> None:
    one, none = config("mtu 9000", f"ip address {OLD}"), config("mtu 9000")
    assert keep_both(situation(one, none), CONTEXT) == {}
    assert keep_both(situation(none, one), CONTEXT) == {}


@pytest.mark.parametrize(
    ("held", "new", "words"),
    [
        pytest.param(OTHER, "10.0.0.3/31", TAKEN, id="moved between ports"),
        pytest.param("10.64.0.0/24", NEW, TAKEN, id="inside a wider one"),
        pytest.param(OTHER, "10.0.0.1/30", TAKEN, id="own subnet, wider"),
        pytest.param(OTHER, "10.0.0.1/31", OWN.format(OLD), id="own subnet"),
        pytest.param(OTHER, "dhcp", "the new value is no address with its prefix length", id="no address"),
        pytest.param(OTHER, NEW, "", id="free"),
    ],
)
def test_subnets_that_a_switch_has_on_a_port_are_not_given_to_another_one(held: str, new: str, words: str) -> None:
    rest = config(f"ip address {held}", port="Ethernet1/5")
    change = situation(config(f"ip address {OLD}") + rest, config(f"ip address {new}") + rest)
    parts = keep_both(change, CONTEXT)["interface Ethernet1/1", "ip address"]
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
    assert shown[0] == ["interface Ethernet1/1", f"ip address {NEW} secondary", "exit"]
    assert shown[1] == [
        "interface Ethernet1/1", f"no ip address {NEW} secondary", f"ip address {NEW}", "exit"
    ]  # fmt: skip
    undone = [[line.strip() for line in list_commands(each.reversed())] for each in (expand, contract)]
    assert undone[0] == ["interface Ethernet1/1", f"no ip address {NEW} secondary", "exit"]
    assert undone[1] == [
        "interface Ethernet1/1", f"ip address {OLD}", f"ip address {NEW} secondary", "exit"
    ]  # fmt: skip


def is_done(stage: int, atom: Atom) -> bool:
    """Return whether an atom is carried out once a stage is."""
    return (atom.stage or 0) <= stage


def states(change: Situation) -> list[dict[str, dict[str, str]]]:
    """The configuration before the first stage, once new things are accepted, and once old ones are dropped."""
    found = []
    for done in (0, RolloutStage.accept, RolloutStage.drop):
        parts = split_changes(change, CONTEXT)
        values = [part.change._replace(after=part.build(partial(is_done, done))) for part in parts]
        found.append(apply_changes(change.before, values))
    return found


def reasons(change: Situation) -> list[str]:
    """Reasons for which parts of a change are refused."""
    return [part.reason for part in split_changes(change, CONTEXT) if part.refused]


def first(address: str) -> str:
    """The line of a first address."""
    return f"ip address {address}"


def second(address: str) -> str:
    """The line of a second address."""
    return f"ip address {address} secondary"


@pytest.mark.parametrize(
    ("deployed", "between"),
    [
        pytest.param([first(OLD), second(NEW)], {second(NEW): "yes"}, id="the new one already"),
        pytest.param([first(OLD), second(THIRD)], {second(NEW): "yes", second(THIRD): "yes"}, id="a foreign one"),
        pytest.param([first(OLD), second(THIRD), second(NEW)], {second(NEW): "yes", second(THIRD): "yes"}, id="both"),
    ],
)
def test_second_addresses_that_are_there_stay_until_the_old_one_goes(
    deployed: list[str], between: dict[str, str]
) -> None:
    change = situation(config(*deployed), config(first(NEW)))
    assert reasons(change) == []
    here = KIND.read(config(*deployed))
    both = {"interface Ethernet1/1": {"ip address": OLD, **between}}
    assert states(change) == [here, both, {"interface Ethernet1/1": {"ip address": NEW}}]


@pytest.mark.parametrize(
    ("deployed", "intended", "words"),
    [
        pytest.param([second("10.64.0.1/31")], [first(NEW)], OWN.format("10.64.0.1/31"), id="other end of its subnet"),
        pytest.param([second("10.64.0.0/24")], [first(NEW)], OWN.format("10.64.0.0/24"), id="same address, wider"),
        pytest.param([], [first(NEW), second("10.0.0.1/31")], OWN.format(OLD), id="second one of the old subnet"),
    ],
)
def test_second_address_of_the_same_subnet_is_refused(deployed: list[str], intended: list[str], words: str) -> None:
    change = situation(config(first(OLD), *deployed), config(*intended))
    assert reasons(change) == [words]


def test_second_address_of_another_port_has_its_subnet() -> None:
    rest = [config(first(THIRD), *lines, port="Ethernet1/5") for lines in ([second(NEW)], [])]
    assert reasons(situation(config(first(OLD)) + rest[0], config(first(NEW)) + rest[1])) == [TAKEN]


def test_wide_subnet_is_seen_behind_narrow_ones() -> None:
    rest = config(first("10.64.0.0/16"), second("10.64.1.0/31"), port="Ethernet1/5")
    assert reasons(situation(config(first(OLD)) + rest, config(first("10.64.2.0/31")) + rest)) == [TAKEN]


def test_first_and_second_address_change_places_at_once() -> None:
    change = situation(config(first(OLD), second(NEW)), config(first(NEW), second(OLD)))
    assert reasons(change) == []
    assert states(change) == [change.before, change.before, change.after]
    lines = [line.strip() for line in list_commands(change)]
    assert lines[1:4] == [f"no {second(NEW)}", first(NEW), second(OLD)]


@pytest.mark.parametrize("line", [first(OLD), f"ipv6 address {OLD6}"])
def test_address_that_moves_to_an_empty_port_goes_there_at_once(line: str) -> None:
    ports = "Ethernet1/1", "Ethernet1/5"
    texts = ["".join(config("mtu 9000", *[line] * (port == holder), port=port) for port in ports) for holder in ports]
    change = situation(*texts)
    assert reasons(change) == []
    assert ["ip" in str(state["interface Ethernet1/5"]) for state in states(change)] == [False, False, True]


@pytest.mark.parametrize(
    ("held", "new", "words"),
    [
        pytest.param("2001:db8:9::/127", NEW6, [], id="free"),
        pytest.param("2001:db8:9::/127", "2001:db8::1/127", [OWN.format(OLD6)], id="own subnet"),
        pytest.param(NEW6, NEW6, [TAKEN], id="of another port that goes on"),
        pytest.param("2001:db8:1::1/127", NEW6, [TAKEN], id="subnet of another port"),
        pytest.param("10.64.0.0/31", "::a40:0/127", [], id="number of an IPv4 address"),
    ],
)
def test_ipv6_addresses_stand_beside_each_other_unless_of_one_subnet(held: str, new: str, words: list[str]) -> None:
    rest = config(f"ip{'v6' if ':' in held else ''} address {held}", port="Ethernet1/5")
    change = situation(config(f"ipv6 address {OLD6}") + rest, config(f"ipv6 address {new}") + rest)
    assert reasons(change) == words
    if not words:
        both = {f"ipv6 address {OLD6}": "yes", f"ipv6 address {new}": "yes"}
        assert states(change)[1]["interface Ethernet1/1"] == both


def test_ipv6_addresses_that_ports_exchange_are_refused() -> None:
    one, other = ([f"ipv6 address {address}"] for address in (OLD6, NEW6))
    before, after = (config(*near) + config(*far, port="Ethernet1/5") for near, far in ((one, other), (other, one)))
    assert reasons(situation(before, after)) == [TAKEN, TAKEN]
