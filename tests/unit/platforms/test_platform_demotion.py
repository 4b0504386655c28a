"""Import policies of EOS that ignore graceful shutdown, and those that honour it."""

from __future__ import annotations

from fabricgen.platforms.eos import rollout as eos
from fabricgen.platforms.eos.reader import read

ROUTER = """
router bgp 65001
   neighbor UP peer group
   neighbor 10.0.0.1 peer group UP
   neighbor 10.0.0.1 remote-as 65002
   address-family ipv4
      neighbor UP activate
      neighbor UP route-map IN in
"""


def test_entry_in_front_demotes_drained_routes() -> None:
    drained = "ip community-list DRAINED permit GSHUT\nroute-map IN permit 10\n   match community DRAINED\n"
    drained += "   set local-preference 0\n"
    accepted = "route-map IN permit 20\n"
    assert eos.honours_shutdown(read(drained + accepted + ROUTER))
    assert not eos.honours_shutdown(read(accepted + ROUTER))
    assert not eos.honours_shutdown(read(drained.replace("permit GSHUT", "permit 1:1") + accepted + ROUTER))


def test_session_that_accepts_nothing_needs_no_policy() -> None:
    silent = ROUTER.replace("neighbor UP route-map IN in", "neighbor UP route-map OUT out")
    assert not eos.honours_shutdown(read(silent))
    denied = "   neighbor UP missing-policy address-family all direction in action deny\n"
    assert eos.honours_shutdown(read(silent.replace("   address-family", f"{denied}   address-family")))
