"""What the test knows of hardware, by hand: cages and ports of the switches, rails of servers, ports of NICs."""

from __future__ import annotations

from typing import NamedTuple


class Seat(NamedTuple):
    """A port of a switch: its cage, counted from 1, which of the cage's ports it is, from 0, and how many there are."""

    cage: int
    sub: int
    ports: int

    @property
    def text(self) -> str:
        """As an exception names it."""
        return f"{self.cage}/{self.sub + 1}" if self.ports > 1 else str(self.cage)


class Box(NamedTuple):
    """A switch.

    Attributes:
        lanes: By how much the port numbers of SONiC grow from cage to cage.
        ports: Ports of a cage, by speed in Gb/s, at the fewest lanes that the NICs of the test run as well.
        longest_m: Longest cable for which the maker publishes headroom at these speeds.
        ecn: Profiles of the catalog by the speed they are for.
    """

    lanes: int
    ports: dict[int, int]
    longest_m: int
    ecn: dict[int, tuple[str, ...]] = {}  # noqa: RUF012 - nobody writes it
    cages: int = 64


BOXES = {
    "dell_z9864f": Box(8, {100: 8, 200: 4, 400: 2, 800: 1}, 300, {400: ("sonic_th5_400g",)}),
    "dell_z9664f": Box(4, {400: 1}, 300),
    "nvidia_sn5600": Box(8, {200: 4, 400: 2, 800: 1}, 100),
    "nokia_ixr7220_h5_64o": Box(8, {100: 8, 400: 2, 800: 1}, 300),
    "nokia_ixr7220_h5_64d": Box(8, {100: 8, 400: 2, 800: 1}, 300),
    "arista_7060x6_64pe": Box(8, {400: 2}, 40),
}
"""Models that run both platforms of the test."""


class Server(NamedTuple):
    """A server: how many rails and GPUs it has."""

    rails: int
    gpus: int


SERVERS = {
    "hgx_h100_8": Server(8, 8),
    "hgx_h200_8": Server(8, 8),
    "gb200_tray_4": Server(4, 4),
    "storage_2x200": Server(1, 0),
}

NICS = {
    "connectx7_400g": (1, (100, 200, 400)),
    "bluefield3_400g": (1, (100, 200, 400)),
    "connectx8_800g": (1, (200, 400, 800)),
    "connectx7_2x200g": (2, (100, 200)),
    "bluefield3_2x200g": (2, (100, 200)),
    "four_ports": (4, (100, 200)),
    "eight_ports": (8, (100, 200)),
}
"""Ports and speeds of the NICs; the last two are no product and stand in the inventory's own catalog."""

OWN_NIC = """id: {name}
source: "none: a NIC of this test"
family: connectx7
vendor: nvidia
ports: {ports}
lanes: {{200G: 2 4, 100G: 1 2 4}}
mtu_max_bytes: 9978
pci_vendor: "0x15b3"
pci_device: "0x1021"
"""
OWN_NICS = {"four_ports": 4, "eight_ports": 8}


def port_name(platform: str, model: str, seat: Seat) -> str:
    """What a platform calls a port: SONiC by its first lane, Linux by cage and place in it."""
    if platform == "frr":
        return f"swp{seat.cage}s{seat.sub}" if seat.ports > 1 else f"swp{seat.cage}"
    lanes = BOXES[model].lanes
    return f"Ethernet{(seat.cage - 1) * lanes + seat.sub * (lanes // seat.ports)}"
