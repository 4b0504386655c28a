"""Headroom and pools as SONiC's scripts compute them on NVIDIA switches."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from functools import reduce
from math import ceil
from operator import add
from typing import NamedTuple

from fabricgen.catalog.records import Asic, BufferPool
from fabricgen.physics import Refusal
from fabricgen.physics.pause import PAUSE_QUANTA_BY_GBPS, QUANTUM_BYTES

SIGNAL_SPEED_M_PER_S = 198_000_000.0
SMALLEST_PACKET_BYTES = 64.0
COMPENSATION_BYTES = 2 * 1024.0
SPECTRUM6_EXTRA_BYTES = 18 * 1024.0
TILE_NS = 120.0
KB = 1024
EIGHT_LANES = 8


class HeadroomScript(Enum):
    """Form of the script that a SONiC image runs; the figures differ by a third.

    Source:
        sonic-net/sonic-swss cfgmgr/buffer_headroom_mellanox.lua: commits 3943093d4 (2024-09, in branches 202405 to
        202511), b20a59691 and 422271e7e (2026-07 and 2026-08, in branch 202605).
    """

    BEFORE_202405 = "before 202405"
    SINCE_202405 = "since 202405"
    SINCE_202605 = "since 202605"


def headroom_script(release: str) -> HeadroomScript:
    """The script of a SONiC release branch such as ``202511``; of the newest for a name that is no number.

    Source:
        Branches of sonic-net/sonic-swss. Images of 202405 have it from 2024-11-02 on.
    """
    number = int(release) if release.isdecimal() else 999999
    if number < 202405:
        return HeadroomScript.BEFORE_202405
    return HeadroomScript.SINCE_202405 if number < 202605 else HeadroomScript.SINCE_202605


class AsicTiming(NamedTuple):
    """Facts of an ASIC that the script reads: cell and delays, sizes in bytes or in units of 1024 bytes."""

    cell_bytes: int
    pipeline_kb: int
    mac_phy_kb: float = 0.8
    peer_kb: float = 3.8
    on_tile: bool = False


TIMING_BY_ASIC = {
    "spectrum1": AsicTiming(96, 19),
    "spectrum2": AsicTiming(144, 19),
    "spectrum3": AsicTiming(144, 19),
    "spectrum4": AsicTiming(192, 19, on_tile=True),
    "spectrum5": AsicTiming(192, 19, on_tile=True),
    "spectrum6": AsicTiming(256, 42),
}
"""By the catalog's name of the ASIC.

Source:
    sonic-net/sonic-buildimage 086b03bd (2026-08-23), platform/mellanox/asic_table.j2; on_tile: the script itself.
"""


class LosslessPort(NamedTuple):
    """A port with a lossless priority: its serdes lanes, one-way cable length in metres and MTU."""

    speed_gbps: int
    lanes: int
    cable_m: float
    mtu_bytes: int


class LosslessTraffic(NamedTuple):
    """SONiC's LOSSLESS_TRAFFIC_PATTERN: MTU of lossless packets and how many of 100 packets are small ones."""

    mtu_bytes: int
    small_packet_pct: int


class DynamicHeadroom(NamedTuple):
    """A priority group profile: reserved size, XON and XOFF thresholds, bytes."""

    size_bytes: int
    xon_bytes: int
    xoff_bytes: int


class HeadroomTerms(NamedTuple):
    """Terms of the XOFF headroom, bytes; ``occupancy`` is the ratio of cell bytes to packet bytes.

    ``xoff_bytes`` is their sum in whole kilobytes, before what newer scripts add to it.
    """

    port_mtu: float
    cable: float
    mac_phy: float
    peer: float
    tile: float
    occupancy: float
    xoff_bytes: int


