"""FRR configurations as operators and other tools write them: lines of absence, of others, and of no mode."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.diff.tree_changes import TreeComparison
from fabricgen.platforms.families.vtysh.patch import find_untaken, list_commands, write
from fabricgen.platforms.families.vtysh.reader import REFUSED, read
from fabricgen.platforms.patching.steps import Situation
from fabricgen.platforms.reading.redaction import Redaction
from tests.unit.situations import between, compare_texts

LEAF = (Path(__file__).parent / "leaf.conf").read_text()
ROUTER, FAMILY, MAP, TOP = (
    " neighbor UPPER timers 3 9\n", "  network 10.0.0.1/32\n", " match ip address prefix-list OWN\n", "ip forwarding\n",
)  # fmt: skip


def plan(deployed: str, intended: str) -> tuple[TreeComparison, Situation]:
    return compare_texts(deployed, intended), between(deployed, intended)


def put(behind: str, line: str) -> str:
    """Return the leaf with one more line behind another one, as deep as that."""
    indent = behind[: len(behind) - len(behind.lstrip())]
    text = LEAF.replace(behind, f"{behind}{indent}{line}\n", 1)
    assert text != LEAF
    return text


@pytest.mark.parametrize(
    ("behind", "line"),
    [
        (TOP, "no ip nht resolve-via-default"),
        (TOP, "no debug memstats-at-exit"),
        (TOP, "no zebra nexthop kernel enable"),
        (ROUTER, "no neighbor UPPER shutdown"),
        (ROUTER, "no neighbor 10.1.0.0 password"),
        (ROUTER, "no neighbor 10.1.0.0 ebgp-multihop"),
        (ROUTER, "no bgp always-compare-med"),
        (ROUTER, "no bgp graceful-restart"),
        (ROUTER, "no timers bgp"),
        (FAMILY, "no neighbor UPPER next-hop-self"),
        (FAMILY, "no redistribute connected"),
        (FAMILY, "no network 10.9.0.0/16"),
        (MAP, "no set community"),
        (MAP, "no match metric"),
    ],
)
def test_a_line_that_says_not_is_no_difference_where_that_is_so_by_itself(behind: str, line: str) -> None:
    found, _ = plan(put(behind, line), LEAF)
    assert (found.changes, found.unmanaged, found.negated) == ([], [], [])


@pytest.mark.parametrize(
    "name", ["suppress-duplicates", "reject-as-sets", "fast-external-failover", "enforce-first-as"]
)
def test_a_setting_that_is_on_by_itself_is_left_off_and_named(name: str) -> None:
    found, situation = plan(put(ROUTER, f"no bgp {name}"), LEAF)
    assert (found.changes, found.negated) == ([], [("router bgp", f"bgp {name}")])
    assert list_commands(situation) == []


@pytest.mark.parametrize(
    ("behind", "line", "repair"),
    [
        (TOP, "no ip forwarding", "ip forwarding"),
        (ROUTER, "no bgp ebgp-requires-policy", " bgp ebgp-requires-policy"),
        (ROUTER, "no bgp network import-check", " bgp network import-check"),
        (FAMILY, "no neighbor UPPER send-community", "  neighbor UPPER send-community standard"),
    ],
)
def test_what_is_off_and_should_be_on_is_turned_on(behind: str, line: str, repair: str) -> None:
    text = put(behind, line)
    if behind == TOP:
        text = text.replace(TOP, "", 1)
    _, situation = plan(text, LEAF)
    assert repair in list_commands(situation)


def test_a_member_that_is_not_active_while_its_group_is_gets_active_again() -> None:
    text = LEAF.replace("  neighbor UPPER activate\n", "  neighbor UPPER activate\n  no neighbor 10.1.0.0 activate\n")
    _, situation = plan(text, LEAF)
    assert list_commands(situation)[-4:-2] == [" address-family ipv4 unicast", "  neighbor 10.1.0.0 activate"]
    assert "  no neighbor 10.1.0.0 activate" in list_commands(situation.reversed())
    spelled = LEAF.replace("UPPER activate\n", "UPPER activate\n  neighbor 10.1.0.0 activate\n")
    assert not plan(spelled, LEAF)[0].changes, "as its group has it"


@pytest.mark.parametrize(
    "text",
    [
        "interface eth0\n ip address 10.8.0.1/24\n ip address 10.9.0.1/24\nexit\n",
        "int eth0\n no shut\n",
        "router ospf\n ospf router-id 10.0.0.1\nexit\n",
        "router bgp 4200000001 vrf MGMT\n neighbor 10.9.0.1 remote-as 65001\nexit\n",
        "mpls ldp\n router-id 10.0.0.1\nexit\n",
        "ip nht resolve-via-default\n",
        "access-list 7 permit any\n",
        "log file /var/log/frr.log\n",
    ],
)
def test_sections_that_no_template_writes_are_the_operator_s(text: str) -> None:
    found, situation = plan(LEAF.replace("!\nend", f"!\n{text}end"), LEAF)
    assert found.changes == []
    assert len(found.unmanaged) == 1
    assert list_commands(situation) == []


@pytest.mark.parametrize(
    "line", ["ip nht resolve-via-default", "log file /var/log/frr.log", " ipv6 nht resolve-via-default"]
)
def test_a_line_of_the_top_ends_the_router_that_it_stands_in(line: str) -> None:
    """Lines after it are in no mode: they are named, no command is written for them, and what is missing is made."""
    deployed = LEAF.replace(" !\n address", f"{line}\n address")
    found, situation = plan(deployed, LEAF)
    assert list(read(deployed)[REFUSED]) == [
        "address-family ipv4 unicast", "network 10.0.0.1/32", "neighbor UPPER activate",
        "neighbor UPPER route-map OUT out", "maximum-paths 16",
    ]  # fmt: skip
    assert [change.steps for change in found.changes] == [("router bgp", "address-family ipv4 unicast"), (REFUSED,)]
    assert [change.disruption for change in found.changes][1] == "hitless"
    assert find_untaken(situation) == [(REFUSED, each) for each in read(deployed)[REFUSED]]
    made = [line.strip() for line in list_commands(situation)]
    assert made[0] == "router bgp 4200000001"
    assert not [line for line in made if line.startswith("no ")]
    assert "neighbor UPPER activate" in made


def test_a_line_that_no_release_has_is_named_and_not_taken_back() -> None:
    _, situation = plan(put(ROUTER, "bgp frobnicate 7"), LEAF)
    assert find_untaken(situation) == [("router bgp", "bgp frobnicate 7")]
    assert not [line for line in list_commands(situation) if "frobnicate" in line]


def test_a_setting_of_a_neighbour_that_frr_does_not_have_is_named() -> None:
    _, situation = plan(put(ROUTER, "neighbor UPPER frobnicate 7\n neighbor UPPER oad"), LEAF)
    assert find_untaken(situation) == [("router bgp", "neighbor UPPER", "frobnicate 7")]
    commands = {line.strip() for line in list_commands(situation)}
    assert "no neighbor UPPER oad" in commands
    assert not any("frobnicate" in line for line in commands)


def test_the_key_of_an_ldp_neighbour_is_named_to_take_it_back_and_hidden_in_it() -> None:
    """FRR's ldpd takes ``no neighbor A.B.C.D password WORD`` with the word alone."""
    ldp = LEAF.replace("!\nend", "!\nmpls ldp\n router-id 10.0.0.1\nexit\n!\nend")
    line = " neighbor 192.0.2.5 password hunter"
    _, situation = plan(ldp.replace(" router-id 10.0.0.1\nexit", f" router-id 10.0.0.1\n{line}\nexit"), ldp)
    (removal,) = (each for each in list_commands(situation) if "password" in each)
    assert removal.split() == ["no", *line.split()]
    shown = Redaction(situation.semantics.root).file(removal, "frr.conf.commands", lambda word, _: word.upper())
    assert shown == f" no{line.replace('hunter', 'VALUE')}"


