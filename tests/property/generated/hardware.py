"""Facts of hardware, by hand: cages and ports of the switches, rails of servers, ports of NICs."""

from __future__ import annotations

from typing import NamedTuple


class Seat(NamedTuple):
    """A port of a switch: its cage, counted from 1, which of the cage's ports it is, from 0, and how many there are."""

    cage: int
    sub: int
    ports: int

    @property
    def text(self) -> str:
        return f"{self.cage}/{self.sub + 1}" if self.ports > 1 else str(self.cage)


class Box(NamedTuple):
    """A switch.

    ``step``: by how much the port numbers of SONiC grow from cage to cage. ``ports``: ports of a cage, by speed in
    Gb/s, at the fewest lanes that the NICs of the test run as well. ``longest_m``: longest cable for which the maker
    publishes headroom at these speeds.
    """

    step: int
    ports: dict[int, int]
    longest_m: int
    runs: tuple[str, ...] = ("sonic", "frr")
    ecn: dict[int, tuple[str, ...]] = {}  # noqa: RUF012 - nobody writes it
    cages: int = 64
    since: int = 202405

    def meets(self, other: Box) -> dict[int, int]:
        """Ports of a cage by the speeds at which both have as many lanes for a port; each cage has eight lanes."""
        return {gbps: ports for gbps, ports in self.ports.items() if other.ports.get(gbps) == ports}


BOXES = {
    "dell_z9864f": Box(8, {100: 8, 200: 4, 400: 2, 800: 1}, 300, ecn={400: ("sonic_th5_400g",)}, since=202605),
    "dell_z9664f": Box(4, {400: 1}, 300, since=202505),
    "nvidia_sn5600": Box(8, {200: 4, 400: 2, 800: 1}, 100, ("sonic", "frr", "cumulus_nvue")),
    "nokia_ixr7220_h5_64o": Box(8, {100: 8, 400: 2, 800: 1}, 300, since=202505),
    "nokia_ixr7220_h5_64d": Box(8, {100: 8, 400: 2, 800: 1}, 300, since=202505),
    "arista_7060x6_64pe": Box(8, {400: 2}, 40, ("sonic", "frr", "eos"), since=202505),
    "meta_minipack3": Box(8, {400: 2, 800: 1}, 40, ("fboss",)),
    "own_switch": Box(
        8, {200: 4, 400: 2, 800: 1}, 300, ("sonic", "frr", "eos", "cumulus_nvue"), {400: ("sonic_th5_400g",)}, 48
    ),
}
"""Models; the last one is no product and stands in the inventory's own catalog."""


class Server(NamedTuple):
    """A server: how many rails and GPUs it has, whose these are, how many of its kind share an NVLink domain."""

    rails: int
    gpus: int
    vendor: str = "nvidia"
    domain_max: int = 1
    has_map: bool = True
    topologies: tuple[str, ...] = ()


SERVERS = {
    "dgx_h100_8": Server(8, 8, topologies=("pci", "rails")), "dgx_h200_8": Server(8, 8, topologies=("pci", "rails")),
    "hgx_b200_8": Server(8, 8, has_map=False),
    "gb200_tray_4": Server(4, 4, domain_max=18, topologies=("pci", "rails")), "mi300x_8": Server(8, 8, "amd"),
    "own_server": Server(2, 4, domain_max=4, topologies=("pci",)), "storage_2x200": Server(1, 0, has_map=False),
}  # fmt: skip


class Nic(NamedTuple):
    """A NIC: its ports, the speeds they run, and whether it takes packets in any order."""

    ports: int
    speeds: tuple[int, ...]
    any_order: bool = False


NICS = {
    "connectx7_400g": Nic(1, (100, 200, 400)), "bluefield3_400g": Nic(1, (100, 200, 400), any_order=True),
    "connectx8_800g": Nic(1, (200, 400, 800), any_order=True), "connectx7_2x200g": Nic(2, (100, 200)),
    "bluefield3_2x200g": Nic(2, (100, 200), any_order=True), "two_ports": Nic(2, (100, 200, 400)),
    "four_ports": Nic(4, (100, 200, 400)), "eight_ports": Nic(8, (100, 200, 400)),
}  # fmt: skip
"""The last three are no product and stand in the inventory's own catalog."""


class System(NamedTuple):
    """Operating system of a switch.

    ``hashes``: what it can hash on beside the five-tuple. ``raw``: a snippet that may be laid over its files, by the
    file's name in the inventory.
    """

    hashes: tuple[str, ...] = ()
    balances: tuple[str, ...] = ()
    actions: tuple[str, ...] = ("drop",)
    mtu_max: int = 9216
    bonds: str = ""
    drains_links: bool = False
    has_bfd: bool = True
    has_users: bool = True
    has_sflow: bool = False
    marks: bool = False
    unnumbered: bool = True
    weighs: bool = False
    raw: str = ""


SYSTEMS = {
    "sonic": System(
        ("ingress_port",), actions=("drop", "forward", "alert"), drains_links=True, has_users=False,
        has_sflow=True, weighs=True, raw="snippets/one.json",
    ),
    "frr": System(actions=("drop", "forward", "alert"), bonds="routed", weighs=True, raw="snippets/frr.conf"),
    "eos": System(
        ("ingress_port", "roce_dest_qp"), ("flowlet",), ("drop", "alert"), mtu_max=9214, bonds="routed lacp",
        drains_links=True, marks=True,
    ),
    "cumulus_nvue": System(("ingress_port",), bonds="routed", weighs=True),
    "fboss": System(
        ("roce_dest_qp",), ("flowlet", "per_packet"), ("drop", "forward"), drains_links=True, has_bfd=False,
        has_sflow=True, unnumbered=False,
    ),
}  # fmt: skip


def port_name(platform: str, model: str, seat: Seat) -> str:
    """Port name of a platform: SONiC by its first lane, Linux by cage and place in it, others by cage and lane."""
    lane = seat.sub * (8 // seat.ports) + 1
    if platform in ("frr", "cumulus_nvue"):
        return f"swp{seat.cage}s{seat.sub}" if seat.ports > 1 else f"swp{seat.cage}"
    if platform in ("eos", "fboss"):
        return f"{'Ethernet' if platform == 'eos' else 'eth1/'}{seat.cage}/{lane}"
    step = BOXES[model].step
    return f"Ethernet{(seat.cage - 1) * step + seat.sub * (step // seat.ports)}"
