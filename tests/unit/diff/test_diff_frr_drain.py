"""Graceful shutdown between live daemons of FRR: the policies that hide it, which ``shutdown`` of the semantics marks.

FRR adds the community behind the outbound route map, and looks for it behind the inbound one (bgpd/bgp_route.c,
subgroup_announce_check and bgp_update), so that only a receiver's policy, or a sender without communities, hides it.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from frr_daemons import Router, require

from tests.waiting import wait

PREFIX = "192.0.2.1/32"
SENDER, RECEIVER = ("10.9.0.1", 65001), ("10.9.0.2", 65002)


def speaker(own: tuple[str, int], peer: tuple[str, int], direction: str) -> str:
    """A router with one neighbor and one policy, which accepts everything."""
    return f"""bgp route-map delay-timer 1
ip prefix-list ALL seq 10 permit 0.0.0.0/0 le 32
bgp community-list standard MARKED seq 10 permit 64512:9
route-map POLICY permit 10
 match ip address prefix-list ALL
exit
router bgp {own[1]}
 bgp router-id {own[0]}
 no bgp ebgp-requires-policy
 no bgp network import-check
 neighbor {peer[0]} remote-as {peer[1]}
 neighbor {peer[0]} advertisement-interval 0
 neighbor {peer[0]} timers connect 1
 address-family ipv4 unicast
  {"network " + PREFIX if direction == "out" else "maximum-paths 1"}
  neighbor {peer[0]} route-map POLICY {direction}
 exit-address-family
exit
"""


@pytest.fixture(scope="module")
def routers() -> Iterator[tuple[Router, Router]]:
    """A router that is drained, and its neighbor."""
    require()
    sender, receiver = Router("sender"), Router("receiver")
    try:
        sender.plug_in("eth0", f"{SENDER[0]}/24", receiver, f"{RECEIVER[0]}/24")
        sender.start(speaker(SENDER, RECEIVER, "out"))
        receiver.start(speaker(RECEIVER, SENDER, "in"))
        sender.type_in(f"router bgp {SENDER[1]}", "bgp graceful-shutdown")
        yield sender, receiver
    finally:
        sender.stop()
        receiver.stop()


def heard(receiver: Router) -> tuple[int, set[str]] | None:
    """Local preference and communities of the route at the receiver; None where it has none."""
    paths = receiver.ask(f"show bgp ipv4 unicast {PREFIX}").get("paths", [])
    if not paths:
        return None
    return int(paths[0].get("locPrf", 100)), {*paths[0].get("community", {}).get("string", "").split()}


def setting(router: Router, line: str, receiver: Router) -> Iterator[None]:
    """A line more in the policy of a router for a while; without it the receiver honours the drain."""
    router.type_in("route-map POLICY permit 10", line)
    yield
    router.type_in("route-map POLICY permit 10", f"no {line}")
    wait(lambda: heard(receiver) == (0, {"graceful-shutdown"}))


@pytest.mark.parametrize(
    ("at", "line", "preference"),
    [
        pytest.param(0, "set community 64512:3", 0, id="replaced where it is drained"),
        pytest.param(1, "set community 64512:3 additive", 0, id="added to where it is heard"),
        pytest.param(1, "set community 64512:3", 100, id="replaced where it is heard"),
    ],
)
def test_receivers_hide_graceful_shutdown(at: int, line: str, preference: int, routers: tuple[Router, Router]) -> None:
    marks = {"64512:3", *({"graceful-shutdown"} if preference == 0 else ())}
    for _ in setting(routers[at], line, routers[1]):
        wait(lambda: heard(routers[1]) == (preference, marks))


def test_sender_without_communities_tells_of_no_drain(routers: tuple[Router, Router]) -> None:
    sender, receiver = routers
    family = (f"router bgp {SENDER[1]}", "address-family ipv4 unicast")
    sender.type_in(*family, f"no neighbor {RECEIVER[0]} send-community")
    wait(lambda: heard(receiver) == (100, set()))
    sender.type_in(*family, f"neighbor {RECEIVER[0]} send-community")
    wait(lambda: heard(receiver) == (0, {"graceful-shutdown"}))
