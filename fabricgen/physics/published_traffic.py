"""Closed forms of training traffic as a published sizing text has them, with what is known to be wrong in them.

Bytes of all GPUs together. An all-reduce counts as a copy from every rank to every other one, which no library
sends: rings and trees send less (``physics/traffic.py``).

Source:
    Asterfusion, article on the traffic behind the training of large language models (Tencent Cloud column, 2024-07-24).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

SOURCE = "Asterfusion, the traffic behind LLM training (Tencent Cloud column, 2024-07-24)"
UNITS = {"EB": 1e18, "PB": 1e15, "TB": 1e12, "GB": 1e9, "MB": 1e6}
"""Decimal units of bytes, largest first."""
_PAIRS = "all-pairs copies: an upper bound, G / 2 times the bytes of a ring"
_SHARD = "a gradient sync of the whole shard in each layer: about as many times too much as there are layers"


class TrainingJob(NamedTuple):
    """Inputs of the closed forms: a model, how it is divided, and batches and tokens that pass it."""

    parameters: float
    layers: int
    hidden: int
    value_bytes: int
    batches: float
    tokens: float
    tensor: int = 1
    pipeline: int = 1
    data: int = 1
    sharded: bool = False


class Term(NamedTuple):
    """A closed form and its value.

    Attributes:
        name: Dimension and direction.
        formula: With N batches, T tokens, P parameters, L layers, H hidden, and the degrees Gtp, Gpp, Gdp.
        volume_bytes: Of all GPUs.
        syncs: How often the ranks synchronise in a batch; ``tp_forward`` has those of an epoch; None for a sum.
        remark: How it departs from what is sent; empty if it does not.
    """

    name: str
    formula: str
    volume_bytes: float
    syncs: float | None
    remark: str = ""


def published_terms(job: TrainingJob) -> Iterator[Term]:
    """Yield the closed form of each dimension and direction; those of a dimension of one rank are 0.

    Args:
        job: The model and its division.
    """
    b, n, p = job.value_bytes, job.batches, job.parameters
    tp, pp, dp = job.tensor, job.pipeline, job.data
    if job.sharded:
        shared = b * n * p * (dp - 1)
        yield Term("fsdp_backward", f"{b} N P (Gdp-1)", shared, job.layers, "")
        yield Term("fsdp_forward", f"{b} N P (Gdp-1)", shared, job.layers, "")
    else:
        copies = b * n * (p / tp / pp) * dp * (dp - 1) * tp * pp
        yield Term("dp_backward", f"{b} N P Gdp (Gdp-1)", copies, 1, _PAIRS)
        yield Term("dp_forward", "0", 0.0, 0)
    tensor = 2 * b * n * (p / tp / pp) * tp * (tp - 1) * job.layers * dp
    yield Term("tp_backward", f"{2 * b} N P L (Gtp-1) Gdp / Gpp", tensor, 2 * job.layers, _SHARD)
    activations = 2.0 * b * job.layers * job.tokens * job.hidden * (tp - 1) * tp
    yield Term("tp_forward", f"{2 * b} L T H Gtp (Gtp-1)", activations, 2.0 * job.layers * job.tokens, _PAIRS)
    stages = float(b) * job.tokens * job.hidden * (pp - 1)
    for direction in ("backward", "forward"):
        yield Term(f"pp_{direction}", f"{b} T H (Gpp-1)", stages, pp - 1)


def transfer_s(volume_bytes: float, rate_gbps: float) -> float:
    """Return the seconds of a volume at a rate: bytes against decimal gigabits, the factor 8 that is easily lost.

    Args:
        volume_bytes: The volume.
        rate_gbps: Decimal gigabits per second, above 0.
    """
    return volume_bytes * 8 / (rate_gbps * 1e9)


def decimal_unit(volume_bytes: float) -> str:
    """Return a volume in the largest decimal unit of which it has one, to four digits behind the point.

    Args:
        volume_bytes: The volume.
    """
    for unit, size in UNITS.items():
        if volume_bytes >= size:
            return f"{volume_bytes / size:.4f} {unit}"
    return f"{volume_bytes:.0f} B"
