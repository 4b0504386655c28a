"""What an ASIC takes in ECMP groups."""

from __future__ import annotations

from fabricgen.catalog.records import Asic
from fabricgen.physics.refusal import Refusal


def widest_group(asic: Asic, *, dynamic: bool) -> int | None:
    """Next hops that one group can have; None where nobody published it.

    Args:
        asic: The ASIC.
        dynamic: Whether the group balances by load (DLB, ARS), which has a limit of its own.

    Source:
        The ASIC's file in the catalog (facebook/fboss hw/switch_asics).
    """
    return _least(asic.ecmp_width_max, asic.dlb_width_max) if dynamic else asic.ecmp_width_max


def refused_groups(asic: Asic, width: int, groups: int, *, dynamic: bool) -> Refusal | None:
    """Why an ASIC cannot hold that many groups of that width.

    Args:
        asic: The ASIC; limits nobody published are not checked.
        width: Next hops of each group.
        groups: Different groups at the same time: one per set of next hops that some prefix has, failures included.
        dynamic: Whether the groups balance by load.

    Returns:
        None if they fit; else the refusal FG-RTE-012 (a group is too wide), FG-RTE-018 (too many groups) or FG-RTE-019
        (too many members in all).

    Source:
        The ASIC's file in the catalog (facebook/fboss hw/switch_asics).
    """
    width_max = widest_group(asic, dynamic=dynamic)
    if width_max is not None and width > width_max:
        return Refusal("FG-RTE-012", {"asic": asic.id, "width": width, "width_max": width_max})
    groups_max = _least(asic.ecmp_groups_max, asic.dlb_groups_max) if dynamic else asic.ecmp_groups_max
    if groups_max is not None and groups > groups_max:
        return Refusal("FG-RTE-018", {"asic": asic.id, "groups": groups, "groups_max": groups_max})
    members, members_max = width * groups, asic.ecmp_members_max
    if members_max is not None and members > members_max:
        return Refusal("FG-RTE-019", {"asic": asic.id, "members": members, "members_max": members_max})
    return None


def _least(*limits: int | None) -> int | None:
    return min((limit for limit in limits if limit is not None), default=None)
