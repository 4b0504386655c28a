"""Memory of a GPU against figures of the ZeRO paper, and the share of a job against counting."""

from __future__ import annotations

from math import isclose

import pytest

from fabricgen.checks.rules.workload import share_of
from fabricgen.intent.workload import WorkloadIntent
from fabricgen.physics.traffic import Share, least_memory
from fabricgen.plan.planner.workload import build_workload

FIGURE_1 = {1: (False, 31.4), 3: (True, 1.9)}
"""Rajbhandari et al., figure 1: gigabytes of 7.5 billion parameters on 64 GPUs, by the stage of ZeRO."""


@pytest.mark.parametrize("stage", FIGURE_1)
def test_parameters_and_optimizer_are_those_of_the_paper(stage: int) -> None:
    sharded, gigabytes = FIGURE_1[stage]
    found = least_memory(Share(7.5e9, 0.0, 64, 64, sharded, 2, 0.0))
    assert round(found.total / 1e9, 1) == gigabytes


def test_single_precision_has_no_second_copy() -> None:
    found = least_memory(Share(1e9, 0.0, 1, 1, False, 4, 0.0))
    assert (found.parameters, found.optimizer) == (8e9, 8e9)


def test_shares_of_all_ranks_are_the_model() -> None:
    """Ranks of one replica have every parameter once, and each layer's inputs once for each micro-batch in flight."""
    model = {"parameters_billion": 236, "layers": 60, "hidden": 5120}
    experts = {"per_token": 6, "layers": 59, "parameters_billion": 223}
    degrees = {"tensor": 2, "pipeline": 4, "context": 2, "data": 16, "expert": 8}
    step = {"sequences": 2304, "sequence_tokens": 4096, "seconds": 20}
    written = {"name": "j", "model": model | {"experts": experts}, "parallelism": degrees, "step": step}
    job = build_workload(WorkloadIntent.model_validate(written))
    share = share_of(job, job.training)
    assert isclose(share.dense * 2 * 4, 13e9)
    assert isclose(share.experts * 2 * 4 * 8, 223e9)
    assert (share.replicas, share.expert_replicas) == (32, 4)
    assert isclose(share.activations * 2 * 2, 60 * 4096 * 5120)
