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


def transfer_s(volume_bytes: float, rate_gbps: float) -> float:
    """Seconds a volume takes at a rate: bytes against decimal gigabits, the factor 8 that is easily lost."""
    return volume_bytes * 8 / (rate_gbps * 1e9)
