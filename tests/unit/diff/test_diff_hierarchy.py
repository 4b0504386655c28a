"""CLI text of a target that hier_config knows: its plan, but nothing is turned off to be set again."""

from __future__ import annotations

from fabricgen.diff.tree_changes import compare_trees
from fabricgen.platforms.eos import PLATFORM
from fabricgen.platforms.eos import reader as eos
from fabricgen.platforms.patching.hierarchy import list_commands, plan_patch
from fabricgen.platforms.patching.steps import ABSENT, Change, Situation
from fabricgen.platforms.reading.reader import Tree
from fabricgen.platforms.reading.semantics import PLAIN, Semantics

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
EOS = PLAIN._replace(format=PLATFORM.format_of(""), absence="no", data=DATA)


def between(before: str, after: str, *trees: Tree, semantics: Semantics = EOS) -> Situation:
    """The situation between two texts, which are read unless their trees are given."""
    both = trees or (eos.read(before), eos.read(after))
    changes = tuple(compare_trees(both[0], both[1], semantics).changes)
    return Situation("mnt/flash/startup-config", changes, both[0], both[1], before, after, semantics)


def situation() -> Situation:
    return between(BEFORE, AFTER)


def test_marking_is_never_off_in_between() -> None:
    lines = list_commands(situation())
    marking = "random-detect ecn minimum-threshold 150 bytes maximum-threshold 200 bytes"
    assert [line.strip() for line in lines if "random-detect" in line] == [marking]
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
    created = found._replace(semantics=found.semantics._replace(data={**DATA, "after_interface": "vrf instance MGMT"}))
    assert "vrf instance MGMT" not in list_commands(created)
    leaving = created._replace(after={**created.after, "vrf instance MGMT": {}})
    lines = list_commands(leaving)
    assert [line.replace("exit", "vrf instance MGMT") for line in list_commands(created)] == lines
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
    texts = ["ip routing\n", "ip routing ipv6 interfaces\n"]
    trees: list[dict[str, object]] = [{"ip routing": "yes"}, {"ip routing": "yes", "ip routing ipv6 interfaces": "yes"}]
    semantics = EOS._replace(data={**DATA, "superseded": {"ip routing": "ip routing ipv6 interfaces"}})
    found = between(*texts, *trees, semantics=semantics)
    assert list_commands(found) == ["ip routing ipv6 interfaces"]
    assert list_commands(found.reversed()) == ["no ip routing ipv6 interfaces", "ip routing"]


def test_a_setting_is_not_mistaken_for_one_whose_name_is_longer() -> None:
    texts = ["a 1\na1 2\n", "a 3\n"]
    trees: list[dict[str, object]] = [{"a": "1", "a1": "2"}, {"a": "3"}]
    assert list_commands(between(*texts, *trees)) == ["no a1 2", "a 3"]


def commands(before: str, after: str) -> list[str]:
    return list_commands(between(before, after))


def test_a_line_of_absence_is_never_answered_by_its_opposite() -> None:
    port = "interface Ethernet1\n   mtu 9000\n"
    made = commands(f"no ip routing vrf A\n{port}   no shutdown\n", port.replace("9000", "9100"))
    assert made == ["interface Ethernet1", "   mtu 9100"]


def test_a_line_of_absence_that_has_to_go_is_taken_to_the_default() -> None:
    trees: list[dict[str, object]] = [{"lldp run": "no", "router bgp": {"bgp x": "no"}}, {"router bgp": {"a": "yes"}}]
    root = PLAIN.root
    changes = (
        Change(("lldp run",), "no", ABSENT, root),
        Change(("router bgp", "a"), ABSENT, "yes", root),
        Change(("router bgp", "bgp x"), "no", ABSENT, root),
    )
    there = Situation("mnt/flash/startup-config", changes, trees[0], trees[1], "", "", EOS)
    assert list_commands(there) == ["default lldp run", "router bgp", "   default bgp x", "   a"]
    assert list_commands(there.reversed()) == ["no lldp run", "router bgp", "   no a", "   no bgp x"]


def test_a_text_is_removed_by_its_command() -> None:
    banner = "banner login\nvlan 7\nEOF\n"
    assert commands(f"hostname a\n{banner}", "hostname a\n") == ["no banner login"]
    assert commands("hostname a\n", f"hostname a\n{banner}") == ["banner login\nvlan 7\nEOF"]
