"""Policies that demote drained routes, put into policies that run: where they go, and what refuses them."""

from __future__ import annotations

import pytest

from fabricgen.platforms.eos import demotion as eos
from fabricgen.platforms.eos.reader import read
from fabricgen.platforms.patching.demotion import CannotPrepare
from fabricgen.platforms.reading.reader import Tree

ROUTER = """
router bgp 65001
   neighbor UP peer group
   neighbor 10.0.0.1 peer group UP
   neighbor 10.0.0.1 remote-as 65002
   address-family ipv4
      neighbor UP activate
      neighbor UP route-map IN in
"""
INTENDED = "ip community-list DRAINED permit GSHUT\nroute-map IN permit 10\n   match community DRAINED\n"
INTENDED += "   set local-preference 0\nroute-map IN permit 20\n" + ROUTER


def prepared(text: str) -> Tree:
    """A configuration with the policy."""
    tree = eos.prepare_shutdown(read(text), read(INTENDED))
    assert eos.honours_shutdown(tree)
    return tree


def entries(tree: Tree) -> list[str]:
    """Names of the entries of all route maps, in the order in which a route meets them."""
    names = [key for key in tree if key.startswith("route-map ")]
    return sorted(names, key=lambda name: int(name.rsplit(" ", 1)[1]))


def test_entry_goes_halfway_between_two_that_run() -> None:
    text = "route-map IN deny 10\n   match community BAD\nroute-map IN permit 20\n   match as-path X\n"
    tree = prepared(f"ip community-list BAD permit 1:1\n{text}route-map IN permit 40\n{ROUTER}")
    assert entries(tree) == [f"route-map IN {entry}" for entry in
                             ("deny 10", "permit 15", "permit 20", "permit 30", "permit 40")]  # fmt: skip
    body = {"match as-path X": "yes", "match community": "DRAINED", "set local-preference": "0"}
    assert tree["route-map IN permit 15"] == body


def test_entries_get_other_numbers_where_none_is_free() -> None:
    text = "".join(f"route-map IN permit {number}\n   match as-path X{number}\n" for number in (1, 2))
    tree = prepared(text + ROUTER)
    assert entries(tree) == [f"route-map IN permit {number}" for number in (10, 20, 30, 40)]
    assert tree["route-map IN permit 20"] == {"match as-path X1": "yes"}


def test_policy_that_is_intended_but_for_its_entry_is_taken_as_it_is() -> None:
    assert prepared("route-map IN permit 20\n" + ROUTER) == read(INTENDED)


def test_session_that_accepts_nothing_needs_no_policy() -> None:
    silent = ROUTER.replace("neighbor UP route-map IN in", "neighbor UP route-map OUT out")
    assert not eos.honours_shutdown(read(silent))
    denied = "   neighbor UP missing-policy address-family all direction in action deny\n"
    assert eos.honours_shutdown(read(silent.replace("   address-family", f"{denied}   address-family")))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("route-map IN permit 10\n   continue 20\nroute-map IN permit 20\n", "entry 10 of IN goes on elsewhere"),
        ("route-map IN permit 10\n   match community X\n", "entry 10 of IN matches communities already"),
        ("ip community-list DRAINED permit 1:1\nroute-map IN permit 10\n", "its community list DRAINED holds other"),
    ],
)
def test_what_cannot_be_put_in_says_why(text: str, reason: str) -> None:
    with pytest.raises(CannotPrepare, match=reason):
        eos.prepare_shutdown(read(text + ROUTER), read(INTENDED))
