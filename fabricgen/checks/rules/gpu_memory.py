"""Rule that holds a training job against the memory of the GPUs that it runs on."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.analysis.placement import gpus_of_job
from fabricgen.checks.model import Finding, PlanView, rule
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.physics.training import Share, least_memory
from fabricgen.plan.model.workload import Training, Workload


@rule(
    "FG-EXP-015",
    "Job needs more memory than its GPUs have",
    severity=Severity.WARNING,
    why="The job runs out of memory before its first step, whatever the fabric carries. The figure is the least "
    "that Adam in mixed precision needs: replicas share the optimizer's state, and of activations only the inputs of "
    "layers are kept.",
    fix="Raise tensor, pipeline or expert in the workload, or set sharded; ignore it if state is moved to the hosts.",
    source="Rajbhandari et al., ZeRO, SC 2020, section 3.1; Korthikanti et al., Reducing Activation Recomputation in "
    "Large Transformer Models, MLSys 2023, section 4; the server's file in the catalog",
)
def check_gpu_memory(view: PlanView) -> Iterator[Finding]:
    """Each GPU holds its share of parameters, gradients, optimizer state and activations."""
    for number, job in enumerate(view.plan.jobs):
        names = {view.plan.hosts[gpu.host.group].server for gpu in gpus_of_job(view.plan, job)[: job.ranks]}
        servers = [view.catalog.servers[name] for name in names if name in view.catalog.servers]
        known = [server for server in servers if server.gpu_memory_gbytes]
        if job.training is None or not known:
            continue
        server = min(known, key=lambda each: (each.gpu_memory_gbytes, each.id))
        least = least_memory(share_of(job, job.training))
        if least.total > server.gpu_memory_gbytes * 1e9:
            parts = " + ".join(f"{each / 1e9:.1f}" for each in least)
            path: IntentPath = ("workload",) if number else ("workload", "parallelism")
            yield Finding(
                f"{job.name} needs {least.total / 1e9:.1f} GB of each GPU (parameters and gradients, optimizer, "
                f"activations: {parts}); a GPU of {server.id} has {server.gpu_memory_gbytes} GB",
                path,
                hint="raise tensor, pipeline or expert of the workload, or set sharded: true",
                related=(Related("memory of a GPU", record=("servers", server.id, "gpu_memory_gbytes")),),
            )


def share_of(job: Workload, training: Training) -> Share:
    """Return the share of a GPU in a job; stages and tensor ranks are taken to have equal parts.

    Args:
        job: The job.
        training: Its model.
    """
    parts, replicas = job.tensor * job.pipeline, job.data * job.context
    batches = training.sequences / training.steps / job.data
    held = training.layers / job.pipeline * min(job.pipeline, max(1.0, batches))
    tokens = training.tokens / training.sequences / job.context
    return Share(
        dense=(training.parameters - training.expert_parameters) / parts,
        experts=training.expert_parameters / parts / job.expert,
        replicas=replicas,
        expert_replicas=max(1, replicas // job.expert),
        sharded=training.sharded,
        value_bytes=training.value_bytes,
        activations=held * tokens * training.hidden / job.tensor,
    )
