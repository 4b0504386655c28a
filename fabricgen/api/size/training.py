"""Duration of a training run on a number of GPUs, or the number of GPUs that meets a deadline."""

from __future__ import annotations

import re
from math import ceil
from typing import NamedTuple

from fabricgen.api.show.sections import Row
from fabricgen.api.size.ask import AskError
from fabricgen.catalog.host_records import ServerModel
from fabricgen.physics.training import training_days, training_flops, training_gpus

_NUMBER = re.compile(r"(\d+(?:\.\d+)?)\s*([KMBT]?)", re.IGNORECASE)
_FACTORS = {"": 1.0, "K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
SOURCE = "Kaplan et al. 2020, section 2.1; Hoffmann et al. 2022: 6 x parameters x tokens operations"


class Training(NamedTuple):
    """A training run.

    Attributes:
        parameters: Of the model; of a mixture of experts those that a token passes.
        tokens: That it is trained on.
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

    def row(self, gpus: int) -> Row:
        """Return what the run takes on some GPUs."""
        return {
            "parameters": round(self.parameters),
            "tokens": round(self.tokens),
            "operations": training_flops(self.parameters, self.tokens),
            "achieved_tflops_per_gpu": round(self.achieved_flops / 1e12, 1),
            "gpus": gpus,
            "days": round(training_days(self.parameters, self.tokens, self.achieved_flops, gpus), 1),
            "deadline_days": self.days or None,
            "source": SOURCE,
        }


class TrainingAsked(NamedTuple):
    """Options of a training run, as they are written; empty and 0 where there are none."""

    parameters: str = ""
    tokens: str = ""
    days: float = 0.0
    mfu: float = 0.0
    tflops: float = 0.0
    gpu_tflops: float = 0.0


def make_training(asked: TrainingAsked, server: ServerModel, *, has_gpus: bool) -> Training | None:
    """Turn options into a training run; None where there are none.

    Args:
        asked: The options.
        server: The server, whose file may have the peak of its GPUs.
        has_gpus: The number of GPUs is given, so that the days follow.

    Raises:
        AskError: An option is missing, or makes no sense.
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
    if asked.days < 0 or (not has_gpus and not asked.days):
        raise AskError("--days", "give the days that the run may take, such as --days 30, or the GPUs with --gpus.")
    return Training(parameters, tokens, _achieved(asked, server), asked.days)


def read_amount(option: str, text: str, example: str) -> float:
    """Return a number such as ``70.6B``.

    Raises:
        AskError: It is none.
    """
    match = _NUMBER.fullmatch(text.strip()) if text else None
    value = float(match[1]) * _FACTORS[match[2].upper()] if match else 0.0
    if value <= 0:
        written = f"{text!r} is not a number; write" if text else "is missing; give"
        raise AskError(option, f"{written} one such as {example}.")
    return value


def _achieved(asked: TrainingAsked, server: ServerModel) -> float:
    """Operations per second that a GPU achieves: as given, or a share of its peak."""
    if asked.tflops > 0:
        return asked.tflops * 1e12
    if not 0 < asked.mfu <= 1:
        message = "give the share of the peak that the run achieves, such as --mfu 0.4, or --tflops per GPU."
        raise AskError("--mfu", message)
    peak = asked.gpu_tflops or server.gpu_tflops
    if peak <= 0:
        message = f"the catalog has no peak of the GPUs of {server.id}; give it with --gpu-tflops, dense BF16."
        raise AskError("--gpu-tflops", message)
    return asked.mfu * peak * 1e12
