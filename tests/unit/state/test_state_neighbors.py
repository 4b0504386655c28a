"""Readers of LLDP's texts: what published samples hold, and what is no whole text."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.platforms.observations.content import MisreadError
from fabricgen.platforms.observations.records import LldpNeighbor
from tests.unit.state.lldp_texts import TEXTS, Heard
from tests.unit.state.readers import readers_of

PRINTED = Path(__file__).parent / "printed"
HEARD = [Heard("Ethernet1", "spine-01", "Ethernet2/1"), Heard("Ethernet2", "spine-02", "Ethernet3")]

SONIC = (PRINTED / "sonic_lldp.txt").read_text()
"""Rows as sonic-mgmt and sonic-utilities show them: an id that is a MAC, a name with a blank, empty cells."""

EOS = (PRINTED / "eos_lldp.txt").read_text()
"""Output of EOS 4.14, without a rule."""

EXTRACT = (PRINTED / "cumulus_lldp.txt").read_text()
"""A NIC whose firmware gives no name, on a Cumulus switch."""


def test_table_of_sonic_is_cut_at_its_rule() -> None:
    assert readers_of("sonic")["lldp"](SONIC.encode()) == [
        LldpNeighbor("Ethernet0", "sonic", "40:14:82:8a:16:00", "Ethernet4"),
        LldpNeighbor("Ethernet4", "gpu 7", "fortyGigE0/8", ""),
    ]


def test_table_of_eos_has_whole_names_of_ports() -> None:
    assert readers_of("eos")["lldp"](EOS.encode()) == [
        LldpNeighbor("Ethernet1", "localhost", "Ethernet1"),
        LldpNeighbor("Ethernet3/1", "tg104.sjc.aristanetworks.com", "Ethernet3/2"),
        LldpNeighbor("Management1/1", "", "1/1", "", "30c5.0784.3e68"),
    ]


@pytest.mark.parametrize("platform", ["frr", "cumulus_nvue", "ubuntu", "sonic"])
def test_entry_of_lldpctl_without_name_keeps_its_address(platform: str) -> None:
    mac = "c4:70:bd:c5:6f:79"
    assert readers_of(platform)["lldp"](EXTRACT.encode()) == [LldpNeighbor("swp17s0", "", mac, "", mac)]


@pytest.mark.parametrize("platform", TEXTS)
def test_every_form_is_read(platform: str) -> None:
    found = [e for e in readers_of(platform)["lldp"](TEXTS[platform](HEARD).encode()) if isinstance(e, LldpNeighbor)]
    assert [(each.port, each.device.partition(".")[0], each.peer_port) for each in found][:2] == HEARD


def test_json_of_one_neighbor_and_of_one_without_name() -> None:
    read = readers_of("ubuntu")["lldp"]
    (found,) = read(TEXTS["frr"](HEARD[:1]).encode())
    assert found == LldpNeighbor("Ethernet1", "spine-01", "Ethernet2/1", "a cable", "00:01:00:00:09:00")
    nameless = b'{"lldp": {"interface": {"rail0": {"chassis": {"id": {"type": "mac", "value": "m"}}, "port": {}}}}}'
    assert read(nameless) == [LldpNeighbor("rail0", "", "", "", "m")]


@pytest.mark.parametrize(
    ("platform", "text"),
    [
        ("sonic", SONIC.partition("-----------------------")[0].rpartition("\n")[0]),
        ("sonic", SONIC.replace("displayed:  2", "displayed:  3")),
        ("sonic", "Interface  Lanes\n---------  -----\nEthernet0  1,2\n"),
        ("ubuntu", EXTRACT.rstrip().rpartition("\n")[0]),
        ("cumulus_nvue", "swp1  up\n"),
        ("eos", EOS.replace("91\n", "\n")),
        ("eos", "Interface  Status\nEt1  connected\n"),
        ("ubuntu", ""),
        ("eos", EOS.replace("localhost ", "  a" * 200_000)),
        ("ubuntu", EXTRACT.replace("SysName", " " * 400_000).replace("PortID", "Interface: a, PortID")[:-70]),
        ("ubuntu", EXTRACT + "Interface: a, via\n" * 20_000),
    ],
)
def test_text_that_is_cut_short_or_foreign_is_refused(platform: str, text: str) -> None:
    with pytest.raises(MisreadError):
        readers_of(platform)["lldp"](text.encode())
