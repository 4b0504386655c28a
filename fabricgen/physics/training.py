"""Computing effort of a training run."""

from __future__ import annotations

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
