"""startup-config to a tree: what a switch may change in the text is no difference, everything else is."""

from __future__ import annotations

import re

import pytest

from fabricgen.platforms.eos import PLATFORM, reader
from fabricgen.platforms.eos.reader import write
from fabricgen.platforms.reading.reader import Tree
from tests.unit.conformance_files import startup_configs

LEAF = "leaf-p1-u01-r0"


@pytest.fixture(scope="module")
def text() -> str:
    return startup_configs()[LEAF]


def test_the_order_of_sections_comments_and_ends_mean_nothing(text: str) -> None:
    blocks = [block for block in re.split(r"^!\n", text, flags=re.MULTILINE) if block.strip()]
    shuffled = "! device: leaf (DCS-7060X6-64PE, EOS-4.33.0F)\n" + "\n!\n".join(reversed(blocks)) + "\nend\n"
    assert reader.read(shuffled) == reader.read(text)


PORT = "interface Ethernet1/1"


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("mtu 9100\nmtu 9000", {"mtu": "9000"}),
        ("no ip routing vrf A", {"ip routing vrf A": "no"}),
        ("ip routing ipv6 interfaces", {"ip routing": "yes", "ip routing ipv6 interfaces": "yes"}),
        ("ipv6 route fd00::/64 Null0", {"ipv6 route fd00::/64 Null0": "yes"}),
        ("no lldp tlv transmit system-name", {"lldp tlv transmit system-name": "no"}),
        ("lldp timer 5\nno lldp timer\ndefault lldp run", {"lldp timer": "no"}),
        ("vlan 7\nvlan 7\n   name A\nvlan 7", {"vlan 7": {"name": "A"}}),
        (f"{PORT}\n   mtu 1\n   speed 2\n!\n{PORT}\n   mtu 3", {PORT: {"mtu": "3", "speed": "2"}}),
        (
            "banner login\nno ip routing\nvlan 7\nEOF\nhostname a",
            {"banner login": "no ip routing\nvlan 7", "hostname": "a"},
        ),
    ],
    ids=["last", "negated", "wide", "route", "tlv", "default", "section too", "entered again", "prose"],
)
def test_a_file_is_what_it_sets(text: str, tree: Tree) -> None:
    assert reader.read(f"{text}\n") == tree
    assert reader.read(write(tree)) == tree


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("qos map dscp 4 5 to traffic-class 7", "qos map dscp 5 to traffic-class 7\nqos map dscp 4 to traffic-class 7"),
        ("qos map traffic-class 3 to uc-tx-queue 3", "qos map traffic-class 3 to tx-queue 3"),
        ("neighbor A peer-group\nneighbor B peer-group A", "neighbor A peer group\nneighbor B peer group A"),
    ],
)  # fmt: skip
def test_other_words_and_groups_are_the_same_commands(one: str, two: str) -> None:
    assert reader.read(one) == reader.read(two)


@pytest.mark.parametrize(
    ("line", "path", "value"),
    [
        ("   router-id 10.0.0.1", "router-id", "10.0.0.1"),
        ("   neighbor 10.0.0.2 remote-as 65001", "neighbor 10.0.0.2 remote-as", "65001"),
        ("   neighbor UPPER peer group", "neighbor UPPER peer group", "yes"),
        ("   neighbor 10.0.0.2 peer group UPPER", "neighbor 10.0.0.2 peer group", "UPPER"),
        ("   neighbor UPPER route-map IN in", "neighbor UPPER route-map in", "IN"),
        ("   no neighbor UPPER bfd", "neighbor UPPER bfd", "no"),
        ("   no bgp default ipv4-unicast", "bgp default ipv4-unicast", "no"),
        (
            "   neighbor interface Ethernet1/1 peer-group UPPER remote-as 65001",
            "neighbor interface Ethernet1/1",
            "peer-group UPPER remote-as 65001",
        ),
        ("   maximum-paths 4 ecmp 4", "maximum-paths", "4 ecmp 4"),
    ],
)
def test_the_words_that_set_are_the_value(line: str, path: str, value: str) -> None:
    assert reader.read(f"router bgp 65000\n{line}\n") == {"router bgp": {"number": "65000", path: value}}


def test_every_address_of_a_port_is_kept() -> None:
    others = [f"ip address 10.{number}.0.0/31 secondary" for number in (64, 65)]
    tree = reader.read("\n   ".join(["interface Ethernet1/1", "ip address 10.0.0.0/31", *others]))
    assert tree["interface Ethernet1/1"] == {"ip address": "10.0.0.0/31", **dict.fromkeys(others, "yes")}
    assert reader.read(write(tree)) == tree


def test_a_neighbor_has_its_group_and_number_before_anything_else() -> None:
    lines = ["   router-id 10.255.0.1", "   neighbor UPPER peer group", "   neighbor UPPER bfd"]
    own = [
        "   neighbor 10.0.0.0 description spine",
        "   neighbor 10.0.0.0 peer group UPPER",
        "   neighbor 10.0.0.0 remote-as 1",
    ]
    written = write(reader.read("\n".join(["router bgp 65000", *lines, *own]))).splitlines()
    assert written == ["router bgp 65000", *lines[:2], *own[1:], lines[2], own[0], "end"]


def test_another_value_is_one_changed_path(text: str) -> None:
    changed = reader.read(text.replace("mtu 9100", "mtu 9000", 1))
    regular = reader.read(text)
    assert [key for key in regular if regular[key] != changed[key]] == ["interface Ethernet1/1"]
    assert changed["interface Ethernet1/1"]["mtu"] == "9000"


def test_a_file_tells_its_device(text: str) -> None:
    assert PLATFORM.format_of("").hostname(reader.read(text)) == LEAF


@pytest.mark.parametrize(
    ("lines", "keys"),
    [
        (
            ("ip address 10.0.0.1/31", "ip address virtual 10.1.0.1/24", "ip address virtual 10.2.0.1/24"),
            {"ip address", "ip address virtual 10.1.0.1/24", "ip address virtual 10.2.0.1/24"},
        ),
        (
            ("error-correction encoding fire-code", "error-correction encoding reed-solomon"),
            {"error-correction encoding fire-code", "error-correction encoding"},
        ),
        (("neighbor A bfd", "neighbor A bfd interval 300"), {"neighbor A bfd", "neighbor A bfd interval"}),
        (
            ("redistribute ospf include leaked", "redistribute ospf match internal"),
            {"redistribute ospf include leaked", "redistribute ospf"},
        ),
        (("match tag 1", "match tag 2"), {"match tag 1", "match tag"}),
    ],
)
def test_what_may_be_there_twice_is_a_path_each(lines: tuple[str, ...], keys: set[str]) -> None:
    text = "interface Ethernet1/1\n" + "".join(f"   {line}\n" for line in lines)
    assert set(reader.read(text)["interface Ethernet1/1"]) == keys
