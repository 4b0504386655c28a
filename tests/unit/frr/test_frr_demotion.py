"""Import policies of FRR that hide graceful shutdown, and those that are put in front of what they accept."""

from __future__ import annotations

import pytest

from fabricgen.platforms.families.vtysh.demotion import announces_shutdown, honours_shutdown, prepare_shutdown
from fabricgen.platforms.families.vtysh.reader import read
from fabricgen.platforms.patching.demotion import CannotPrepare

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


def running(*lines: str, number: int = 10) -> str:
    """A configuration whose import policy has one entry of these lines."""
    entry = f"route-map IN permit {number}\n match ip address prefix-list ALL\n"
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


@pytest.mark.parametrize("number", [10, 1], ids=["with room", "renumbered"])
def test_drained_routes_come_first_and_all_else_stays(number: int) -> None:
    before = read(running("set community 64512:1", number=number))
    after = prepare_shutdown(before, read(running("set community 64512:1 additive")))
    assert honours_shutdown(after)
    assert after.pop("bgp community-list standard GSHUT") == {"seq 10": "permit graceful-shutdown"}
    (first, demoting), (second, entry) = after["route-map IN"].items()
    assert int(first) < int(second)
    assert entry == before["route-map IN"][str(number)]
    assert demoting == {**entry, "match community": "GSHUT", "set local-preference": "0"}
    assert {**after, "route-map IN": ""} == {**before, "route-map IN": ""}


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (("match community OLD", "set community 64512:1"), "entry 10 of IN matches communities already"),
        (("set community 64512:1", "on-match next"), "entry 10 of IN goes on elsewhere"),
    ],
)
def test_what_no_entry_can_go_before_is_said(lines: tuple[str, ...], reason: str) -> None:
    with pytest.raises(CannotPrepare, match=reason):
        prepare_shutdown(read(running(*lines)), read(running()))


@pytest.mark.parametrize(
    ("line", "announces"),
    [("", True), ("no neighbor UP send-community", False), ("no neighbor UP send-community extended", True)],
)
def test_neighbors_without_communities_do_not_learn_of_a_drain(line: str, announces: bool) -> None:
    text = running().replace("  neighbor UP activate\n", f"  neighbor UP activate\n  {line}\n")
    assert announces_shutdown(read(text)) is announces
