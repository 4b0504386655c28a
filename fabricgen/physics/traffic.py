"""Bytes and effort of a training job: what collectives send, published closed forms, operations and memory.

The closed forms count bytes of all GPUs together, and an all-reduce as a copy from every rank to every other one, which
no library sends: rings and trees send less.

Source:
    Of the closed forms: Asterfusion, article on the traffic behind the training of large language models (Tencent Cloud
    column, 2024-07-24).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

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

    Senders are ranks, or NVLink domains where a tree joins those.

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
    """Bytes that each rank sends to others in one collective of a payload: what it reduces, gathers or hands out.

    An ``exchange`` is one payload to each of two neighbours, less what the ends of the row do not have.

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
        volume_bytes: Sum over all GPUs.
        syncs: How often the ranks synchronise in a batch; ``tp_forward`` has those of an epoch; None for a sum.
        remark: How it departs from what is sent; empty if it does not.
    """

    name: str
    formula: str
    volume_bytes: float
    syncs: float | None
    remark: str = ""


def published_terms(job: TrainingJob) -> Iterator[Term]:
    """Yield the closed form of each dimension and direction; those of a dimension of one rank are 0."""
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
    """Return the seconds of a volume at a rate: bytes against decimal gigabits, the factor 8 that is easily lost."""
    return volume_bytes * 8 / (rate_gbps * 1e9)


def decimal_unit(volume_bytes: float) -> str:
    """Return a volume in the largest decimal unit of which it has one, to four digits behind the point."""
    for unit, size in UNITS.items():
        if volume_bytes >= size:
            return f"{volume_bytes / size:.4f} {unit}"
    return f"{volume_bytes:.0f} B"


DAY_S = 86_400


def training_flops(parameters: float, tokens: float) -> float:
    """Return the operations of a training run: six for each parameter and token, forwards and backwards.

    Of a mixture of experts the parameters count that a token passes.

    Source:
        Kaplan et al., Scaling Laws for Neural Language Models (arXiv 2001.08361), section 2.1: C = 6 N D; used by
        Hoffmann et al., Training Compute-Optimal Large Language Models (arXiv 2203.15556), and by the Llama 3 paper
        (arXiv 2407.21783): 405e9 parameters and 15.6e12 tokens are 3.8e25 operations.
    """
    return 6.0 * parameters * tokens


def training_days(parameters: float, tokens: float, achieved_flops: float, gpus: int) -> float:
    """Return how many days some GPUs take, each at so many operations per second, all waiting included."""
    return training_flops(parameters, tokens) / (achieved_flops * gpus * DAY_S)


def training_gpus(parameters: float, tokens: float, achieved_flops: float, days: float) -> float:
    """Return how many GPUs finish in some days, not rounded; see ``training_days``."""
    return training_flops(parameters, tokens) / (achieved_flops * days * DAY_S)


MASTER_AND_MOMENTS_BYTES = 12
"""Adam with mixed precision: a copy of the parameter and two moments of 32 bits each (Rajbhandari et al., ZeRO,
SC 2020, section 3.1, K = 12)."""
MOMENTS_BYTES = 8
"""The same where parameters have 32 bits themselves: two moments."""
FULL_PRECISION_BYTES = 4


class Share(NamedTuple):
    """Share of a GPU in a job.

    Attributes:
        dense: Parameters outside of experts that a rank of a replica has; ``experts`` those in experts.
        replicas: Ranks with the same dense parameters; ``expert_replicas`` those with the same experts.
        sharded: Replicas share parameters and gradients too (ZeRO 3, FSDP).
        value_bytes: Bytes of a parameter, gradient or activation.
        activations: Values of the inputs of its layers, of all micro-batches that it holds at a time.
    """

    dense: float
    experts: float
    replicas: int
    expert_replicas: int
    sharded: bool
    value_bytes: int
    activations: float


class Memory(NamedTuple):
    """Bytes of a GPU: parameters with their gradients, state of the optimizer, inputs of layers."""

    parameters: float
    optimizer: float
    activations: float

    @property
    def total(self) -> float:
        """All of them."""
        return sum(self)


def least_memory(share: Share) -> Memory:
    """Return the memory without which no GPU of the job can hold its share.

    The best case of each part: replicas share the optimizer's state (ZeRO 1), one sequence is a micro-batch, only the
    inputs of layers are kept and all else is computed again, tensor ranks share these inputs.

    Source:
        Rajbhandari et al., ZeRO, SC 2020, section 3.1 and figure 1; Korthikanti et al., Reducing Activation
        Recomputation in Large Transformer Models, MLSys 2023, section 4 (2 s b h bytes a layer).
    """
    full = share.value_bytes >= FULL_PRECISION_BYTES
    state = MOMENTS_BYTES if full else MASTER_AND_MOMENTS_BYTES
    apart = share.dense / share.replicas + share.experts / share.expert_replicas
    held = apart if share.sharded else share.dense + share.experts
    return Memory(2 * share.value_bytes * held, state * apart, share.value_bytes * share.activations)