def test_a_known_line_is_taken_back() -> None:
    _, situation = plan(put(ROUTER, "bgp always-compare-med"), LEAF)
    assert find_untaken(situation) == []
    assert " no bgp always-compare-med" in list_commands(situation)


@pytest.mark.parametrize("notation", ["dot", "dot+", "plain"])
def test_as_numbers_are_numbers_however_they_are_written(notation: str) -> None:
    dotted = LEAF.replace("4200000001", "64086.59905").replace("4200000000", "64086.59904")
    dotted = dotted.replace("router bgp 64086.59905", f"router bgp 64086.59905 as-notation {notation}")
    assert compare_texts(dotted, LEAF) == TreeComparison([], [], [], [])


def test_settings_of_ipv4_below_the_router_are_those_of_its_family() -> None:
    """FRR takes them there and shows them in the family."""
    family = LEAF[LEAF.index(" !\n address") : LEAF.index("exit\n!\nend")]
    lines = [line[1:] for line in family.splitlines() if line.startswith("  ")]
    assert not compare_texts(LEAF.replace(family, "\n".join(lines) + "\n"), LEAF).changes


@pytest.mark.parametrize("is_written", [True, False])
def test_a_section_that_is_left_open_is_a_cut_only_in_what_a_program_wrote(is_written: bool) -> None:
    from fabricgen.platforms.reading.reader import ReadFault

    text = LEAF[LEAF.index("ip prefix") : LEAF.index(" neighbor UPPER timers")]
    if not is_written:
        assert read(text)["router bgp"]
        return
    with pytest.raises(ReadFault, match="ends in the middle"):
        read("frr version 8.4.4\n" + text)


LDP = """\
mpls ldp
 router-id 10.0.0.1
 neighbor 10.0.0.2 password {key}
 address-family ipv4
  discovery transport-address 10.0.0.1
 exit-address-family
exit
"""
EVPN = """\
router bgp 4200000001
 address-family l2vpn evpn
  vni 100
   rd 10.0.0.1:{key}
  exit-vni
 exit-address-family
exit
"""


@pytest.mark.parametrize("text", [LDP, EVPN, "vrf RED\n neighbor 10.0.0.2 password {key}\nexit\n"])
def test_a_section_is_written_as_it_is_read(text: str) -> None:
    """Also one that no template writes: each line keeps its section and all of its words."""
    old, new = text.format(key=7), text.format(key=8)
    assert read(write(read(old))) == read(old)
    commands = list_commands(plan(old, new)[1])
    changed = next(line for line in new.splitlines() if line.endswith("8"))
    depth = len(changed) - len(changed.lstrip())
    assert commands[depth] == changed
    assert set(commands[:depth]) <= set(new.splitlines())


def test_what_is_set_of_a_neighbour_without_router_is_taken_back_line_by_line() -> None:
    gone = "".join(line for line in LDP.format(key=7).splitlines(keepends=True) if "neighbor" not in line)
    commands = list_commands(plan(LDP.format(key=7), gone)[1])
    assert commands == ["mpls ldp", " no neighbor 10.0.0.2 password 7", "exit"]


def test_a_router_that_loses_only_its_number_needs_no_command() -> None:
    _, situation = plan("router bgp 1\n bgp router-id 10.0.0.1\n", "router bgp\n bgp router-id 10.0.0.1\n")
    assert situation.changes
    assert list_commands(situation) == []
