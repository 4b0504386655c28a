"""Bytes that a training job moves between GPUs, and the time they take at a rate."""

from __future__ import annotations

NVLINK_GBPS_EACH_WAY = 4
"""Gb/s in each direction for one GB/s of NVLink, whose published rates add both directions: 8 bits, half each way."""


def ring_all_reduce_bytes(payload_bytes: float, gpus: int) -> float:
    """Bytes that all GPUs together send to add up a payload that each of them holds.

    Source:
        Patarasuk and Yuan, Bandwidth optimal all-reduce algorithms (JPDC 2009): 2 (G - 1) / G payloads per GPU.
    """
    return 2.0 * (gpus - 1) * payload_bytes


def tree_all_reduce_bytes(payload_bytes: float, senders: int) -> float:
    """Bytes that all senders together send to add up a payload over a tree and hand out the sum: once up and once down.

    Args:
        payload_bytes: What each holds.
        senders: Ranks, or NVLink domains where a tree joins those.

    Source:
        Sanders, Speck and Traeff, Two-tree algorithms (Parallel Computing 2009): one edge less than nodes. NCCL's tree
        joins servers, and only its all-reduce has one (NVIDIA, NCCL documentation, NCCL_ALGO).
    """
    return 2.0 * (senders - 1) * payload_bytes


def sharded_gather_bytes(payload_bytes: float, gpus: int) -> float:
    """Bytes to give every GPU the parts of a payload that the others hold (one direction of sharded data parallelism).

    Source:
        Rajbhandari et al., ZeRO (SC 2020), section 7: each GPU receives (G - 1) / G of the payload.
    """
    return float(gpus - 1) * payload_bytes


def sent_bytes(collective: str, payload_bytes: float, ranks: int) -> float:
    """Bytes that each rank sends to others in one collective.

    Args:
        collective: ``all_reduce``, ``all_gather``, ``reduce_scatter`` or ``all_to_all``; ``exchange`` is one payload to
            each of two neighbours, less what the ends of the row do not have.
        payload_bytes: What each rank reduces, gathers in the end, or hands out.
        ranks: Ranks that take part.

    Source:
        See ``ring_all_reduce_bytes`` and ``sharded_gather_bytes``; an all-to-all keeps one of as many parts as ranks.
    """
    if ranks == 1:
        return 0.0
    if collective == "all_reduce":
        return ring_all_reduce_bytes(payload_bytes, ranks) / ranks
    if collective == "exchange":
        return 2.0 * payload_bytes * (ranks - 1) / ranks
    return sharded_gather_bytes(payload_bytes, ranks) / ranks


def rate_gbps(volume_bytes: float, seconds: float) -> float:
    """Decimal gigabits per second of a volume in a time."""
    return volume_bytes * 8 / 1e9 / seconds
