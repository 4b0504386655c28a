"""Buffers of a switch SKU: pools, profiles and the headroom of lossless priority groups."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, NamedTuple

if TYPE_CHECKING:
    from fabricgen.plan.model import origin_keys as keys
    from fabricgen.plan.model.origin_keys import Origin, Sticky

QUEUES = 8
"""Queues and traffic classes of a port (IEEE 802.1Q)."""


LOSSLESS_QUEUE_PROFILE = "egress_lossless_profile"


LOSSY_QUEUE_PROFILES = ("q_lossy_profile", "egress_lossy_profile")
"""Profiles of queues as vendors' buffer tables name them; of the last two the first one that exists is a queue's.

Source:
    sonic-net/sonic-buildimage 086b03bd, files/build_templates/buffers_config.j2.
"""


@dataclass(frozen=True, slots=True)
class PgProfile:
    """Headroom profile of a lossless priority group at one speed and cable class.

    Attributes:
        row_m: The table row the real length was rounded up to; in whole metres where headroom is computed.
        lanes: Lanes and ``mtu_bytes`` the MTU of the ports it is for; 0 where a table knows neither.
    """

    name: Annotated[str, Origin(*keys.HEADROOM_VALUE)]
    speed_gbps: Annotated[int, Origin(keys.SPEED)]
    row_m: Annotated[int, Origin(*keys.HEADROOM_VALUE)]
    size_bytes: Annotated[int, Origin(keys.MODEL, keys.LENGTH, keys.SPEED)]
    xon_bytes: Annotated[int, Sticky(keys.MODEL, keys.LENGTH, keys.SPEED)]
    xon_offset_bytes: Annotated[int | None, Sticky(keys.MODEL, keys.LENGTH, keys.SPEED)]
    xoff_bytes: Annotated[int, Origin(*keys.HEADROOM_VALUE)]
    dynamic_th: Annotated[int, Sticky(keys.MODEL, keys.LENGTH, keys.SPEED)]
    source: Annotated[str, Origin(keys.MODEL)]
    lanes: Annotated[int, Origin(keys.SPEED, keys.MODEL)] = 0
    mtu_bytes: Annotated[int, Origin(keys.MTU)] = 0
    derivation: Annotated[str, Origin(*keys.HEADROOM_VALUE)] = ""

    @property
    def held_bytes(self) -> int:
        """Return the buffer that a port has to set aside where nothing is shared."""
        return max(self.size_bytes, self.xon_bytes + self.xoff_bytes)


@dataclass(frozen=True, slots=True)
class Pool:
    """A shared buffer pool as the vendor ships it for the SKU.

    ``computed``: the switch sizes it; ``size_bytes`` is then what it comes to at the reserved maximum.
    """

    name: Annotated[str, Sticky(keys.MODEL)]
    kind: Annotated[str, Sticky(keys.MODEL)]
    mode: Annotated[str, Sticky(keys.MODEL)]
    size_bytes: Annotated[int, Origin(keys.MODEL)]
    xoff_bytes: Annotated[int | None, Origin(keys.MODEL)]
    computed: Annotated[bool, Origin(keys.MODEL)] = False


@dataclass(slots=True)
class Profile:
    """A buffer profile that is not headroom; exactly one threshold is set, ``dynamic_th`` is log2 of alpha."""

    name: Annotated[str, Sticky(keys.MODEL)]
    pool: Annotated[str, Sticky(keys.MODEL)]
    size_bytes: Annotated[int, Origin(keys.MODEL)]
    dynamic_th: Annotated[int | None, Origin(keys.MODEL)]
    static_th_bytes: Annotated[int | None, Origin(keys.MODEL)]


def egress_port_bytes(profiles: Sequence[Profile], lossless: int) -> int:
    """Reserved size of a port's egress profiles: one of the port for each pool, and one of each queue."""
    by_name = {profile.name: profile for profile in profiles}
    of_port: dict[str, int] = {}
    for name in (LOSSLESS_QUEUE_PROFILE, LOSSY_QUEUE_PROFILES[-1]):
        if name in by_name:
            of_port.setdefault(by_name[name].pool, by_name[name].size_bytes)
    lossy = next((by_name[name].size_bytes for name in LOSSY_QUEUE_PROFILES if name in by_name), 0)
    own = by_name[LOSSLESS_QUEUE_PROFILE].size_bytes if LOSSLESS_QUEUE_PROFILE in by_name else 0
    return sum(of_port.values()) + lossless * own + (QUEUES - lossless) * lossy


