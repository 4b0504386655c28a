"""Patterns of paths are found by how they begin: the same as if each was tried."""

from __future__ import annotations

from fabricgen.platforms.reading.semantics import Meaning, Rule
from fabricgen.platforms.reading.shown import build_shown


def test_patterns_of_known_paths_fit_whatever_they_begin_with() -> None:
    shown = build_shown(("mtu *", "* rate ...", "ip* x", "name", "...", "x* > **", "vlan ... > name"))
    for step in ("mtu 9000", "a rate", "a rate 1 2", "ipv6 x", "name", "anything at all", ""):
        assert shown.child(step).has_value, step
    bare = build_shown(("mtu *", "* rate ...", "ip* x", "vlan ... > name"))
    for step in ("mtu", "mtu 1 2", "rate", "ip y", "xip x", "vlan", "", "mtu" * 1000):
        assert not bare.child(step).has_value, step
    assert bare.child("vlan 1 2").child("name").has_value


def test_rules_match_steps_whatever_they_begin_with() -> None:
    patterns = ("*", "Ethernet*", "Eth[ae]rnet1", "?thernet1", "Ethernet1", "[!E]*")
    root = Meaning(tuple((Rule((pattern,), {pattern: "yes"}), 0) for pattern in patterns), {})
    assert set(root.child("Ethernet1").values) == {"*", "Ethernet*", "Eth[ae]rnet1", "?thernet1", "Ethernet1"}
    assert set(root.child("vlan").values) == {"*", "[!E]*"}
    assert set(root.child("").values) == {"*"}