def headroom_terms(
    asic: str, port: LosslessPort, traffic: LosslessTraffic, script: HeadroomScript = HeadroomScript.SINCE_202605
) -> HeadroomTerms:
    """The terms of `dynamic_headroom` for an ASIC the script knows."""
    timing = TIMING_BY_ASIC[asic]
    old = script is HeadroomScript.BEFORE_202405
    terms = _terms_in_flight(timing, port, old=old)
    share = _small_packet_share(traffic, old=old)
    occupancy = (100 - share + share * _worst_cells_per_packet(timing.cell_bytes, old=old)) / 100
    return HeadroomTerms(*terms, occupancy, int(_up(traffic.mtu_bytes + _in_flight(terms) * occupancy)))


def dynamic_headroom(
    asic: str,
    port: LosslessPort,
    traffic: LosslessTraffic,
    script: HeadroomScript = HeadroomScript.SINCE_202605,
) -> DynamicHeadroom | Refusal:
    """The lossless profile that the buffer manager computes for a port without a shared headroom pool.

    The small-packet share is computed as the script does, although it is a true share of bytes only at 100 percent.

    Returns:
        Sizes in bytes, multiples of 1024; or the refusal FG-BUF-014 if the script knows no ASIC of that name in the
        catalog (there is none for Broadcom, whose headroom is always a table).

    Source:
        sonic-net/sonic-swss e6b0c5b5 (2026-08-21) cfgmgr/buffer_headroom_mellanox.lua and its history.
    """
    timing = TIMING_BY_ASIC.get(asic)
    if timing is None:
        return Refusal("FG-BUF-014", {"asic": asic, "listed": sorted(TIMING_BY_ASIC)})
    old = script is HeadroomScript.BEFORE_202405
    eight_lanes = port.lanes == EIGHT_LANES
    terms = headroom_terms(asic, port, traffic, script)
    xoff = float(terms.xoff_bytes)
    if script is HeadroomScript.SINCE_202605:
        xoff += SPECTRUM6_EXTRA_BYTES if asic == "spectrum6" else 0
        if traffic.small_packet_pct != 100:
            worst = _worst_cells_per_packet(timing.cell_bytes, old=old)
            all_small = _up(traffic.mtu_bytes + _in_flight(terms[:5]) * worst)
            xoff += COMPENSATION_BYTES if xoff + COMPENSATION_BYTES < all_small else 0
    pipeline = timing.pipeline_kb * KB
    xon = _up(pipeline * 2 - (KB if old else 0) if eight_lanes else pipeline)
    size = _up(xoff + xon + (port.mtu_bytes if eight_lanes else 0))
    return DynamicHeadroom(int(size), int(xon), int(xoff))


def _terms_in_flight(timing: AsicTiming, port: LosslessPort, *, old: bool) -> tuple[float, float, float, float, float]:
    """Return what arrives between the decision to pause and the last byte of the peer, bytes.

    Port MTU, cable, MAC and PHY, peer and tile are in the script's order. The delay of a gearbox, which the script
    adds between cable and MAC, is left out: nothing states that a port has one.
    """
    mbps = port.speed_gbps * 1000.0
    cable = 2 * port.cable_m * mbps * 1e9 / SIGNAL_SPEED_M_PER_S / (8 * (1024 if old else 1000))
    quanta = PAUSE_QUANTA_BY_GBPS.get(port.speed_gbps)
    peer = timing.peer_kb * KB if quanta is None else float(quanta * QUANTUM_BYTES)
    tile = mbps / 1000 * TILE_NS / 8 if timing.on_tile and not old else 0.0
    return float(port.mtu_bytes), cable, timing.mac_phy_kb * KB, peer, tile


def _in_flight(terms: Iterable[float]) -> float:
    """Add in the script's order; ``sum`` rounds otherwise since Python 3.12, and could cross a multiple of 1024."""
    return reduce(add, terms)


