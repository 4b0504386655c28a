"""CLI text of a target that hier_config knows: its plan, but nothing is turned off to be set again."""

from __future__ import annotations

from fabricgen.diff.tree_changes import compare_trees
from fabricgen.platforms.patching.hierarchy import list_commands, plan_patch
from fabricgen.platforms.patching.steps import Situation
from fabricgen.platforms.reading.semantics import PLAIN

BEFORE = """\
qos profile LEAF
   uc-tx-queue 3
      bandwidth percent 70
      random-detect ecn minimum-threshold 100 bytes maximum-threshold 200 bytes
interface Ethernet1/1
   mtu 9000
   description old
ip prefix-list X
   seq 10 permit 10.0.0.0/8
vlan 7
"""
AFTER = """\
qos profile LEAF
   uc-tx-queue 3
      bandwidth percent 70
      random-detect ecn minimum-threshold 150 bytes maximum-threshold 200 bytes
interface Ethernet1/1
   mtu 9100
   description new
ip prefix-list X
   seq 10 permit 10.1.0.0/16
"""
DATA = {"driver": "ARISTA_EOS", "apply": "copy flash:{file} running-config", "save": "write", "listed": ["seq "]}


def tree(ecn: str, mtu: str, description: str, prefix: str, vlan: bool) -> dict[str, object]:
    found: dict[str, object] = {
        "qos profile LEAF": {"uc-tx-queue 3": {"bandwidth percent": "70", "random-detect ecn": ecn}},
        "interface Ethernet1/1": {"mtu": mtu, "description": description},
        "ip prefix-list X": {"seq 10": prefix},
    }
    return {**found, "vlan 7": {}} if vlan else found


def situation() -> Situation:
    semantics = PLAIN._replace(data=DATA)
    before = tree("100 200", "9000", "old", "permit 10.0.0.0/8", True)
    after = tree("150 200", "9100", "new", "permit 10.1.0.0/16", False)
    changes = tuple(compare_trees(before, after, semantics).changes)
    return Situation("mnt/flash/startup-config", changes, before, after, BEFORE, AFTER, semantics)


def test_marking_is_never_off_in_between() -> None:
    lines = list_commands(situation())
    assert [line.strip() for line in lines if "random-detect" in line] == [
        "random-detect ecn minimum-threshold 150 bytes maximum-threshold 200 bytes"
    ]
    assert "   uc-tx-queue 3" in lines
    assert [line.strip() for line in lines if "mtu" in line or "description" in line] == ["mtu 9100", "description new"]


def test_lists_and_removals_keep_their_no() -> None:
    lines = [line.strip() for line in list_commands(situation())]
    assert lines.index("no seq 10 permit 10.0.0.0/8") < lines.index("seq 10 permit 10.1.0.0/16")
    assert "no vlan 7" in lines


def test_the_way_back_is_the_same_with_sides_exchanged() -> None:
    back = [line.strip() for line in list_commands(situation().reversed())]
    assert "random-detect ecn minimum-threshold 100 bytes maximum-threshold 200 bytes" in back
    assert "vlan 7" in back
    commands = [step.command for step in plan_patch(situation())]
    assert commands == ["copy flash:{file} running-config", "write"]


def test_the_mode_of_an_interface_is_left_where_the_target_says_how() -> None:
    found = situation()
    leaving = found._replace(semantics=found.semantics._replace(data={**DATA, "after_interface": "vrf instance MGMT"}))
    lines = list_commands(leaving)
    at = lines.index("interface Ethernet1/1")
    assert lines[at + 3] == "vrf instance MGMT"
    assert lines.count("vrf instance MGMT") == 1
    assert "vrf instance MGMT" not in list_commands(found)


def test_a_command_that_leaves_interfaces_may_stand_behind_each() -> None:
    """Rendered text repeats the command many times; the library rejects a section that comes twice."""
    found = situation()
    leaver = "vrf instance MGMT"
    texts = [text.replace("ip prefix-list", f"{leaver}\ninterface Ethernet1/2\n   mtu 9000\n{leaver}\nip prefix-list")
             for text in (BEFORE, AFTER)]  # fmt: skip
    semantics = found.semantics._replace(data={**DATA, "after_interface": leaver})
    twice = found._replace(semantics=semantics, before_text=texts[0], after_text=texts[1])
    assert list_commands(twice) == list_commands(found._replace(semantics=semantics))


def test_a_line_that_another_one_supersedes_is_not_removed_first() -> None:
    texts = ["ip routing\n", "ip routing wider\n"]
    trees: list[dict[str, object]] = [{"ip routing": "yes"}, {"ip routing": "yes", "ip routing wider": "yes"}]
    semantics = PLAIN._replace(data={**DATA, "superseded": {"ip routing": "ip routing wider"}})
    changes = tuple(compare_trees(*trees, semantics).changes)
    found = Situation("mnt/flash/startup-config", changes, trees[0], trees[1], *texts, semantics)
    assert list_commands(found) == ["ip routing wider"]
    assert list_commands(found.reversed()) == ["no ip routing wider", "ip routing"]


def test_a_setting_is_not_mistaken_for_one_whose_name_is_longer() -> None:
    texts = ["a 1\na1 2\n", "a 3\n"]
    trees: list[dict[str, object]] = [{"a": "1", "a1": "2"}, {"a": "3"}]
    semantics = PLAIN._replace(data=DATA)
    changes = tuple(compare_trees(*trees, semantics).changes)
    found = Situation("mnt/flash/startup-config", changes, trees[0], trees[1], *texts, semantics)
    assert list_commands(found) == ["no a1 2", "a 3"]
