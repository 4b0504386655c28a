"""Computing effort of a training run, and the memory that it needs of each GPU at least."""

from __future__ import annotations

from typing import NamedTuple

DAY_S = 86_400


def training_flops(parameters: float, tokens: float) -> float:
    """Return the operations of a training run: six for each parameter and token, forwards and backwards.

    Args:
        parameters: Of the model; of a mixture of experts those that a token passes.
        tokens: That it is trained on.

    Source:
        Kaplan et al., Scaling Laws for Neural Language Models (arXiv 2001.08361), section 2.1: C = 6 N D; used by
        Hoffmann et al., Training Compute-Optimal Large Language Models (arXiv 2203.15556), and by the Llama 3 paper
        (arXiv 2407.21783): 405e9 parameters and 15.6e12 tokens are 3.8e25 operations.
    """
    return 6.0 * parameters * tokens


def training_days(parameters: float, tokens: float, achieved_flops: float, gpus: int) -> float:
    """Return how many days some GPUs take.

    Args:
        parameters: As in ``training_flops``.
        tokens: As in ``training_flops``.
        achieved_flops: Of one GPU, operations per second, all waiting included.
        gpus: How many.
    """
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

    Args:
        share: Share of the job.

    Source:
        Rajbhandari et al., ZeRO, SC 2020, section 3.1 and figure 1; Korthikanti et al., Reducing Activation
        Recomputation in Large Transformer Models, MLSys 2023, section 4 (2 s b h bytes a layer).
    """
    full = share.value_bytes >= FULL_PRECISION_BYTES
    state = MOMENTS_BYTES if full else MASTER_AND_MOMENTS_BYTES
    apart = share.dense / share.replicas + share.experts / share.expert_replicas
    held = apart if share.sharded else share.dense + share.experts
    return Memory(2 * share.value_bytes * held, state * apart, share.value_bytes * share.activations)