class AsicMemory(NamedTuple):
    """Packet memory of an ASIC, by the names of the catalog; ``source`` says where it comes from. 0 is unpublished.

    Attributes:
        buffer_bytes: Packet buffer, ``itm`` memories of equal size.
        cells_available: Cells of each memory that pools can be cut from.
        pools_exclude_reserved: Pool sizes are what is left once headroom and reserved sizes are taken off.
        group_reserved_bytes: What the SDK sets aside for each lossy and for the management priority group of a port,
            ``group_reserved_8_lanes_bytes`` if the port has eight lanes, ``port_reserved_bytes`` for each port beside
            that and ``fixed_reserved_bytes`` for the switch.
        queues_reserved_bytes: What the queues of a port keep of an ingress pool that includes reserved sizes.
    """

    id: str
    source: str
    buffer_bytes: int = 0
    cell_bytes: int = 0
    itm: int = 0
    cells_available: int = 0
    pools_exclude_reserved: bool = False
    group_reserved_bytes: int = 0
    group_reserved_8_lanes_bytes: int = 0
    port_reserved_bytes: int = 0
    fixed_reserved_bytes: int = 0
    queues_reserved_bytes: int = 0


@dataclass(slots=True)
class Buffers:
    """Pools, profiles and headroom of one switch SKU; ``source`` is the vendor file they stand in.

    Attributes:
        headroom: Sorted by speed, then by length.
        computed: The switch computes headroom and pools itself; ``headroom`` and sizes are what it comes to.
        traffic_mtu_bytes: What it takes lossless packets to be, with ``small_packet_pct`` of 100 small ones, and
            ``default_dynamic_th`` as log2 of alpha.
        skips_reservation: The vendor keeps the maker's SDK from reserving cells, so all of them are available.
        pools_exclude_reserved: As for an ASIC, where the vendor counts otherwise than its maker.
    """

    pools: Annotated[tuple[Pool, ...], Sticky(keys.MODEL)]
    profiles: Annotated[tuple[Profile, ...], Sticky(keys.MODEL)]
    headroom: Annotated[tuple[PgProfile, ...], Sticky(keys.LINKS_LENGTH, keys.LINKS_SPEED, keys.MODEL)]
    source: Annotated[str, Origin(keys.MODEL)]
    asic: Annotated[AsicMemory, Origin(keys.MODEL)]
    skips_reservation: Annotated[bool, Origin(*keys.POLLED_PORTS)] = False
    pools_exclude_reserved: Annotated[bool, Origin(keys.MODEL)] = False
    computed: Annotated[bool, Origin(keys.MODEL)] = False
    traffic_mtu_bytes: Annotated[int, Origin(keys.MODEL)] = 0
    small_packet_pct: Annotated[int, Origin(keys.MODEL)] = 0
    default_dynamic_th: Annotated[int, Origin(keys.MODEL)] = 0

    @property
    def lossless_pool(self) -> Pool | None:
        """The ingress pool that lossless priority groups take from; None where no pool is known."""
        pools = [pool for pool in self.pools if pool.kind == "ingress"]
        return next((pool for pool in pools if "lossless" in pool.name), pools[0] if pools else None)

    def headroom_for(self, speed_gbps: int, length_m: float, lanes: int = 0, mtu_bytes: int = 0) -> PgProfile | None:
        """The headroom profile that covers a cable, or None if planning found none; 0 stands for any lanes or MTU."""
        first = bisect_left(self.headroom, (speed_gbps, length_m), key=lambda row: (row.speed_gbps, row.row_m))
        return next(
            (
                row
                for row in self.headroom[first:]
                if row.speed_gbps == speed_gbps
                and (not lanes or row.lanes in (0, lanes))
                and (not mtu_bytes or row.mtu_bytes in (0, mtu_bytes))
            ),
            None,
        )
