"""How many bytes a training job moves between GPUs, and how long a rate takes for them."""

from __future__ import annotations

BF16_BYTES = 2


def ring_all_reduce_bytes(payload_bytes: float, gpus: int) -> float:
    """Bytes that all GPUs together send to add up a payload that each of them holds.

    Source:
        Patarasuk and Yuan, Bandwidth optimal all-reduce algorithms (JPDC 2009): 2 (G - 1) / G payloads per GPU.
    """
    return 2.0 * (gpus - 1) * payload_bytes


def pairwise_all_reduce_bytes(payload_bytes: float, gpus: int) -> float:
    """The same if every GPU sends its whole payload to every other one: an upper bound, G / 2 times the ring.

    Source:
        Counting of pairs, as vendors' sizing texts do.
    """
    return float(gpus * (gpus - 1)) * payload_bytes


def sharded_gather_bytes(payload_bytes: float, gpus: int) -> float:
    """Bytes to give every GPU the parts of a payload that the others hold (one direction of sharded data parallelism).

    Source:
        Rajbhandari et al., ZeRO (SC 2020), section 7: each GPU receives (G - 1) / G of the payload.
    """
    return float(gpus - 1) * payload_bytes


def pipeline_bytes(tokens: float, hidden: int, stages: int, bytes_per_value: int = BF16_BYTES) -> float:
    """Activations that pass the boundaries between pipeline stages in one direction.

    Args:
        tokens: Tokens that go through the model.
        hidden: Width of the activations.
        stages: Pipeline stages.
        bytes_per_value: Bytes of one activation.

    Source:
        Narayanan et al., Megatron-LM (SC 2021): batch x sequence x hidden values per boundary.
    """
    return float(bytes_per_value) * tokens * hidden * (stages - 1)


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


def transfer_s(volume_bytes: float, rate_gbps: float) -> float:
    """Seconds a volume takes at a rate: bytes against decimal gigabits, the factor 8 that is easily lost."""
    return volume_bytes * 8 / (rate_gbps * 1e9)


def rate_gbps(volume_bytes: float, seconds: float) -> float:
    """Decimal gigabits per second of a volume in a time."""
    return volume_bytes * 8 / 1e9 / seconds
