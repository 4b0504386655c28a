"""RoCE packets that hosts send without a code point: marked where hosts are, and only if the intent says so."""

from __future__ import annotations

import re

import pytest
from eos_render import startup_configs

MARK = {("lossless", "mark_unmarked"): True}
POLICY = "   service-policy type qos input UNMARKED-ROCE"


def interfaces(text: str) -> dict[str, str]:
    """Interface blocks by name."""
    return {found[1]: found[2] for found in re.finditer(r"(?m)^interface (\S+)\n((?: {3}.*\n)*)", text)}


def test_leafs_mark_at_the_ports_of_hosts_and_nowhere_else() -> None:
    for name, text in startup_configs(MARK).items():
        marking = {port for port, below in interfaces(text).items() if POLICY in below}
        hosts = {port for port, below in interfaces(text).items() if re.search(r"description (gpu|store|plain)", below)}
        assert marking == (hosts if name.startswith("leaf") else set()), name
        assert ("policy-map" in text) == name.startswith("leaf")


def test_what_is_marked_becomes_the_data_class() -> None:
    text = next(text for name, text in startup_configs(MARK).items() if name.startswith("leaf"))
    assert "access-list UNMARKED-ROCE\n   10 permit udp any any eq 4791 dscp 0\n" in text
    dscp, priority = re.search(r"      set dscp (\d+)\n      set traffic-class (\d)\n", text).groups()
    assert re.search(rf"qos map dscp (?:\d+ )*{dscp} (?:\d+ )*to traffic-class {priority}\n", text)
    assert f"   priority-flow-control priority {priority} no-drop\n" in text


@pytest.mark.parametrize("shape", ["bonded"])
def test_bonds_mark_at_the_port_channel_not_at_its_members(shape: str) -> None:
    for text in startup_configs(MARK, shapes=(shape,)).values():
        for port, below in interfaces(text).items():
            if "channel-group" in below:
                assert POLICY not in below, port
            if port.startswith("Port-Channel"):
                assert POLICY in below, port
