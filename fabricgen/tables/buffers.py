"""Headroom, pools and profiles of every tier, the account of every byte, and where PFC starts and ingress drops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from fabricgen.analysis.buffers import BufferUse, analyze_buffers
from fabricgen.analysis.port_groups import PortGroup, SwitchKind, list_reserved
from fabricgen.analysis.shared_space import SharedSpace, find_shared_space, list_pause_points
from fabricgen.plan.model.buffers import PgProfile, Pool
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.tables.qos import list_marking
from fabricgen.tables.sections import Row, Sections, pick

RATIO_DIGITS = 4
POOL_SCRIPT = "sonic-net/sonic-swss e6b0c5b5, cfgmgr/buffer_pool_mellanox.lua"
_SIZED = "computed: what is left at the reserved maximum"


def show_buffers(plan: FabricPlan, limit: float) -> Sections:
    """Return what the switches' buffer tables say, and which row of them each link group uses."""
    uses = analyze_buffers(plan)
    return Sections(
        plan.name,
        {
            "headroom": [row for use in uses for row in _headroom_rows(use)],
            "pools": list(_pool_rows(plan, uses)),
            "profiles": list(_profile_rows(plan)),
            "oversubscription": [_ratio_row(use, limit) for use in uses],
            **list_pause(plan),
        },
    )


def account_buffers(plan: FabricPlan, limit: float) -> Sections:
    """Return the account of every kind of switch's buffer, beside the oversubscription that the operator accepts."""
    uses = analyze_buffers(plan)
    return Sections(
        plan.name,
        {
            "switches": [_switch_row(use) for use in uses],
            "tiers": [_total_row(tier.name, [use for use in uses if use.tier == tier.name]) for tier in plan.tiers],
            "bytes": [
                {
                    "class": use.key,
                    **pick(row, "view", "part", "pool", "now_bytes", "maximum_bytes", "derivation", "source"),
                }
                for use in uses
                for row in use.rows
            ],
            "oversubscription": [_ratio_row(use, limit) for use in uses],
            **list_pause(plan),
            "marking": [row for tier in plan.boxes for row in list_marking(plan, tier)],
        },
    )


def _total_row(tier: str, uses: Sequence[BufferUse]) -> Row:
    """Return what all switches of a tier that exist have together."""
    return {
        "tier": tier,
        "switches": sum(use.switches for use in uses),
        "ports_now": sum(use.switches * use.ports_now for use in uses),
        "ports_maximum": sum(use.switches * use.ports_maximum for use in uses),
        "headroom_now_bytes": sum(use.switches * use.headroom.now_bytes for use in uses),
        "headroom_maximum_bytes": sum(use.switches * use.headroom.maximum_bytes for use in uses),
    }


def _headroom_rows(use: BufferUse) -> Iterator[Row]:
    """One row per link group of a class: the table row its cables were rounded up to."""
    for group in use.ports:
        profile = group.profile
        yield {
            "class": use.key,
            "tier": use.tier,
            **pick(group, "link", "speed_gbps", "length_m", "mtu_bytes"),
            "row_m": profile.row_m if profile else None,
            "profile": profile.name if profile else None,
            **pick(profile, "size_bytes", "xon_bytes", "xoff_bytes", "xon_offset_bytes", "dynamic_th"),
            "ports_now": group.now,
            "ports_maximum": group.maximum,
            "derivation": _derivation(group) if profile else None,
            "source": _source(profile, use.sku) if profile else None,
        }


def _derivation(group: PortGroup) -> str:
    """The row a cable was rounded up to, or the formula with its numbers."""
    profile = group.profile
    if profile is None:
        return ""
    rounded = f", {group.length_m:g} m rounded up" if profile.row_m != group.length_m else ""
    return f"{profile.derivation}{rounded}"


def _source(profile: PgProfile, sku: str) -> str:
    """Return the source of a profile; a table belongs to a port profile, a formula does not."""
    return profile.source if profile.lanes else f"{profile.source}, {sku}".removesuffix(", ")


