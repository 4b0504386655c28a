"""Import policies of FRR that hide graceful shutdown."""

from __future__ import annotations

import pytest

from fabricgen.platforms.families.vtysh.reader import read
from fabricgen.platforms.families.vtysh.rollout import announces_shutdown, honours_shutdown

LISTS = "ip prefix-list ALL seq 10 permit 0.0.0.0/0 le 32\nbgp community-list standard OLD seq 10 permit 64512:5\n"
ROUTER = """router bgp 65000
 neighbor UP peer-group
 neighbor 10.0.0.1 remote-as 65001
 neighbor 10.0.0.1 peer-group UP
 !
 address-family ipv4 unicast
  neighbor UP activate
  neighbor UP route-map IN in
  neighbor UP route-map OUT out
 exit-address-family
exit
"""
OUT = "route-map OUT permit 10\n set community 64512:3\nexit\n"


def running(*lines: str) -> str:
    """A configuration whose import policy has one entry of these lines."""
    entry = "route-map IN permit 10\n match ip address prefix-list ALL\n"
    return LISTS + entry + "".join(f" {line}\n" for line in lines) + "exit\n" + OUT + ROUTER


@pytest.mark.parametrize(
    ("lines", "honours"),
    [
        ((), True),
        (("set community 64512:1 additive",), True),
        (("set community 64512:1",), False),
        (("set community none",), False),
        (("set comm-list OLD delete",), False),
        (("set community 64512:1", "set local-preference 0"), True),
    ],
)
def test_what_hides_the_community_is_known(lines: tuple[str, ...], honours: bool) -> None:
    assert honours_shutdown(read(running(*lines))) is honours


def test_export_policies_hide_nothing() -> None:
    """FRR adds the community behind the outbound route map (bgpd, subgroup_announce_check)."""
    assert honours_shutdown(read(running().replace("UP route-map IN in", "UP prefix-list ALL in")))


@pytest.mark.parametrize(
    ("line", "announces"),
    [("", True), ("no neighbor UP send-community", False), ("no neighbor UP send-community extended", True)],
)
def test_neighbors_without_communities_do_not_learn_of_a_drain(line: str, announces: bool) -> None:
    text = running().replace("  neighbor UP activate\n", f"  neighbor UP activate\n  {line}\n")
    assert announces_shutdown(read(text)) is announces
