"""Memories of the switches, and where their lossless priority groups pause and drop."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.analysis.port_groups import SwitchKind, list_reserved
from fabricgen.analysis.shared_space import SharedSpace, find_shared_space, list_pause_points
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.tables.sections import Row, pick


def list_pause(plan: FabricPlan) -> dict[str, list[Row]]:
    """Return two sections at the reserved maximum: what queues share, and where PFC starts and ingress drops.

    Args:
        plan: The plan.
    """
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
