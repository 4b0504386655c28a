"""EOS as switches and operators write it, against a rendered leaf: nothing false, nothing harmful, nothing refused."""

from __future__ import annotations

import re

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.diff.device import DeviceDiff
from fabricgen.platforms.eos.reader import read
from fabricgen.rollout.two_ends import changes_contract
from tests.unit import deployed_leaf
from tests.unit.deployed_leaf import GOLDEN, list_lines
from tests.unit.situations import EOS_PATH, KINDS

LEAF = deployed_leaf.golden_leaf("conformance-eos", EOS_PATH)
PORT, LOOPBACK, GROUP = "interface Ethernet1/1\n", "interface Loopback0\n", "router bgp 4200000001\n"
OPERATORS = """\
daemon TerminAttr
   exec /usr/bin/TerminAttr -cvaddr=192.0.2.1:9910
   no shutdown
!
load-interval default 5
alias sib show ip bgp summary
banner login
no ip routing
EOF
vlan internal order ascending range 1006 1199
management api http-commands
   no shutdown
"""


def compare(deployed: str, bag: Bag, *, unmanaged: bool = False) -> DeviceDiff:
    return deployed_leaf.compare(EOS_PATH, LEAF, deployed, bag, unmanaged=unmanaged)


def put(below: str, *lines: str, text: str = LEAF) -> str:
    assert below in text
    return text.replace(below, below + "".join(f"   {line}\n" for line in lines), 1)


def test_every_top_level_line_that_is_rendered_is_managed() -> None:
    kind = KINDS.of_device("switches", [EOS_PATH])[EOS_PATH]
    seen = {
        key
        for file in GOLDEN.glob(f"*/config/switches/*/{EOS_PATH}")
        for key in kind.read(file.read_text(errors="replace"))
    }
    assert seen
    assert [key for key in sorted(seen) if not kind.semantics.manages(key)] == []


@pytest.mark.parametrize(
    "deployed",
    [
        put(LOOPBACK, "no shutdown"),
        f"{LEAF}no ip routing vrf MGMT\n",
        put(PORT, "no dcbx mode", "lldp transmit", "default load-interval", "ip attached-routes"),
        f"{LEAF}interface Ethernet64/1\n   no shutdown\n   no switchport port-security\n",
        f"{LEAF}no aaa root\nno enable password\nlldp run\n",
    ],
)
def test_what_a_switch_does_anyway_is_no_difference(deployed: str) -> None:
    diff = compare(deployed, Bag())
    assert list(diff.changes) == []
    assert not any(part.negated for file in diff.files for part in file.parts)


def test_what_is_turned_off_against_its_default_is_taken_back_to_it() -> None:
    bag = Bag()
    diff = compare(put(PORT, "no lldp transmit") + "no logging console\n", bag)
    assert {change.disruption for _, change in diff.changes} == {"hitless"}
    commands = list_lines(diff, bag)
    assert {"default lldp transmit", "default logging console"} <= {*commands}
    assert not {"lldp transmit", "logging console"} & {*commands}


def test_the_switch_that_turns_pfc_off_everywhere_is_a_difference_of_pfc() -> None:
    """Source: aristanetworks/avd, eos_cli_config_gen, priority_flow_control.all_off."""
    bag = Bag()
    diff = compare(f"{LEAF}priority-flow-control all off\n", bag)
    assert [(change.meaning.get("ends"), change.disruption) for _, change in diff.changes] == [("pfc", "drain")]
    assert changes_contract(diff), "no priority is lossless meanwhile"
    assert "no priority-flow-control all off" in list_lines(diff, bag)


@pytest.mark.parametrize(
    ("line", "disruption"),
    [
        ("no snmp trap link-change", "hitless"),
        ("flowcontrol receive on", "port flap"),
        ("phy media 100gbase-cr4 negotiation standard ieee", "port flap"),
        ("qos cos 5", "drain"),
    ],
)
def test_what_a_line_of_a_port_disturbs_is_its_own(line: str, disruption: str) -> None:
    """Of what no rule names it is not known whether it takes traffic."""
    diff = compare(put(PORT, line), Bag())
    assert {change.disruption for _, change in diff.changes} == {disruption}


