"""The rows of a buffer's account: what each part takes, how that follows, and from which public figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fabricgen.analysis.port_groups import PortGroup
from fabricgen.analysis.shared_space import size_pools
from fabricgen.physics.headroom_dynamic import EIGHT_LANES, PRIVATE_HEADROOM_BYTES
from fabricgen.plan.model.buffers import (
    LOSSLESS_QUEUE_PROFILE,
    LOSSY_QUEUE_PROFILES,
    QUEUES,
    Buffers,
    Pool,
    Profile,
    egress_port_bytes,
)
from fabricgen.plan.model.contract import Contract

MEMORY, EGRESS, DEMAND = "memory", "egress", "demand"
"""Views: what adds up to the buffer; the same cells as they leave; what could be asked for at once."""
RESERVE = "vendor's reserve"

LOSSY_GROUP_PROFILE = "ingress_lossy_profile"

_GROSS = (
    "facebook/fboss 14ec47ec, SaiBufferManager.cpp: a pool's size is shared + headroom + reserved; "
    "opencomputeproject/SAI saibuffer.h, SHARED_SIZE"
)
_NET = (
    "sonic-net/sonic-swss e6b0c5b5, cfgmgr/buffer_pool_mellanox.lua: a pool's size is what headroom and reserved leave"
)
_SIZED = "sonic-net/sonic-swss e6b0c5b5, cfgmgr/buffer_pool_mellanox.lua: ingress pools share what is not occupied"
_MEASURED = "sonic-net/sonic-mgmt b4ba9de3, tests/qos/files/qos_params.th5.yaml"
_SET_ASIDE = "sonic-net/sonic-swss e6b0c5b5, cfgmgr/buffer_pool_mellanox.lua: set aside per group, port and switch"


class BufferRow(NamedTuple):
    """One part of a buffer; ``derivation`` is the formula with its numbers, or the table row, it comes from."""

    view: str
    part: str
    pool: str
    now_bytes: int
    maximum_bytes: int
    derivation: str
    source: str


def list_rows(
    buffers: Buffers, sku: str, contract: Contract, groups: Sequence[PortGroup], box_ports: int
) -> Iterator[BufferRow]:
    """Every row of a switch's account; none where the catalog has no pools for it."""
    if not buffers.pools:
        return
    account = _Account(buffers, sku, contract, groups, box_ports)
    yield from account.ingress()
    yield from account.set_aside()
    yield from account.of_ports()
    yield from account.kept()
    yield from account.egress()
    if contract.lossless:
        yield account.demand()


