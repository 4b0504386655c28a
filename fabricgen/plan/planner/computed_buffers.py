"""Headroom and pools of switches that compute both themselves, from the cables and the ports that are up."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import ceil
from typing import NamedTuple

from fabricgen.catalog.records import Asic, BufferSet
from fabricgen.physics import Refusal
from fabricgen.physics.headroom_dynamic import (
    EIGHT_LANES,
    SCRIPTED_MAKERS,
    DynamicHeadroom,
    HeadroomScript,
    LosslessPort,
    LosslessTraffic,
    ScriptedPorts,
    SetAside,
    dynamic_headroom,
    headroom_script,
    headroom_terms,
    occupied_bytes,
    pool_bytes,
)
from fabricgen.plan.model.buffers import PgProfile, Pool, Profile, egress_port_bytes
from fabricgen.plan.model.contract import Contract

TRAFFIC = LosslessTraffic(mtu_bytes=1024, small_packet_pct=50)
"""Lossless packets as SONiC ships them.

Source:
    sonic-net/sonic-buildimage 086b03bd, files/build_templates/buffers_config.j2, LOSSLESS_TRAFFIC_PATTERN.
"""

DEFAULT_DYNAMIC_TH = 0
"""Log2 of alpha of a computed priority group, from DEFAULT_LOSSLESS_BUFFER_PARAMETER of the same file."""

LONGEST_TABLED_M = 300
"""Longest cable of the tables NVIDIA ships; marking is computed as if every cable were that long."""

DEFAULT_MTU_BYTES = 9100
FULL_EIGHT_LANES_GBPS = {"spectrum3": 400, "spectrum4": 800, "spectrum5": 800}
"""Speed that eight lanes of an ASIC always run; at another one the profile's name says how many lanes there are.

Source:
    sonic-net/sonic-swss e6b0c5b5 cfgmgr/buffermgrdyn.cpp, getDynamicProfileName.
"""

NO_SHARED_HEADROOM = 0
"""Bytes of the shared headroom pool where the switch computes pools: every priority group has its own.

An ``xoff`` in the pool, as in the vendor's static template, would turn shared headroom on.

Source:
    sonic-net/sonic-buildimage 202605 10ae4708, buffers_defaults_objects.j2 of ACS-MSN2700, to which the HwSKUs link:
    with ``dynamic_mode`` the pool has neither ``size`` nor ``xoff``.
"""

SCRIPT = "sonic-net/sonic-swss cfgmgr/buffer_headroom_mellanox.lua"
MEMORY_POOL = "egress_lossless_pool"
"""The pool whose size is the whole shared memory; the scripts leave it alone."""


def choose_script(asic: Asic, release: str) -> HeadroomScript | None:
    """The script that computes headroom on an ASIC; None where no maker of scripts made it.

    Without a release it is the newest, which reserves at least what every script since 202405 does.
    """
    return headroom_script(release) if asic.vendor in SCRIPTED_MAKERS else None


class CableUse(NamedTuple):
    """A link group on a tier's switches: what decides the headroom of its ports, and how many of them there can be."""

    link: str
    speed_gbps: int
    length_m: float
    mtu_bytes: int
    lanes: int
    ports: int


class SharedPool(NamedTuple):
    """Part of each of a switch's memories that queues share.

    Attributes:
        group_bytes: What a lossless priority group has for itself before that.
        memories: How many memories the buffer consists of, each with an equal part of the ports.
    """

    alpha: float
    shared_bytes: int
    group_bytes: int = 0
    memories: int = 1


class ScriptedSizes(NamedTuple):
    """Buffers of a switch as its script computes them at the reserved maximum.

    Attributes:
        headroom: Profiles of its link groups, sorted by speed, length, lanes and MTU.
        pools: The vendor's pools with their sizes; shared headroom is off.
    """

    headroom: tuple[PgProfile, ...]
    pools: tuple[Pool, ...]
    shared: SharedPool


