"""Patterns in which FRR lists its commands, and the commands that stand in no mode."""

from __future__ import annotations

import pytest

from fabricgen.platforms.families.vtysh.commands import Grammar, has_command, has_removal

PATTERNS = Grammar(
    [
        "neighbor <A.B.C.D|X:X::X:X|WORD> remote-as <(1-4294967295)|internal>",
        "[no] delay ![(1-10)]",
        "match {ge (0-32)|le (0-32)}",
        "describe LINE...",
        "vni (1-9)[only]",
        "[no] address A.B.C.D/M",
    ]
)


@pytest.mark.parametrize(
    ("line", "is_command"),
    [
        ("neighbor 10.0.0.1 remote-as 7", True),
        ("neighbor x remote-as 0", False),
        ("neighbor x remote 1", False),
        ("delay 3", True),
        ("delay", False),
        ("no delay", True),
        ("delay 11", False),
        ("match le 3 ge 2", True),
        ("match", False),
        ("describe a b c", True),
        ("describe", False),
        ("vni 3 only", True),
        ("address 10.0.0.0/33", False),
        ("no address 10.0.0.0/31", True),
        ("nothing of this", False),
    ],
)
def test_pattern(line: str, is_command: bool) -> None:
    assert PATTERNS.has(line.split()) is is_command


def test_commands_of_frr_stand_in_their_modes() -> None:
    assert has_command("ip nht resolve-via-default", in_router=False, whole=True)
    assert not has_command("ip nht resolve-via-default", in_router=True, whole=False)
    assert has_removal(("router bgp 65001", "address-family ipv4 unicast"), "no maximum-paths 4")
    assert not has_removal(("router bgp 65001",), "no ip nht resolve-via-default")
    assert has_removal(("router ospf",), "no whatever"), "of that mode no commands are known"