@pytest.mark.parametrize(
    ("below", "line"),
    [
        (PORT, "sflow enable"),
        (PORT, "spanning-tree vlan-id 7"),
        (LOOPBACK, "isis hello padding"),
        ("", "username admin"),
    ],
)
def test_what_is_negated_without_known_default_is_never_a_command(below: str, line: str) -> None:
    bag = Bag()
    diff = compare(put(below, f"no {line}") if below else f"{LEAF}no {line}\n", bag)
    assert list_lines(diff, bag) == []
    assert [steps[-1] for file in diff.files for part in file.parts for steps in part.negated] == [line]


def test_what_operators_run_is_left_alone_until_it_is_asked_for() -> None:
    bag = Bag()
    diff = compare(f"{OPERATORS}{LEAF}", bag)
    assert list(diff.changes) == []
    assert list_lines(diff, bag) == []
    assert sum(len(part.unmanaged) for file in diff.files for part in file.parts) == 6
    asked = compare(f"{OPERATORS}{LEAF}", bag, unmanaged=True)
    assert {change.disruption for _, change in asked.changes} == {"hitless"}
    assert len(list_lines(asked, bag)) == 6
    assert all(line.startswith("no ") for line in list_lines(asked, bag))


def test_a_second_next_hop_is_one_difference() -> None:
    bag = Bag()
    route = "ip route vrf MGMT 0.0.0.0/0 192.168.0.1"
    diff = compare(LEAF.replace(route, f"{route}\n{route[:-1]}2 200", 1), bag)
    assert [change.steps for _, change in diff.changes] == [(f"{route[:-1]}2 200",)]
    assert len(list_lines(diff, bag)) == 1
    assert not list(bag)


def in_dots(number: str) -> str:
    return f"{int(number) >> 16}.{int(number) & 0xFFFF}"


def test_as_numbers_in_dots_are_the_same_numbers() -> None:
    dotted = re.sub(r"\b42000000\d\d\b", lambda found: in_dots(found[0]), LEAF)
    dotted = put(f"router bgp {in_dots('4200000002')}\n", "bgp asn notation asdot", text=dotted)
    bag = Bag()
    assert list(compare(dotted, bag).changes) == []
    one = f"neighbor 10.0.0.20 remote-as {in_dots('4200000001')}"
    commands = list_lines(compare(dotted.replace(one, "neighbor 10.0.0.20 remote-as 1.7"), bag), bag)
    assert "neighbor 10.0.0.20 remote-as 4200000001" in commands
    assert "65543" not in " ".join(commands)


@pytest.mark.parametrize(
    ("line", "tree"),
    [
        ("set community 64086.59904:1", {"set community": "4200000000:1"}),
        ("10 match as-range 1.0-1.5 result accept", {"10 match as-range 65536-65541 result accept": "yes"}),
        ("rd 10.255.0.1:7", {"rd 10.255.0.1:7": "yes"}),
        ("neighbor interface Ethernet1/1.7 peer-group UP", {"neighbor interface Ethernet1/1.7": "peer-group UP"}),
        ("neighbor 10.1.0.0 description 1.5 m", {"neighbor 10.1.0.0 description": "1.5 m"}),
    ],
)
def test_numbers_in_dots_are_as_numbers_only_where_these_stand(line: str, tree: dict[str, str]) -> None:
    assert read(line) == tree


def test_a_queue_has_one_name_on_every_board_and_is_written_by_that_of_its_file() -> None:
    bag, sand = Bag(), LEAF.replace("uc-tx-queue", "tx-queue")
    assert sand != LEAF
    assert list(compare(sand, bag).changes) == []
    share = next(line for line in LEAF.splitlines() if "bandwidth percent" in line)
    planted = compare(LEAF.replace(share, "      bandwidth percent 1"), bag)
    assert any(line.startswith("uc-tx-queue ") for line in list_lines(planted, bag))
    foreign = compare(put("qos profile ROCE-400G\n", "tx-queue 5", "   shape rate 1 gbps"), bag)
    assert "no tx-queue 5" in list_lines(foreign, bag)
