"""Limits of an ASIC on ECMP groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fabricgen.catalog.records import Asic
from fabricgen.physics.refusal import Refusal


class GroupSet(NamedTuple):
    """Groups of one width that exist at the same time."""

    width: int
    groups: int


def widest_group(asic: Asic, *, dynamic: bool) -> int | None:
    """Next hops that one group can have; None if unpublished.

    Args:
        asic: The ASIC.
        dynamic: Whether the group balances by load (DLB, ARS), which has a limit of its own.

    Source:
        The ASIC's file in the catalog (facebook/fboss hw/switch_asics).
    """
    return _least(asic.ecmp_width_max, asic.dlb_width_max) if dynamic else asic.ecmp_width_max


def refused_groups(asic: Asic, sets: Sequence[GroupSet], *, dynamic: bool) -> tuple[Refusal, ...]:
    """Return why an ASIC cannot hold these groups at the same time.

    Args:
        asic: The ASIC; unpublished limits are not checked.
        sets: Different groups: one per set of next hops that some prefix has, failures included.
        dynamic: Whether the groups balance by load.

    Returns:
        A refusal FG-RTE-012 each for a group that is too wide, too many groups and too many members in all; its facts
        have the word ``width``, ``groups`` or ``members``.

    Source:
        The ASIC's file in the catalog (facebook/fboss hw/switch_asics).
    """
    groups_max = _least(asic.ecmp_groups_max, asic.dlb_groups_max) if dynamic else asic.ecmp_groups_max
    held = (
        ("width", max((each.width for each in sets), default=0), widest_group(asic, dynamic=dynamic)),
        ("groups", sum(each.groups for each in sets), groups_max),
        ("members", sum(each.width * each.groups for each in sets), asic.ecmp_members_max),
    )
    return tuple(
        Refusal("FG-RTE-012", {"asic": asic.id, word: wanted, f"{word}_max": limit})
        for word, wanted, limit in held
        if limit is not None and wanted > limit
    )


def _least(*limits: int | None) -> int | None:
    return min((limit for limit in limits if limit is not None), default=None)