def _worst_cells_per_packet(cell_bytes: int, *, old: bool) -> float:
    """Return how many times its own size the least favourable packet takes in cells."""
    if cell_bytes > 2 * SMALLEST_PACKET_BYTES:
        worst = cell_bytes / SMALLEST_PACKET_BYTES
    else:
        worst = 2 * cell_bytes / (1 + cell_bytes)
    return worst if old else float(ceil(worst))


def _small_packet_share(traffic: LosslessTraffic, *, old: bool) -> float:
    """Percent of bytes that count as small packets."""
    if old:
        return float(traffic.small_packet_pct)
    of_100 = traffic.small_packet_pct * SMALLEST_PACKET_BYTES + (100 - traffic.small_packet_pct) * traffic.mtu_bytes
    return 100 * SMALLEST_PACKET_BYTES / (of_100 / 100)


def _up(size: float) -> float:
    """Rounded up to a multiple of 1024."""
    return float(ceil(size / KB) * KB)


HEADROOM_APART = frozenset({"nvidia"})
"""Makers whose pool sizes leave the shared headroom out.

Source:
    sonic-net/sonic-swss e6b0c5b5 cfgmgr/buffer_pool_mellanox.lua takes the headroom pool off before the rest becomes
    the pool. On Broadcom it lies inside: the pool of Dell's Z9664F and Z9864F is every cell of the chip
    (facebook/fboss Tomahawk4Asic.cpp, Tomahawk5Asic.cpp: 2 x 223,662 and 2 x 319,960 cells of 254 bytes).
"""

SCRIPTED_MAKERS = HEADROOM_APART
"""Makers of ASICs for which SONiC has scripts of headroom and pools: the same whose pools leave headroom out."""

PRIVATE_HEADROOM_BYTES = 10 * 1024


class SetAside(NamedTuple):
    """Bytes that the scripts reserve whatever the configuration is: ``fixed_bytes`` for the switch, others by port.

    ``group_bytes``, or ``group_8_lanes_bytes`` of a port with eight lanes, is for each lossy priority group of a port
    and for its management one; ``port_bytes`` for the port beside them.
    """

    group_bytes: int
    group_8_lanes_bytes: int
    port_bytes: int
    fixed_bytes: int


class ScriptedPorts(NamedTuple):
    """Equal ports, how many, and what the lossless priority groups and the egress profiles of one of them reserve."""

    ports: int
    lanes: int
    lossless_bytes: int
    lossy_groups: int
    egress_bytes: int


def occupied_bytes(groups: Iterable[ScriptedPorts], aside: SetAside, headroom_pool_bytes: int = 0) -> int:
    """Return what ports that are up take from the memory before the rest becomes shared pools, bytes; see `pool_bytes`.

    The shared headroom pool is 0 where every priority group has headroom of its own.
    """
    taken = aside.fixed_bytes + headroom_pool_bytes
    for group in groups:
        size = aside.group_8_lanes_bytes if group.lanes == EIGHT_LANES else aside.group_bytes
        private = PRIVATE_HEADROOM_BYTES if headroom_pool_bytes and group.lossless_bytes else 0
        of_port = group.lossless_bytes + size * (group.lossy_groups + 1) + group.egress_bytes + aside.port_bytes
        taken += group.ports * (of_port + private)
    return taken


def pool_bytes(memory_bytes: int, occupied: int, ingress_pools: int) -> int:
    """Size of every pool that the scripts size, given one or two ingress pools; 0 or less where nothing is left.

    Source:
        sonic-net/sonic-swss e6b0c5b5 (2026-08-21) cfgmgr/buffer_pool_mellanox.lua: two ingress pools share by halves.
    """
    available = memory_bytes - occupied
    return available if ingress_pools == 1 else ceil(available / 2)


def shared_bytes(pool: BufferPool, asic: Asic) -> int:
    """The part of an ingress pool that queues share, without the headroom pool, bytes; see ``HEADROOM_APART``."""
    return pool.size_bytes - (0 if asic.vendor in HEADROOM_APART else pool.xoff_bytes or 0)
