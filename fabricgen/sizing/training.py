"""Duration of a training run on a number of GPUs, or the number of GPUs that meets a deadline."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from fabricgen.catalog.host_records import ServerModel
from fabricgen.physics.traffic import training_gpus
from fabricgen.sizing.ask import GPUS_MAX, AskError, read_amount, read_quantity, read_share


class TrainingRun(NamedTuple):
    """A training run.

    Attributes:
        parameters: Of the model; of a mixture of experts those that a token passes.
        achieved_flops: Of one GPU, operations per second, all waiting included.
        days: Deadline; 0 where GPUs are given.
    """

    parameters: float
    tokens: float
    achieved_flops: float
    days: float = 0.0

    def gpus(self) -> int:
        """Return how many GPUs meet the deadline."""
        return ceil(training_gpus(self.parameters, self.tokens, self.achieved_flops, self.days))


class TrainingAsked(NamedTuple):
    """Options of a training run, as they are written; empty where there are none."""

    parameters: str = ""
    tokens: str = ""
    days: str = ""
    mfu: str = ""
    gpu_tflops: str = ""


def make_training(asked: TrainingAsked, server: ServerModel, *, has_gpus: bool) -> TrainingRun | None:
    """Turn options into a training run; None where there are none.

    If the number of GPUs is given, the days follow. Raises AskError if an option is missing or makes no sense.
    """
    if not any(asked):
        if not has_gpus:
            message = "how many GPUs? For example --gpus 512, or a deadline: --parameters 70.6B --tokens 15T --days 30."
            raise AskError("--gpus", message)
        return None
    parameters = read_amount("--parameters", asked.parameters, "70.6B, the parameters of the model")
    tokens = read_amount("--tokens", asked.tokens, "15T, the tokens to train on")
    if has_gpus and asked.days:
        raise AskError("--days", "GPUs and a deadline are both given; leave one out, and it is computed.")
    if not has_gpus and not asked.days:
        raise AskError("--days", "give the days that the run may take, such as --days 30, or the GPUs with --gpus.")
    days = read_quantity("--days", asked.days, ("days", "day", "d"), "30") if asked.days else 0.0
    training = TrainingRun(parameters, tokens, _achieved(asked, server), days)
    if days and (gpus := training.gpus()) > GPUS_MAX:
        raise AskError("--days", f"{days:g} days take {gpus} GPUs, more than {GPUS_MAX}; allow more days.")
    return training


def _achieved(asked: TrainingAsked, server: ServerModel) -> float:
    """Operations per second that a GPU achieves: a share of its peak."""
    if not asked.mfu:
        raise AskError("--mfu", "give the share of the peak that the run achieves, such as --mfu 0.4.")
    share = read_share("--mfu", asked.mfu)
    if asked.gpu_tflops:
        return share * 1e12 * read_quantity("--gpu-tflops", asked.gpu_tflops, ("TFLOP/s", "tflop/s", "tflops"), "989")
    if not server.gpu_tflops:
        message = f"the catalog has no peak of the GPUs of {server.id}; give it with --gpu-tflops, dense BF16."
        raise AskError("--gpu-tflops", message)
    return share * server.gpu_tflops * 1e12
