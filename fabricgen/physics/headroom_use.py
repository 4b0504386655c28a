"""Headroom that paused priority groups find in the headroom pool of a memory, and where packets then drop."""

from __future__ import annotations


def headroom_in_turn_bytes(xoff_bytes: int, pool_bytes: int, full_groups: int) -> int:
    """Return the headroom that a priority group finds whose predecessors took all of theirs and keep it.

    Args:
        xoff_bytes: Headroom of one group.
        pool_bytes: Headroom pool of the memory; 0 where every group has headroom of its own.
        full_groups: How many groups came before.

    Source:
        sonic-net/sonic-mgmt b4ba9de3, tests/qos/files/qos_params.th5.yaml: ``pgs_num``, ``pkts_num_hdrm_full`` and
        ``pkts_num_hdrm_partial``.
    """
    return min(xoff_bytes, max(0, pool_bytes - full_groups * xoff_bytes)) if pool_bytes else xoff_bytes


def headroom_at_once_bytes(xoff_bytes: int, pool_bytes: int, groups: int) -> int:
    """Return the headroom of each of some priority groups that take it at once, in equal parts where it runs out.

    Args:
        xoff_bytes: Headroom of one group.
        pool_bytes: As in `headroom_in_turn_bytes`.
        groups: How many groups there are, above 0.

    Source:
        Arithmetic; the tests of SONiC fill groups one after the other only.
    """
    return min(xoff_bytes, pool_bytes // groups) if pool_bytes else xoff_bytes


def groups_with_headroom(xoff_bytes: int, pool_bytes: int) -> int:
    """Return how many priority groups of a memory find all of their headroom in its pool; 0 without a pool."""
    return pool_bytes // xoff_bytes if xoff_bytes else 0


def drop_bytes(pauses_bytes: int, headroom_bytes: int) -> int:
    """Return the fill of a priority group above which a packet drops at ingress.

    Args:
        pauses_bytes: Fill at which PFC pauses the group.
        headroom_bytes: Headroom that it finds.

    Source:
        sonic-net/sonic-mgmt b4ba9de3, tests/qos/files/qos_params.th5.yaml: ``pkts_num_trig_ingr_drp`` less
        ``pkts_num_trig_pfc`` is the profile's ``xoff``, or a cell more, which is the packet that drops.
    """
    return pauses_bytes + headroom_bytes