def _pool_rows(plan: FabricPlan, uses: Iterable[BufferUse]) -> Iterator[Row]:
    """Pools of every tier, and of the switches whose own cables leave them others."""
    seen: list[tuple[str, tuple[Pool, ...]]] = []
    sources = {(tier.name, tier.sku): tier.buffers.source for tier in plan.boxes}
    for use in uses:
        if (use.tier, use.pools) in seen:
            continue
        seen.append((use.tier, use.pools))
        for pool in use.pools:
            yield {
                "class": use.key,
                "tier": use.tier,
                "sku": use.sku,
                "pool": pool.name,
                **pick(pool, "kind", "mode", "size_bytes", "xoff_bytes"),
                "derivation": _SIZED if pool.computed else "the vendor's table",
                "source": POOL_SCRIPT
                if pool.computed
                else f"{sources[use.tier, use.sku]}, {use.sku}".removesuffix(", "),
            }


def _profile_rows(plan: FabricPlan) -> Iterator[Row]:
    for tier in plan.boxes:
        for profile in tier.buffers.profiles:
            yield {
                "tier": plan.box_name(tier),
                "profile": profile.name,
                **pick(profile, "pool", "size_bytes", "dynamic_th", "static_th_bytes"),
                "source": f"{tier.buffers.source}, {tier.sku}".removesuffix(", "),
            }


def _ratio_row(use: BufferUse, limit: float) -> Row:
    headroom = use.headroom
    now, maximum = headroom.ratio_now, headroom.ratio_maximum
    return {
        "class": use.key,
        **pick(headroom, "pool", "pool_bytes", "groups_now", "groups_maximum"),
        "headroom_now_bytes": headroom.now_bytes,
        "headroom_maximum_bytes": headroom.maximum_bytes,
        "ratio_now": None if now is None else round(now, RATIO_DIGITS),
        "ratio_maximum": None if maximum is None else round(maximum, RATIO_DIGITS),
        "limit": limit,
        "within_limit": maximum is None or maximum <= limit,
    }


def _switch_row(use: BufferUse) -> Row:
    known = bool(use.buffer_bytes)
    return {
        "class": use.key,
        **pick(use, "tier", "switches", "model", "sku", "asic", "ports_now", "ports_maximum"),
        "buffer_bytes": use.buffer_bytes or None,
        "accounted_now_bytes": use.accounted_now,
        "accounted_maximum_bytes": use.accounted_maximum,
        "unexplained_now_bytes": use.unexplained_now if known else None,
        "unexplained_maximum_bytes": use.unexplained_maximum if known else None,
    }


def list_pause(plan: FabricPlan) -> dict[str, list[Row]]:
    """Return two sections at the reserved maximum: what queues share, and where PFC starts and ingress drops."""
    spaces = [(kind, space) for kind in list_reserved(plan) if (space := find_shared_space(kind, plan.contract))]
    return {
        "memories": [_memory_row(kind, space) for kind, space in spaces],
        "pfc": [row for kind, space in spaces for row in _point_rows(kind, space)],
    }


def _memory_row(kind: SwitchKind, space: SharedSpace) -> Row:
    asic = kind.tier.buffers.asic.id
    unknown = f"; taken as one: how many memories {asic} has is not published"
    return {
        "class": kind.key,
        "asic": asic,
        "memories": space.memories,
        "groups_per_memory": space.groups,
        "headroom_per_memory_bytes": space.headroom_bytes,
        "shared_per_memory_bytes": space.shared_bytes,
        "derivation": space.derivation + ("" if space.published else unknown),
        "source": space.source,
    }


def _point_rows(kind: SwitchKind, space: SharedSpace) -> Iterator[Row]:
    for point in list_pause_points(kind, space):
        yield {
            "class": kind.key,
            **pick(point, "profile", "links", "state"),
            "pfc_starts_bytes": point.starts_bytes,
            "derivation": point.derivation,
            "headroom_bytes": point.headroom_bytes,
            "ingress_drops_bytes": point.drops_bytes,
            "pfc_ends_bytes": point.ends_bytes,
        }
