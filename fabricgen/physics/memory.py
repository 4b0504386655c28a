"""The memories of a switch's buffer: what the queues of one of them share, where PFC starts and where packets drop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import ceil
from typing import NamedTuple

SOURCE = "sonic-net/sonic-mgmt b4ba9de3, tests/qos/files/qos_params.th5.yaml"
"""The hardware tests of Tomahawk 5; these formulas give every figure of theirs within a cell."""


class LosslessPorts(NamedTuple):
    """Ports of one link group: how many a switch has, and what each of their lossless priority groups reserves."""

    link: str
    speed_gbps: int
    ports: int
    group_bytes: int


class PortReserve(NamedTuple):
    """Equal ports of a switch, and what priority groups and queues of each keep out of the shared space."""

    ports: int
    groups_bytes: int
    queues_bytes: int

    @property
    def reserved_bytes(self) -> int:
        """Both together."""
        return self.groups_bytes + self.queues_bytes


def port_reserves(uses: Iterable[LosslessPorts], groups: int, queues_bytes: int, box_ports: int) -> list[PortReserve]:
    """Return what the ports of a switch keep out of the shared space; queues do so on ports without a link, too."""
    ports: Counter[tuple[str, int, int]] = Counter()
    for use in uses:
        # Cables of other lengths in a group of links leave its ports in the same memories.
        ports[use.link, use.speed_gbps, use.group_bytes] += use.ports
    spare = max(0, box_ports - ports.total())
    used = [PortReserve(count, groups * size, queues_bytes) for (_, _, size), count in ports.items()]
    return [*used, PortReserve(spare, 0, queues_bytes)]


def shared_per_memory_bytes(without_headroom_bytes: int, memories: int, ports: Iterable[PortReserve]) -> int:
    """Return what the queues of one memory share of the ingress pool without its headroom pool; 0 if nothing is left.

    A switch with several memories has an equal part of every pool and of its ports in each. An odd port counts in full,
    which is the smaller of the two shares.

    Source:
        ``SOURCE``: twelve rows of Tomahawk 5 boards with 64 to 256 ports, two memories.
    """
    reserved = sum(ceil(each.ports / memories) * each.reserved_bytes for each in ports)
    return max(0, without_headroom_bytes // memories - reserved)


def pause_bytes(alpha: float, shared_bytes: float, group_bytes: int = 0, groups: int = 1) -> int:
    """Return the fill at which PFC pauses each of some priority groups, one at least, that fill a memory alike.

    The threshold is ``alpha``, 2 ** ``dynamic_th``, times what is free. With nothing else in the memory the two meet at
    ``alpha * B / (1 + alpha * groups)``, which comes on top of what the group has for itself. A group that is the only
    one with packets pauses last: none can ever be fuller without being paused.

    Source:
        Choudhury and Hahne, Dynamic Queue Length Thresholds, IEEE/ACM Transactions on Networking 6 (2), 1998;
        ``SOURCE``: ``pfc``, for one group.
    """
    return int(group_bytes + alpha * shared_bytes / (1 + alpha * groups))


def left_bytes(alpha: float, shared_bytes: int, full_groups: int) -> float:
    """Return what priority groups leave of the shared space that were filled to PFC one after the other, and stay so.

    Source:
        ``SOURCE``: ``pkts_num_trig_pfc_multi``; each group takes ``alpha / (1 + alpha)`` of what it finds.
    """
    return float(shared_bytes / (1 + alpha) ** full_groups)
