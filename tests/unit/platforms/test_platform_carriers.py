"""Ports that are down and neighbors that are not there, by the words of each file: their changes are hitless."""

from __future__ import annotations

from typing import Any

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.diff.kinds import load_kinds
from fabricgen.diff.tree_changes import compare_trees

SONIC = {
    "PORT": {"Ethernet0": {"admin_status": "up"}, "Ethernet4": {"admin_status": "down"}, "Ethernet8": {}},
    "CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m"}},
}
EOS = {"interface Ethernet1/1": {"speed": "400g"}, "interface Ethernet2/1": {"speed": "400g", "shutdown": "yes"}}
NVUE = {"interface": {"swp1": {"link": {"state": "up"}}, "swp2": {"link": {"state": {"down": {}}}}}}
FAMILY = "address-family ipv4 unicast"
FRR = {"router bgp": {"neighbor 10.0.0.1": {"remote-as": "1"}, FAMILY: {}}}


@pytest.mark.parametrize(
    ("file", "before", "steps", "value", "found"),
    [
        ("config_db.json", SONIC, ("BUFFER_PG", "Ethernet0|3"), {"profile": "x"}, "port flap"),
        ("config_db.json", SONIC, ("BUFFER_PG", "Ethernet4|3"), {"profile": "x"}, "hitless"),
        ("config_db.json", SONIC, ("BUFFER_PG", "Ethernet8|3"), {"profile": "x"}, "hitless"),
        ("config_db.json", SONIC, ("BUFFER_PG", "Ethernet12|3"), {"profile": "x"}, "port flap"),
        ("config_db.json", SONIC, ("CABLE_LENGTH", "AZURE", "Ethernet4"), "40m", "hitless"),
        ("config_db.json", SONIC, ("PORT", "Ethernet4", "lanes"), "1,2", "drain"),
        ("config_db.json", SONIC, ("PORT", "Ethernet12"), {"lanes": "1"}, "drain"),
        ("startup-config", EOS, ("interface Ethernet1/1", "service-profile"), "A", "drain"),
        ("startup-config", EOS, ("interface Ethernet2/1", "service-profile"), "A", "hitless"),
        ("startup-config", EOS, ("interface Ethernet3/1", "service-profile"), "A", "drain"),
        ("startup.yaml", NVUE, ("interface", "swp1", "qos"), {"pfc": {}}, "drain"),
        ("startup.yaml", NVUE, ("interface", "swp2", "qos"), {"pfc": {}}, "hitless"),
        ("startup.yaml", NVUE, ("interface", "eth0", "ipv4", "gateway", "10.0.0.9"), {}, "login"),
        ("frr.conf", FRR, ("router bgp", "neighbor 10.0.0.1", "password"), "x", "session reset"),
        ("frr.conf", FRR, ("router bgp", FAMILY, "neighbor 10.0.0.1"), {"activate": "yes"}, "session reset"),
        ("frr.conf", FRR, ("router bgp", FAMILY, "neighbor 10.0.0.3"), {"activate": "yes"}, "hitless"),
    ],
)  # fmt: skip
def test_what_carries_nothing_disturbs_nothing(
    file: str, before: dict[str, Any], steps: tuple[str, ...], value: Any, found: str
) -> None:
    semantics = next(kind.semantics for kind in load_kinds(None, Bag()).all() if kind.name == file)
    after = _put(before, steps, value)
    assert {change.disruption for change in compare_trees(before, after, semantics).changes} == {found}


def _put(tree: dict[str, Any], steps: tuple[str, ...], value: Any) -> dict[str, Any]:
    head, *rest = steps
    return {**tree, head: _put(tree.get(head, {}), tuple(rest), value) if rest else value}
