"""Rules on buffers and marking thresholds, once per class of switches."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import ClassView, Finding, Needs, PlanView, rule
from fabricgen.diagnostics import Related, Severity
from fabricgen.physics.ecn import ecn_bound_bytes
from fabricgen.physics.headroom import headroom_pool_ratio
from fabricgen.plan.model.topology import Tier


def _lossless_headrooms(tier: Tier, priorities: int) -> list[int]:
    """Headroom of every lossless priority group when all reserved links exist, bytes."""
    rows = {(row.speed_gbps, row.name): row for row in tier.buffers.headroom}
    by_speed: dict[int, int] = {}
    for row in rows.values():
        by_speed[row.speed_gbps] = max(by_speed.get(row.speed_gbps, 0), row.xoff_bytes)
    positions = [*tier.down.slots, *(tier.up.slots if tier.up else ())]
    return [by_speed.get(tier.slots[at].speed_gbps, 0) for at in positions for _ in range(priorities)]


@rule(
    "FG-BUF-001",
    "Headroom pool oversubscribed beyond the limit",
    needs=Needs.PLAN,
    why="If more ports pause at once than the pool has headroom for, lossless traffic is dropped.",
    fix="Use shorter cables, fewer ports or lossless priorities, or raise the limit knowingly.",
    source="sonic-net/sonic-buildimage: vendors ship ratios of 1.07 to 5.3 at 40 m; Bai et al., NSDI 2023",
)
def check_headroom_pool(view: PlanView) -> Iterator[Finding]:
    """The sum of headrooms stays within the operator's limit of the pool."""
    limit = view.intent.lossless.headroom.pool_oversubscription_max
    for tier in view.plan.tiers:
        pool = next((pool for pool in tier.buffers.pools if pool.xoff_bytes), None)
        headrooms = _lossless_headrooms(tier, len(view.plan.contract.lossless))
        if pool is None or not pool.xoff_bytes or not any(headrooms):
            continue
        ratio = headroom_pool_ratio(headrooms, pool.xoff_bytes)
        if ratio > limit:
            yield Finding(
                f"tier {tier.name!r}: {len(headrooms)} lossless priority groups need {sum(headrooms)} bytes of headroom, "
                f"{ratio:.2f} times the pool's {pool.xoff_bytes}; the limit is {limit:g}",
                ("lossless", "headroom", "pool_oversubscription_max"),
                hint=f"raise it to {ratio:.1f} if that is meant",
                related=(Related("the cables", ("links", tier.down.link, "cable", "length_m")),),
            )


@rule(
    "FG-QOS-030",
    "Marking starts after PFC may pause",
    needs=Needs.CLASS,
    severity=Severity.WARNING,
    why="With every port congested the ingress threshold is reached first: senders are paused before they are told.",
    fix="Use lower thresholds, or accept it knowingly: the bound is the worst case.",
    source="Zhu et al., SIGCOMM 2015, section 4: t_ECN < alpha B' / (n (1 + alpha p))",
)
def check_ecn_bound(view: ClassView) -> Iterator[Finding]:
    """Kmin is below the bound at which every ingress could pause."""
    cls = view.cls
    pool = next((pool for pool in cls.buffers.pools if pool.kind == "ingress"), None)
    lossless = len(cls.contract.lossless)
    ports = sum(1 for port in cls.ports if port.side)
    if pool is None or not lossless or not ports or not cls.buffers.headroom:
        return
    alpha = 2.0 ** min(row.dynamic_th for row in cls.buffers.headroom)
    shared = pool.size_bytes - (pool.xoff_bytes or 0)
    bound = ecn_bound_bytes(alpha, shared, ports, lossless)
    for ecn in cls.ecn:
        if ecn.kmin_bytes > bound:
            yield Finding(
                f"{cls.model} at {ecn.speed_gbps}G marks from {ecn.kmin_bytes} bytes; with {ports} ports congested PFC "
                f"may pause from {bound} ({alpha:g} x {shared} / ({ports} x (1 + {alpha:g} x {lossless})))",
                ("lossless", "ecn"),
                hint=f"kmin_bytes below {bound} marks first in every case",
                related=(Related("the model", ("tiers", cls.tier, "model")),),
            )
