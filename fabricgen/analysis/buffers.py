"""Account of every byte of a switch's packet buffer, now and with every reserved link in place.

Rows of the view ``memory`` are parts of the buffer, each from a formula or a table. Rows of the view ``egress`` count
the same cells a second time, when they leave. What the rows leave of the buffer is no row: no public figure explains
it, and the result lists it beside them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from fabricgen.analysis.buffer_rows import MEMORY, BufferRow, list_rows
from fabricgen.analysis.port_groups import PortGroup, SwitchKind, list_kinds
from fabricgen.physics.headroom import headroom_pool_ratio
from fabricgen.plan.model.buffers import Pool
from fabricgen.plan.model.contract import Contract
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.topology import Tier


class HeadroomUse(NamedTuple):
    """Headroom that all lossless priority groups of a switch could need at once, against the pool it is cut from.

    ``pool`` is empty and ``pool_bytes`` 0 where every priority group has headroom of its own.
    """

    pool: str
    pool_bytes: int
    groups_now: int
    groups_maximum: int
    now_bytes: int
    maximum_bytes: int

    @property
    def ratio_now(self) -> float | None:
        """Oversubscription of the pool now; None without a pool."""
        return headroom_pool_ratio([self.now_bytes], self.pool_bytes) if self.pool_bytes else None

    @property
    def ratio_maximum(self) -> float | None:
        """Oversubscription of the pool at the reserved maximum; None without a pool."""
        return headroom_pool_ratio([self.maximum_bytes], self.pool_bytes) if self.pool_bytes else None


@dataclass(frozen=True, slots=True)
class BufferUse:
    """The buffer of switches of one tier with equal ports: as many links in use, of the same cables and MTU.

    ``key`` is the class of switches that stands for them; ``buffer_bytes`` is 0 if unpublished: nothing is unexplained.
    """

    key: str
    tier: str
    model: str
    sku: str
    asic: str
    switches: int
    ports: tuple[PortGroup, ...]
    pools: tuple[Pool, ...]
    buffer_bytes: int
    rows: tuple[BufferRow, ...]
    headroom: HeadroomUse

    @property
    def ports_now(self) -> int:
        """Ports with a link."""
        return sum(group.now for group in self.ports)

    @property
    def ports_maximum(self) -> int:
        """Ports with a link at the reserved maximum."""
        return sum(group.maximum for group in self.ports)

    @property
    def accounted_now(self) -> int:
        """Bytes of the memory that the rows account for now."""
        return sum(row.now_bytes for row in self.rows if row.view == MEMORY)

    @property
    def accounted_maximum(self) -> int:
        """The same at the reserved maximum."""
        return sum(row.maximum_bytes for row in self.rows if row.view == MEMORY)

    @property
    def unexplained_now(self) -> int:
        """Bytes no public figure explains; negative where more is handed out than there is."""
        return self.buffer_bytes - self.accounted_now if self.buffer_bytes and self.rows else 0

    @property
    def unexplained_maximum(self) -> int:
        """The same at the reserved maximum."""
        return self.buffer_bytes - self.accounted_maximum if self.buffer_bytes and self.rows else 0


def analyze_buffers(plan: FabricPlan) -> list[BufferUse]:
    """The buffer of every kind of switch, in the order of the tiers; switches that use it alike are one entry."""
    return [_use(plan, kind) for kind in list_kinds(plan)]


def reserved_buffers(plan: FabricPlan, kinds: Iterable[SwitchKind]) -> list[tuple[SwitchKind, BufferUse]]:
    """The buffer of every kind of switch of ``list_reserved``; kinds that take the same share one account."""
    found: dict[Hashable, BufferUse] = {}
    uses = []
    for kind in kinds:
        taken = tuple((group.link, group.profile, group.now, group.maximum) for group in kind.ports)
        alike = (kind.tier.name, kind.tier.buffers.pools, taken, kind.box_ports)
        if alike not in found:
            found[alike] = _use(plan, kind)
        uses.append((kind, found[alike]))
    return uses


def headroom_use(tier: Tier, contract: Contract, groups: Iterable[PortGroup]) -> HeadroomUse:
    """Return what headroom the lossless priority groups of a switch could need, and the pool it comes from."""
    pool = next((pool for pool in tier.buffers.pools if pool.xoff_bytes), None)
    priorities = len(contract.lossless)
    with_headroom = [(group, group.profile.xoff_bytes) for group in groups if group.profile]
    return HeadroomUse(
        pool=pool.name if pool else "",
        pool_bytes=(pool.xoff_bytes or 0) if pool else 0,
        groups_now=sum(group.now for group, _ in with_headroom) * priorities,
        groups_maximum=sum(group.maximum for group, _ in with_headroom) * priorities,
        now_bytes=sum(group.now * xoff for group, xoff in with_headroom) * priorities,
        maximum_bytes=sum(group.maximum * xoff for group, xoff in with_headroom) * priorities,
    )


def _use(plan: FabricPlan, kind: SwitchKind) -> BufferUse:
    tier = kind.tier
    return BufferUse(
        key=kind.key,
        tier=tier.name,
        model=tier.model,
        sku=tier.sku,
        asic=tier.buffers.asic.id,
        switches=kind.switches,
        ports=kind.ports,
        pools=tier.buffers.pools,
        buffer_bytes=tier.buffers.asic.buffer_bytes,
        rows=tuple(list_rows(tier.buffers, tier.sku, plan.contract, kind.ports, kind.box_ports)),
        headroom=headroom_use(tier, plan.contract, kind.ports),
    )
