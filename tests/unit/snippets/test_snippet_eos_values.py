"""Numbers that EOS does not take and ports that the box does not have, each at its line and column."""

from __future__ import annotations

import pytest

from fabricgen.platforms.commands.snippets import Fault, Kind, Laid
from fabricgen.platforms.eos.snippet import judge_snippet
from tests.unit.snippets.test_snippet_files import EXPECTED, NOTHING

BOX = (EXPECTED / "conformance-eos/config/switches/leaf-p1-u01-r0/mnt/flash/startup-config").read_text()


def faults(text: str) -> list[Fault]:
    return [item for item in judge_snippet(Laid(text, BOX, BOX + text, "", "", {}, NOTHING)) if isinstance(item, Fault)]


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("interface Ethernet1/1\n   mtu 99999\n", 8),
        ("interface Ethernet1/1\n   l2 mtu 12\n", 11),
        ("interface Ethernet1/1\n   switchport access vlan 5000\n", 27),
        ("qos map dscp 64 to traffic-class 3\n", 14),
        ("qos map dscp 26 to traffic-class 9\n", 34),
        ("mac address-table aging-time 2000000\n", 30),
        ("router bgp 4200000001\n   timers bgp 70000 90000\n", 15),
        ("router bfd\n   interval 300 min-rx 300 multiplier 99 default\n", 39),
    ],
)
def test_number_out_of_range_is_an_error_at_the_number(text: str, column: int) -> None:
    found = [item for item in faults(text) if item.kind is Kind.VALUE]
    assert [(item.line, item.column) for item in found] == [(len(text.splitlines()), column)]
    assert " from " in found[0].hint


@pytest.mark.parametrize(
    ("text", "column", "hint"),
    [
        ("interface Ethernet99/1\n", 11, "use a port from 1 to "),
        ("interface Et99/1\n", 11, "use a port from 1 to "),
        ("interface Ethernet 99/1\n", 20, "use a port from 1 to "),
        ("interface Ethernet1/1-99/1\n", 11, "use a port from 1 to "),
        ("interface Ethernet1/1,99/1\n", 11, "use a port from 1 to "),
        ("interface Ethernet1/9\n", 11, "use a port from 1/1 to 1/8"),
        ("interface Ethernet1\n", 11, "write Ethernet1/1"),
        ("monitor session one source Ethernet99/1\n", 28, "use a port from 1 to "),
    ],
)
def test_port_that_the_box_lacks_is_an_error_at_the_port(text: str, column: int, hint: str) -> None:
    found = [item for item in faults(text) if "has no port" in item.message]
    assert [(item.kind, item.line, item.column) for item in found] == [(Kind.REFERENCE, 1, column)]
    assert found[0].hint.startswith(hint)


@pytest.mark.parametrize(
    "text",
    [
        "interface Ethernet1/1\n   mtu 9000\n   description Ethernet99/1, mtu 99999\n",
        "interface Ethernet1/1-8\n   shutdown\n",
        "interface Ethernet2/5.100\n   encapsulation dot1q vlan 100\n",
        "interface Management1\n   mtu 1500\n",
        "mac address-table aging-time 600\n",
    ],
)
def test_valid_numbers_and_ports_are_not_refused(text: str) -> None:
    assert [item.message for item in faults(text) if item.kind in (Kind.VALUE, Kind.REFERENCE)] == []


def test_rendered_file_is_not_refused_on_its_own_box() -> None:
    assert [item.message for item in faults(BOX)] == []