class _Account:
    """The tables of one SKU and the ports that take from them."""

    def __init__(
        self, buffers: Buffers, sku: str, contract: Contract, groups: Sequence[PortGroup], box_ports: int
    ) -> None:
        self.buffers = buffers
        self.box_ports = box_ports
        self.table = f"{buffers.source}, {sku}".removesuffix(", ")
        self.groups = groups
        self.now = sum(group.now for group in groups)
        self.maximum = sum(group.maximum for group in groups)
        self.lossless = len(contract.lossless)
        self.lossy_groups = contract.lossy_groups
        self.sized = size_pools(buffers, contract, groups) if buffers.computed else None

    def ingress(self) -> Iterator[BufferRow]:
        """Every ingress pool: its headroom, what is reserved in it or beside it, what is shared."""
        pools = [pool for pool in self.buffers.pools if pool.kind == "ingress"]
        lossless = self.buffers.lossless_pool
        lossy = self._profile(LOSSY_GROUP_PROFILE)
        for pool in pools:
            reserved = list(self._lossless_groups(pool)) if pool is lossless else []
            if lossy is not None and lossy.pool == pool.name:
                part, count = "reserved, lossy priority groups", self.lossy_groups
                reserved.append(self._reserved(MEMORY, part, pool.name, lossy.size_bytes, count, lossy.name))
            if pool.xoff_bytes:
                derivation = f"xoff of {pool.name}: {pool.xoff_bytes}"
                headroom = pool.xoff_bytes
                yield BufferRow(MEMORY, "headroom pool", pool.name, headroom, headroom, derivation, self.table)
            if pool is lossless:
                reserved += self._queues(pool)
            yield from reserved
            yield self._shared(MEMORY, pool, reserved)

    def egress(self) -> Iterator[BufferRow]:
        """Every egress pool: what is reserved for queues, what is shared."""
        lossless = self._profile(LOSSLESS_QUEUE_PROFILE)
        lossy = next((found for name in LOSSY_QUEUE_PROFILES if (found := self._profile(name))), None)
        uses = ((lossless, self.lossless, "lossless queues"), (lossy, QUEUES - self.lossless, "lossy queues"))
        for pool in (pool for pool in self.buffers.pools if pool.kind == "egress"):
            reserved = [
                self._reserved(EGRESS, f"reserved, {what}", pool.name, profile.size_bytes, count, profile.name)
                for profile, count, what in uses
                if profile is not None and count and profile.pool == pool.name
            ]
            yield from reserved
            yield self._shared(EGRESS, pool, reserved)

    def set_aside(self) -> Iterator[BufferRow]:
        """Yield what the SDK sets aside by a published rule, whatever the tables say."""
        asic = self.buffers.asic
        groups = self.lossy_groups + 1
        if asic.group_reserved_bytes:
            sizes = [
                (group, asic.group_reserved_8_lanes_bytes if group.lanes == EIGHT_LANES else asic.group_reserved_bytes)
                for group in self.groups
            ]
            yield BufferRow(
                MEMORY,
                "set aside, lossy and management priority groups",
                "",
                sum(size * groups * group.now for group, size in sizes),
                sum(size * groups * group.maximum for group, size in sizes),
                " + ".join(f"{size} B x {groups} x {_both(g.now, g.maximum)} ports" for g, size in sizes),
                _SET_ASIDE,
            )
        if asic.port_reserved_bytes:
            size = asic.port_reserved_bytes
            derivation = f"{size} B x {_both(self.now, self.maximum)} ports"
            yield BufferRow(
                MEMORY, "set aside, mirroring", "", size * self.now, size * self.maximum, derivation, _SET_ASIDE
            )
        if asic.fixed_reserved_bytes:
            size = asic.fixed_reserved_bytes
            yield BufferRow(MEMORY, "set aside, management", "", size, size, f"{size} B", _SET_ASIDE)

    def of_ports(self) -> Iterator[BufferRow]:
        """Yield what the switch's own formula takes off for each port beside its priority groups."""
        if self.sized is None:
            return
        size = egress_port_bytes(self.buffers.profiles, self.lossless)
        if size:
            derivation = f"egress profiles of a port and its queues: {size} B x {_both(self.now, self.maximum)} ports"
            part = "reserved, egress profiles of ports"
            yield BufferRow(MEMORY, part, "", size * self.now, size * self.maximum, derivation, f"{self.table}; {_NET}")
        if self.lossless and any(pool.xoff_bytes for pool in self.buffers.pools):
            size = PRIVATE_HEADROOM_BYTES
            derivation = f"{size} B x {_both(self.now, self.maximum)} ports"
            part = "reserved, private headroom of ports"
            yield BufferRow(MEMORY, part, "", size * self.now, size * self.maximum, derivation, _SET_ASIDE)

    def kept(self) -> Iterator[BufferRow]:
        """Yield what the maker or the vendor keeps out of every pool, where a published figure says how much.

        The figure is the ASIC's cells that are left for pools; or, where the vendor switched that reservation off or
        its pools are larger, the largest static threshold of the SKU: no profile reaches beyond it.
        """
        b, asic = self.buffers, self.buffers.asic
        pools = sum(pool.size_bytes for pool in b.pools if pool.kind == "ingress")
        usable = asic.itm * asic.cells_available * asic.cell_bytes
        if not asic.buffer_bytes:
            return
        if usable and not b.skips_reservation and pools <= usable <= asic.buffer_bytes:
            cells = asic.buffer_bytes // (asic.itm * asic.cell_bytes)
            kept = asic.itm * (cells - asic.cells_available) * asic.cell_bytes
            derivation = f"kept by the SDK: {asic.itm} memories x ({cells} - {asic.cells_available} usable cells)"
            derivation += f" x {asic.cell_bytes} B"
            yield BufferRow(MEMORY, RESERVE, "", kept, kept, derivation, asic.source)
            return
        reach = max((profile for profile in b.profiles if profile.static_th_bytes), key=_static, default=None)
        if reach is not None and pools <= _static(reach) < asic.buffer_bytes:
            kept = asic.buffer_bytes - _static(reach)
            why = "the SDK's reservation is skipped; " if b.skips_reservation else ""
            derivation = (
                f"{why}no threshold reaches beyond static_th of {reach.name}: {asic.buffer_bytes} - {_static(reach)}"
            )
            yield BufferRow(MEMORY, RESERVE, "", kept, kept, derivation, f"{asic.source}; {self.table}")

    def demand(self) -> BufferRow:
        """Headroom if every lossless priority group pauses at once."""
        with_headroom = [(group, group.profile.xoff_bytes) for group in self.groups if group.profile]
        terms = " + ".join(
            f"{xoff} B x {self.lossless} x {_both(group.now, group.maximum)} ports" for group, xoff in with_headroom
        )
        return BufferRow(
            DEMAND,
            "headroom if every lossless priority group pauses",
            "",
            sum(xoff * group.now for group, xoff in with_headroom) * self.lossless,
            sum(xoff * group.maximum for group, xoff in with_headroom) * self.lossless,
            terms or "no lossless port",
            "; ".join(dict.fromkeys(group.profile.source for group in self.groups if group.profile))
            if self.sized
            else self.table,
        )

    def _lossless_groups(self, pool: Pool) -> Iterator[BufferRow]:
        """Reserved size of the lossless priority groups, by link group."""
        own = "" if pool.xoff_bytes else " and headroom"
        for group in self.groups:
            if group.profile is None or not self.lossless:
                continue
            size, row = group.profile.size_bytes, f"{group.profile.speed_gbps}G {group.profile.row_m} m"
            what = "computed size at" if self.sized else "size of row"
            yield BufferRow(
                MEMORY,
                f"reserved{own}, lossless priority groups of {self._label(group)}",
                pool.name,
                size * self.lossless * group.now,
                size * self.lossless * group.maximum,
                f"{what} {row}: {size} B x {self.lossless} x {_both(group.now, group.maximum)} ports",
                group.profile.source if self.sized else self.table,
            )

    def _label(self, group: PortGroup) -> str:
        """The link group of ports, with cable and MTU where it has several kinds of them."""
        alike = [other for other in self.groups if other.link == group.link]
        own = "" if len({other.length_m for other in alike}) == 1 else f", {group.length_m:g} m"
        return f"{group.link}{own}" + ("" if len({o.mtu_bytes for o in alike}) == 1 else f", MTU {group.mtu_bytes}")

    def _queues(self, pool: Pool) -> Iterator[BufferRow]:
        """Yield what the queues of every port of the box keep of an ingress pool, with a link or without."""
        size = self.buffers.asic.queues_reserved_bytes
        if size:
            part, kept = "reserved, queues of ports", size * self.box_ports
            derivation = f"what measured boards leave over, not documented: {size} B x {self.box_ports} ports"
            yield BufferRow(MEMORY, part, pool.name, kept, kept, derivation, _MEASURED)

    def _reserved(self, view: str, part: str, pool: str, size: int, count: int, profile: str) -> BufferRow:
        derivation = f"size of {profile}: {size} B x {count} x {_both(self.now, self.maximum)} ports"
        return BufferRow(view, part, pool, size * count * self.now, size * count * self.maximum, derivation, self.table)

    def _shared(self, view: str, pool: Pool, reserved: Sequence[BufferRow]) -> BufferRow:
        """The shared part of a pool: what the pool's size leaves, or the size itself where that is what is left."""
        if self.sized is not None and pool.computed:
            s = self.sized
            derivation = (
                f"size of {pool.name}: ({s.memory_bytes} - {_both(s.occupied_now, s.occupied_maximum)} occupied)"
            )
            derivation += f" / {s.ingress}" if s.ingress > 1 else ""
            return BufferRow(view, "shared", pool.name, s.now_bytes, s.maximum_bytes, derivation, _SIZED)
        if self.buffers.pools_exclude_reserved or self.buffers.asic.pools_exclude_reserved:
            derivation = f"size of {pool.name}: {pool.size_bytes}"
            size = pool.size_bytes
            return BufferRow(view, "shared", pool.name, size, size, derivation, f"{self.table}; {_NET}")
        now, maximum = sum(row.now_bytes for row in reserved), sum(row.maximum_bytes for row in reserved)
        without = pool.size_bytes - (pool.xoff_bytes or 0)
        headroom = f" - {pool.xoff_bytes} headroom" if pool.xoff_bytes else ""
        derivation = f"size of {pool.name}: {pool.size_bytes}{headroom} - {_both(now, maximum)} reserved"
        return BufferRow(
            view, "shared", pool.name, without - now, without - maximum, derivation, f"{self.table}; {_GROSS}"
        )

    def _profile(self, name: str) -> Profile | None:
        return next((profile for profile in self.buffers.profiles if profile.name == name), None)


def _static(profile: Profile) -> int:
    return profile.static_th_bytes or 0


def _both(now: int, maximum: int) -> str:
    """A number now and at the maximum, once if it is the same."""
    return str(now) if now == maximum else f"{now} (maximum {maximum})"