class ScriptedSwitches:
    """Switches with one ASIC, pools, classes and script: what the sums over their ports have in common."""

    def __init__(
        self, asic: Asic, chosen: BufferSet, profiles: Sequence[Profile], contract: Contract, script: HeadroomScript
    ) -> None:
        """Prepare for switches."""
        self._asic, self._script, self._pools = asic.id, script, chosen.pools
        self._aside = SetAside(
            asic.group_reserved_bytes or 0,
            asic.group_reserved_8_lanes_bytes or 0,
            asic.port_reserved_bytes or 0,
            asic.fixed_reserved_bytes or 0,
        )
        self._lossless, self._lossy_groups = len(contract.lossless), contract.lossy_groups
        self._egress_bytes = egress_port_bytes(profiles, self._lossless)
        self._memory_bytes = next((pool.size_bytes for pool in chosen.pools if pool.name == MEMORY_POOL), 0)
        self._ingress = sum(pool.kind == "ingress" for pool in chosen.pools)

    def size(self, uses: Sequence[CableUse]) -> ScriptedSizes | Refusal:
        """The buffers of a switch with some links; the refusal FG-BUF-014 if the script does not know the ASIC.

        Marking follows from the pool as it is with the longest tabled cables, so that no cable changes it.
        """
        rows, tabled = [], []
        for use in uses:
            row = self._row(use, use.length_m)
            longest = row if use.length_m >= LONGEST_TABLED_M else self._row(use, LONGEST_TABLED_M)
            if isinstance(row, Refusal):
                return row
            if isinstance(longest, Refusal):
                return longest
            rows.append(row)
            tabled.append(longest)
        own = min((row.size_bytes - row.xoff_bytes for row in tabled), default=0)
        return ScriptedSizes(
            tuple(sorted(dict.fromkeys(rows), key=lambda row: (row.speed_gbps, row.row_m, row.lanes, row.mtu_bytes))),
            self._sized_pools(self._pool_bytes(uses, rows)),
            SharedPool(2.0**DEFAULT_DYNAMIC_TH, max(0, self._pool_bytes(uses, tabled)), own),
        )

    def _row(self, use: CableUse, length_m: float) -> PgProfile | Refusal:
        port = LosslessPort(use.speed_gbps, use.lanes, ceil(length_m), use.mtu_bytes)
        return _headroom_row(self._asic, port, self._script)

    def _sized_pools(self, size_bytes: int) -> tuple[Pool, ...]:
        """The vendor's pools, those that the script sizes with that size."""
        return tuple(
            Pool(pool.name, pool.kind, pool.mode, pool.size_bytes, pool.xoff_bytes or None)
            if pool.name == MEMORY_POOL
            else Pool(pool.name, pool.kind, pool.mode, size_bytes, None, computed=True)
            for pool in self._pools
        )

    def _pool_bytes(self, uses: Sequence[CableUse], rows: Sequence[PgProfile]) -> int:
        """Size of every computed pool if the priority groups of each of the uses have that headroom."""
        lossless, lossy, egress = self._lossless, self._lossy_groups, self._egress_bytes
        ports = [
            ScriptedPorts(use.ports, use.lanes, lossless * row.size_bytes, lossy, egress)
            for use, row in zip(uses, rows, strict=True)
        ]
        return pool_bytes(self._memory_bytes, occupied_bytes(ports, self._aside, NO_SHARED_HEADROOM), self._ingress)


@lru_cache(maxsize=1 << 14)
def _headroom_row(asic: str, port: LosslessPort, script: HeadroomScript) -> PgProfile | Refusal:
    """Headroom of a port; the refusal FG-BUF-014 if the script does not know the ASIC."""
    computed = dynamic_headroom(asic, port, TRAFFIC, script)
    if isinstance(computed, Refusal):
        return computed
    return PgProfile(
        name=_name(asic, port),
        speed_gbps=port.speed_gbps,
        row_m=int(port.cable_m),
        size_bytes=computed.size_bytes,
        xon_bytes=computed.xon_bytes,
        xon_offset_bytes=None,
        xoff_bytes=computed.xoff_bytes,
        dynamic_th=DEFAULT_DYNAMIC_TH,
        source=f"{SCRIPT}, {script.value}",
        lanes=port.lanes,
        mtu_bytes=port.mtu_bytes,
        derivation=_derivation(asic, port, script, computed),
    )


def _name(asic: str, port: LosslessPort) -> str:
    """Name of the profile as the buffer manager makes it up."""
    mtu = "" if port.mtu_bytes == DEFAULT_MTU_BYTES else f"_mtu{port.mtu_bytes}"
    full = FULL_EIGHT_LANES_GBPS.get(asic, port.speed_gbps) == port.speed_gbps
    lanes = "_8lane" if port.lanes == EIGHT_LANES and not full else ""
    return f"pg_lossless_{port.speed_gbps * 1000}_{port.cable_m:.0f}m{mtu}{lanes}_profile"


def _derivation(asic: str, port: LosslessPort, script: HeadroomScript, computed: DynamicHeadroom) -> str:
    """The formula with its numbers."""
    terms = headroom_terms(asic, port, TRAFFIC, script)
    parts = f"{terms.port_mtu:g} port MTU + {terms.cable:.0f} cable + {terms.mac_phy:.0f} MAC and PHY + "
    parts += f"{terms.peer:g} pause response" + (f" + {terms.tile:g} on tile" if terms.tile else "")
    whole = f"{TRAFFIC.mtu_bytes} + ({parts}) x {terms.occupancy:.4f}, up to whole KB"
    extra = computed.xoff_bytes - terms.xoff_bytes
    size = "xoff + xon" + (" + port MTU" if port.lanes == EIGHT_LANES else "")
    return f"xoff = {whole}" + (f", + {extra}" if extra else "") + f"; size = {size}"
