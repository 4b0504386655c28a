"""A training job for planning and analysis: number and order of GPUs, and their traffic."""

from __future__ import annotations

from typing import NamedTuple


class Message(NamedTuple):
    """A collective of each step.

    Attributes:
        name: What it is called.
        collective: ``all_reduce``, ``all_gather``, ``reduce_scatter``, ``all_to_all`` or ``exchange``.
        over: ``tensor``, ``pipeline``, ``data``, ``expert``, or ``replica`` for the data ranks with the same experts.
        payload_bytes: What each rank reduces, gathers in the end, or hands out.
        times: How often in a step.
        derivation: The payload with its numbers; empty where the user stated it.
    """

    name: str
    collective: str
    over: str
    payload_bytes: float
    times: int
    derivation: str = ""


class Workload(NamedTuple):
    """A training job.

    Attributes:
        hosts: Host groups it runs on; empty for all that have GPUs.
        order: Dimensions of its ranks, the one in which neighbours differ first.
        expert: How many data ranks share the experts.
        step_s: Seconds of a step.
        use_max_pct: Share of a link's rate that traffic can fill on average; 0 where it follows the load balancing.
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

    @property
    def ranks(self) -> int:
        """GPUs of the job."""
        return self.tensor * self.pipeline * self.data
