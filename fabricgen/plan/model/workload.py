"""A training job for planning and analysis: number and order of GPUs, and their traffic."""

from __future__ import annotations

from typing import NamedTuple

from fabricgen.plan.model.identity import HostId


class Message(NamedTuple):
    """A collective of each step.

    Attributes:
        collective: ``all_reduce``, ``all_gather``, ``reduce_scatter``, ``all_to_all`` or ``exchange``.
        over: ``tensor``, ``context``, ``pipeline``, ``data`` or ``expert``; ``copy`` for ranks with the same
            parameters, those of data and context together; ``replica`` for those of them with the same experts.
        payload_bytes: What each rank reduces, gathers in the end, or hands out.
        derivation: The payload with its numbers; empty where the user stated it.
    """

    name: str
    collective: str
    over: str
    payload_bytes: float
    times: int
    derivation: str = ""


class Training(NamedTuple):
    """Model of a job, and what it is trained on.

    Attributes:
        parameters: All of them; ``expert_parameters`` of them are in experts.
        steps: Steps of an epoch, not rounded; ``sequences`` of ``tokens`` in all pass the model in it.
        epochs: Epochs of the run; 0 if only a step is known, which then stands for an epoch.
    """

    parameters: float
    expert_parameters: float
    layers: int
    hidden: int
    value_bytes: int
    sharded: bool
    steps: float
    sequences: int
    tokens: float
    epochs: int


class Workload(NamedTuple):
    """A training job.

    Attributes:
        hosts: Host groups it runs on; empty for all that have GPUs.
        order: Dimensions of its ranks, the one in which neighbours differ first.
        expert: How many data ranks share the experts.
        use_max_pct: Share of a link's rate that traffic can fill on average; 0 where it follows the load balancing.
        context: How many ranks share each sequence.
        overlap_s: Seconds of a step in which traffic flows beside computing.
        training: The model and its run; None where only messages are stated.
        placed: Hosts it runs on, in the order of its ranks; empty for the first that are free.
    """

    name: str
    tensor: int
    pipeline: int
    data: int
    expert: int
    order: tuple[str, ...]
    messages: tuple[Message, ...]
    step_s: float
    use_max_pct: int
    hosts: tuple[str, ...] = ()
    context: int = 1
    overlap_s: float = 0.0
    training: Training | None = None
    placed: tuple[HostId, ...] = ()

    @property
    def ranks(self) -> int:
        """GPUs of the job."""
        return self.tensor * self.context * self.pipeline * self.data
