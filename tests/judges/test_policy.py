"""Routing policies as the reader understands them: FRR's user guide on prefix lists and route maps."""

from __future__ import annotations

import pytest

from .crossread.policy import Policy, Prefix, prefix
from .crossread.text.frr import read_frr

SPEAKER = """
router bgp 65001
 neighbor 10.0.0.1 remote-as 65002
 address-family ipv4 unicast
  neighbor 10.0.0.1 activate
  neighbor 10.0.0.1 route-map MAP in
 exit-address-family
"""


def policy(text: str) -> Policy:
    """The import policy of a configuration whose route-map is called MAP."""
    routing = read_frr(text + SPEAKER)
    assert routing.problems == []
    assert routing.bgp
    (found,) = routing.bgp.sessions[0].import_policies
    return found


@pytest.mark.parametrize(
    ("rule", "permitted", "denied"),
    [
        ("permit 10.0.0.0/8", ["10.0.0.0/8"], ["10.0.0.0/9", "11.0.0.0/8", "0.0.0.0/0"]),
        ("permit 10.0.0.0/8 le 24", ["10.0.0.0/8", "10.1.2.0/24"], ["10.1.2.0/25", "0.0.0.0/0"]),
        ("permit 10.0.0.0/8 ge 24", ["10.1.2.0/24", "10.1.2.3/32"], ["10.0.0.0/8", "10.1.0.0/23"]),
        ("permit 10.0.0.0/8 ge 24 le 25", ["10.1.2.0/25"], ["10.1.2.0/26", "10.1.0.0/23"]),
        ("permit any", ["0.0.0.0/0", "10.1.2.3/32"], []),
        ("permit 0.0.0.0/0", ["0.0.0.0/0"], ["10.0.0.0/8"]),
        ("deny any", [], ["0.0.0.0/0", "10.0.0.0/8"]),
    ],
)
def test_prefix_list(rule: str, permitted: list[str], denied: list[str]) -> None:
    found = policy(f"ip prefix-list L seq 5 {rule}\nroute-map MAP permit 10\n match ip address prefix-list L\n")
    assert [p for p in permitted + denied if found.permits(prefix(p))] == permitted


def test_lower_numbers_decide_first() -> None:
    lists = "ip prefix-list L seq 20 permit any\nip prefix-list L seq 10 deny 10.0.0.0/8 le 32\n"
    found = policy(f"{lists}route-map MAP permit 10\n match ip address prefix-list L\n")
    assert not found.permits(prefix("10.1.0.0/16"))
    assert found.permits(prefix("11.1.0.0/16"))


def test_communities_are_added_and_asked_for() -> None:
    lists = "bgp community-list standard MARK seq 5 permit 65000:1\n"
    first = "route-map MAP deny 10\n match community MARK\n"
    found = policy(f"{lists}{first}route-map MAP permit 20\n set community 65000:1 additive\n")
    once = found.apply(Prefix(0, 8), frozenset({"65000:2"}))
    assert once == frozenset({"65000:1", "65000:2"})
    assert found.apply(Prefix(0, 8), once) is None


def test_map_without_an_entry_that_matches_denies() -> None:
    found = policy("ip prefix-list L seq 5 deny any\nroute-map MAP permit 10\n match ip address prefix-list L\n")
    assert not found.permits(prefix("10.0.0.0/8"))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("route-map MAP permit 10\n match as-path X", "line not understood: match as-path X"),
        ("route-map MAP permit 10\n match ip address prefix-list X", "prefix-list X is not defined"),
        ("route-map MAP permit 10\n match community X", "community-list X is not defined"),
        ("route-map OTHER permit 10", "route-map MAP is not defined"),
        ("router ospf\n network 10.0.0.0/8 area 0", "line not understood: router ospf"),
    ],
)
def test_what_is_not_understood_is_said(line: str, problem: str) -> None:
    assert any(problem in found for found in read_frr(line + SPEAKER).problems)


TWO_FAMILIES = """
ip prefix-list L seq 5 permit 10.0.0.0/8 le 32
ipv6 prefix-list L seq 5 permit fd00::/8 le 128
route-map FOUR permit 10
 match ip address prefix-list L
route-map SIX permit 10
 match ipv6 address prefix-list L
router bgp 65001
 no bgp default ipv4-unicast
 neighbor swp1 interface peer-group UP
 neighbor UP peer-group
 neighbor swp1 remote-as 65002
 neighbor fd00::1 remote-as 65002
 address-family ipv4 unicast
  neighbor UP activate
  neighbor UP route-map FOUR in
  maximum-paths 8
 exit-address-family
 address-family ipv6 unicast
  neighbor UP activate
  neighbor UP route-map SIX in
  neighbor fd00::1 activate
  maximum-paths 4
 exit-address-family
"""


def test_each_family_has_its_lists_and_policies() -> None:
    bgp = read_frr(TWO_FAMILIES).bgp
    assert bgp
    assert [(s.peer, s.bits, s.active) for s in bgp.sessions] == [
        ("swp1", 32, True), ("swp1", 128, True), ("fd00::1", 128, True),
    ]  # fmt: skip
    assert bgp.max_paths == 4
    four, six = (session.import_policies[0] for session in bgp.sessions[:2])
    assert [four.permits(prefix(p)) for p in ("10.1.0.0/16", "fd00::/64")] == [True, False]
    assert [six.permits(prefix(p)) for p in ("10.1.0.0/16", "fd00::/64")] == [False, True]


@pytest.mark.parametrize("neighbor", ["swp1 remote-as 65002", "10.0.0.1 interface peer-group UP"])
def test_a_neighbour_is_an_address_or_an_interface(neighbor: str) -> None:
    routing = read_frr(f"router bgp 65001\n neighbor UP peer-group\n neighbor {neighbor}\n")
    assert any("neither an address nor an interface" in problem for problem in routing.problems)
