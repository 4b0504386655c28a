"""The memories of a switch's buffer: what the queues of one of them share, where PFC starts and where packets drop."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from typing import NamedTuple

SOURCE = "sonic-net/sonic-mgmt b4ba9de3, tests/qos/files/qos_params.th5.yaml"
"""The hardware tests of Tomahawk 5; these formulas give every figure of theirs within a cell."""


class PortReserve(NamedTuple):
    """Equal ports of a switch: how many, and the bytes each of them keeps out of the shared space."""

    ports: int
    reserved_bytes: int


def shared_per_memory_bytes(without_headroom_bytes: int, memories: int, ports: Iterable[PortReserve]) -> int:
    """Return what the queues of one memory share, bytes; 0 where reservations leave nothing.

    A switch with several memories has an equal part of every pool and of its ports in each. An odd port counts in full,
    which is the smaller of the two shares.

    Args:
        without_headroom_bytes: The ingress pool without its headroom pool.
        memories: How many memories the buffer consists of, above 0.
        ports: Every port of the switch, with what its priority groups and queues reserve.

    Source:
        ``SOURCE``: twelve rows of Tomahawk 5 boards with 64 to 256 ports, two memories.
    """
    reserved = sum(ceil(each.ports / memories) * each.reserved_bytes for each in ports)
    return max(0, without_headroom_bytes // memories - reserved)


def pause_bytes(alpha: float, shared_bytes: int, group_bytes: int = 0) -> int:
    """Return the fill at which PFC pauses a priority group that is the only one with packets in its memory.

    The threshold is ``alpha`` times what is free; with nothing else in the memory the two meet at
    ``alpha * B / (1 + alpha)``, which comes on top of what the group has for itself. No priority group can ever be
    fuller without being paused.

    Args:
        alpha: Dynamic threshold of a lossless priority group, 2 ** ``dynamic_th``.
        shared_bytes: What the queues of the memory share.
        group_bytes: What the group has for itself before it takes shared space.

    Source:
        Choudhury and Hahne, Dynamic Queue Length Thresholds, IEEE/ACM Transactions on Networking 6 (2), 1998;
        ``SOURCE``: ``pfc``.
    """
    return int(group_bytes + alpha * shared_bytes / (1 + alpha))
