"""Access to the switch: SSH from management and nowhere else, services from named prefixes."""

from __future__ import annotations

import re

import pytest

from fabricgen.platforms.patching.hierarchy import list_commands
from fabricgen.platforms.patching.steps import PatchFault
from tests.unit.conformance_files import startup_configs
from tests.unit.situations import EOS_PATH, between

LEAF = "leaf-p1-u01-r0"
ACL, MANAGEMENT = ("operations", "access", "acl"), ("operations", "access", "management")
GNMI = ("operations", "gnmi")
GROUP = "access-group|snmp-server ipv[46] access-list"


def section(text: str, command: str) -> str:
    found = re.search(rf"(?m)^{command}\n(?: {{3}}.*\n)*", text)
    assert found is not None, command
    return found[0]


def patch(before: str, after: str) -> list[str]:
    return list_commands(between(before, after, EOS_PATH))


def test_a_line_alone_and_with_lines_below_it_is_no_crash() -> None:
    line = "   neighbor 10.0.0.1 description spine"
    with pytest.raises(PatchFault, match="alone and with lines below it"):
        patch(f"router bgp 1\n{line}\n{line}\n      shutdown\n", f"router bgp 1\n{line}\n")


def test_each_family_has_a_list_of_the_prefixes_of_management() -> None:
    for text in startup_configs({MANAGEMENT: ["192.168.0.0/16", "10.9.0.0/24", "2001:db8::/48"]}).values():
        assert section(text, "ip access-list standard MANAGEMENT").splitlines()[1:] == [
            "   10 permit 10.9.0.0/24",
            "   20 permit 192.168.0.0/16",
            "   30 deny any",
        ]
        assert section(text, "ipv6 access-list standard MANAGEMENT6").splitlines()[1:] == [
            "   10 permit 2001:db8::/48",
            "   20 deny any",
        ]


def test_no_gnmi_unless_asked() -> None:
    for text in startup_configs(without=(GNMI, ("exceptions",), ("expect",))).values():
        assert not re.search("gnmi|ssl profile|management security", text)
        assert "ip access-group MANAGEMENT vrf MGMT in" in text, "SSH is guarded all the same"


def test_nothing_is_guarded_where_the_intent_turns_it_off() -> None:
    for text in startup_configs({ACL: False}).values():
        assert not re.search(f"{GROUP}|access-list standard", text)
        assert "\n   shutdown\n   !\n   vrf MGMT\n      no shutdown\n" in section(text, "management ssh"), (
            "SSH has one VRF"
        )


def test_another_prefix_takes_its_rules_place_before_the_list_ends() -> None:
    """Rules are removed by number, as the manual has it, and before others take their numbers."""
    old = startup_configs({MANAGEMENT: ["10.9.0.0/24"]})[LEAF]
    new = startup_configs({MANAGEMENT: ["10.9.0.0/24", "10.8.0.0/24"]})[LEAF]
    assert patch(old, new) == [
        "ip access-list standard MANAGEMENT",
        "   no 10",
        "   no 20",
        "   10 permit 10.8.0.0/24",
        "   20 permit 10.9.0.0/24",
        "   30 deny any",
    ]


def test_a_guard_that_is_new_exists_before_it_is_named() -> None:
    """A list that SSH names before it is there would be an unknown one, for however short a time."""
    guarded, open_ = startup_configs()[LEAF], startup_configs({ACL: False})[LEAF]
    lines = patch(open_, guarded)
    for family, name in (("ip", "MANAGEMENT"), ("ipv6", "MANAGEMENT6")):
        named = [at for at, line in enumerate(lines) if re.search(f"({GROUP}) {name}\\b", line)]
        assert lines.index(f"{family} access-list standard {name}") < min(named)
