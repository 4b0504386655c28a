"""Bytes of a training: those that collectives inject, beside the closed forms of a published sizing text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fabricgen.analysis.demand import Traffic
from fabricgen.physics.published_traffic import Term, TrainingJob, published_terms
from fabricgen.plan.model.workload import Training, Workload


class Compared(NamedTuple):
    """A closed form beside the bytes that rings inject for the same work; None where the job sends nothing of it."""

    term: Term
    injected_bytes: float | None


def compare_terms(workload: Workload, training: Training, traffic: Sequence[Traffic]) -> Iterator[Compared]:
    """Yield the closed forms of an epoch beside the bytes of the job's own collectives.

    Args:
        workload: The job.
        training: Its model.
        traffic: Its collectives.
    """
    own = [each for each in traffic if each.job == workload.name and each.message.derivation]
    for term in published_terms(_inputs(workload, training)):
        sent = [_share(term.name, each) * each.total_bytes * training.steps for each in own]
        yield Compared(term, sum(sent) or None)


def _inputs(workload: Workload, training: Training) -> TrainingJob:
    """Return the inputs of the closed forms."""
    return TrainingJob(
        parameters=training.parameters,
        layers=training.layers,
        hidden=training.hidden,
        value_bytes=training.value_bytes,
        batches=training.steps,
        tokens=training.tokens,
        tensor=workload.tensor,
        pipeline=workload.pipeline,
        data=workload.data,
        sharded=training.sharded,
    )


def _share(name: str, traffic: Traffic) -> float:
    """Return how much of a collective a closed form stands for: activations and gathers are of both directions."""
    over, collective = traffic.message.over, traffic.message.collective
    of_parameters = over in ("data", "copy", "replica")
    if (name.startswith("tp_") and over == "tensor") or (name.startswith("pp_") and over == "pipeline"):
        return 0.5
    if name.startswith("fsdp_") and of_parameters and collective == "all_gather":
        return 0.5
    if name == "fsdp_backward" and of_parameters and collective == "reduce_scatter":
        return 1.0
    return 1.0 if name == "dp_backward" and of_parameters and collective == "all_reduce" else 0.0
