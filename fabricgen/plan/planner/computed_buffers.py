"""Headroom and pools of switches that compute both themselves, from the cables and the ports that are up."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from fabricgen.catalog.records import Asic, BufferSet
from fabricgen.physics.headroom_dynamic import (
    DynamicHeadroom,
    HeadroomScript,
    LosslessPort,
    LosslessTraffic,
    dynamic_headroom,
    headroom_script,
    headroom_terms,
)
from fabricgen.physics.pools_dynamic import (
    EIGHT_LANES,
    SCRIPTED_MAKERS,
    ScriptedPorts,
    SetAside,
    occupied_bytes,
    pool_bytes,
)
from fabricgen.physics.refusal import Refusal
from fabricgen.plan.model.buffers import PgProfile, Pool, Profile, egress_port_bytes
from fabricgen.plan.model.contract import Contract

TRAFFIC = LosslessTraffic(mtu_bytes=1024, small_packet_pct=50)
"""Lossless packets as SONiC ships them.

Source:
    sonic-net/sonic-buildimage 086b03bd, files/build_templates/buffers_config.j2, LOSSLESS_TRAFFIC_PATTERN.
"""

DEFAULT_DYNAMIC_TH = 0
"""Log2 of alpha of a computed priority group.

Source:
    The same file, DEFAULT_LOSSLESS_BUFFER_PARAMETER.
"""

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
        alpha: Dynamic threshold of its lossless priority groups.
        shared_bytes: What the queues of one memory share.
        group_bytes: What a lossless priority group has for itself before that.
        memories: How many memories the buffer consists of, each with an equal part of the ports.
    """

    alpha: float
    shared_bytes: int
    group_bytes: int = 0
    memories: int = 1


class ScriptedSwitch(NamedTuple):
    """A switch at the reserved maximum: its ASIC and pools, its links, its classes, and the script of its release."""

    asic: Asic
    chosen: BufferSet
    profiles: tuple[Profile, ...]
    uses: Sequence[CableUse]
    contract: Contract
    script: HeadroomScript

    def headroom(self) -> tuple[PgProfile, ...] | Refusal:
        """Headroom of every link group, sorted; the refusal FG-BUF-014 if the script does not know the ASIC."""
        rows: dict[tuple[int, int, int, int], PgProfile] = {}
        for use in self.uses:
            row_m = ceil(use.length_m)
            computed = self._computed(use, row_m)
            if isinstance(computed, Refusal):
                return computed
            rows[use.speed_gbps, row_m, use.lanes, use.mtu_bytes] = PgProfile(
                name=self._name(use, row_m),
                speed_gbps=use.speed_gbps,
                row_m=row_m,
                size_bytes=computed.size_bytes,
                xon_bytes=computed.xon_bytes,
                xon_offset_bytes=None,
                xoff_bytes=computed.xoff_bytes,
                dynamic_th=DEFAULT_DYNAMIC_TH,
                source=f"{SCRIPT}, {self.script.value}",
                lanes=use.lanes,
                mtu_bytes=use.mtu_bytes,
                derivation=self._derivation(use, row_m, computed),
            )
        return tuple(rows[key] for key in sorted(rows))

    def pools(self, headroom: Sequence[PgProfile]) -> tuple[Pool, ...]:
        """The vendor's pools, with the sizes the switch will compute at the reserved maximum and no shared headroom."""
        sizes = {(row.speed_gbps, row.row_m, row.lanes, row.mtu_bytes): row.size_bytes for row in headroom}
        size = self._pool_bytes(
            [sizes[use.speed_gbps, ceil(use.length_m), use.lanes, use.mtu_bytes] for use in self.uses]
        )
        return tuple(
            Pool(pool.name, pool.kind, pool.mode, pool.size_bytes, pool.xoff_bytes or None)
            if pool.name == MEMORY_POOL
            else Pool(pool.name, pool.kind, pool.mode, size, None, computed=True)
            for pool in self.chosen.pools
        )

    def shared(self) -> SharedPool | None:
        """Return what marking follows from.

        The pool as it is with the longest tabled cables, so that no cable changes it.
        """
        sizes, own = [], []
        for use in self.uses:
            computed = self._computed(use, max(LONGEST_TABLED_M, ceil(use.length_m)))
            if isinstance(computed, Refusal):
                return None
            sizes.append(computed.size_bytes)
            own.append(computed.size_bytes - computed.xoff_bytes)
        return SharedPool(2.0**DEFAULT_DYNAMIC_TH, max(0, self._pool_bytes(sizes)), min(own, default=0))

    def _computed(self, use: CableUse, row_m: int) -> DynamicHeadroom | Refusal:
        port = LosslessPort(use.speed_gbps, use.lanes, row_m, use.mtu_bytes)
        return dynamic_headroom(self.asic.id, port, TRAFFIC, shared=False, script=self.script)

    def _pool_bytes(self, sizes: Sequence[int]) -> int:
        """Size of every computed pool if a priority group of each of the uses reserves that much."""
        aside = SetAside(
            self.asic.group_reserved_bytes or 0,
            self.asic.group_reserved_8_lanes_bytes or 0,
            self.asic.port_reserved_bytes or 0,
            self.asic.fixed_reserved_bytes or 0,
        )
        lossless = len(self.contract.lossless)
        egress = egress_port_bytes(self.profiles, lossless)
        ports = [
            ScriptedPorts(use.ports, use.lanes, lossless * size, self.contract.lossy_groups, egress)
            for use, size in zip(self.uses, sizes, strict=True)
        ]
        memory = next((pool.size_bytes for pool in self.chosen.pools if pool.name == MEMORY_POOL), 0)
        ingress = sum(pool.kind == "ingress" for pool in self.chosen.pools)
        return pool_bytes(memory, occupied_bytes(ports, aside, NO_SHARED_HEADROOM), ingress)

    def _name(self, use: CableUse, row_m: int) -> str:
        """Name of the profile as the buffer manager makes it up."""
        mtu = "" if use.mtu_bytes == DEFAULT_MTU_BYTES else f"_mtu{use.mtu_bytes}"
        full = FULL_EIGHT_LANES_GBPS.get(self.asic.id, use.speed_gbps) == use.speed_gbps
        lanes = "_8lane" if use.lanes == EIGHT_LANES and not full else ""
        return f"pg_lossless_{use.speed_gbps * 1000}_{row_m}m{mtu}{lanes}_profile"

    def _derivation(self, use: CableUse, row_m: int, computed: DynamicHeadroom) -> str:
        """The formula with its numbers."""
        port = LosslessPort(use.speed_gbps, use.lanes, row_m, use.mtu_bytes)
        terms = headroom_terms(self.asic.id, port, TRAFFIC, script=self.script)
        parts = f"{terms.port_mtu:g} port MTU + {terms.cable:.0f} cable + {terms.mac_phy:.0f} MAC and PHY + "
        parts += f"{terms.peer:g} pause response" + (f" + {terms.tile:g} on tile" if terms.tile else "")
        whole = f"{TRAFFIC.mtu_bytes} + ({parts}) x {terms.occupancy:.4f}, up to whole KB"
        extra = computed.xoff_bytes - terms.xoff_bytes
        size = "xoff + xon" + (" + port MTU" if use.lanes == EIGHT_LANES else "")
        return f"xoff = {whole}" + (f", + {extra}" if extra else "") + f"; size = {size}"
