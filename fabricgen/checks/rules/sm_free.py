"""Rules on VCCL's SM-free mode, in which copy engines and the CPU move what GPUs send to each other."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, PlanView, rule
from fabricgen.diagnostics import Related
from fabricgen.diagnostics.words import and_list

SM_FREE = ("collectives", "sm_free")


@rule(
    "FG-HST-012",
    "SM-free mode of a library that has none",
    why="Only VCCL reads the variable: jobs would run as without it.",
    fix="Use VCCL, or leave sm_free out.",
    source="sii-research/VCCL af1ca510, src/transport.cc (NCCL_PASS_SM); NVIDIA/nccl 5067397c has no such variable",
)
def check_sm_free_library(view: PlanView) -> Iterator[Finding]:
    """Every group with GPUs runs VCCL where SM-free mode is asked for."""
    others = [group for group in view.plan.hosts if group.library not in ("", "vccl")]
    if view.plan.collectives.sm_free and others:
        named = and_list([f"{group.name} runs {group.library}" for group in others])
        nvidia = all(group.library == "nccl" for group in others)
        yield Finding(
            f"only vccl has sm_free; {named}",
            SM_FREE,
            hint=f"{'use library: vccl, or ' if nvidia else ''}remove sm_free",
            value=None,
            related=(Related("the library", ("collectives", "library")),),
        )


@rule(
    "FG-HST-013",
    "SM-free mode beside backup queue pairs or telemetry",
    why="VCCL's SM-free transport has neither: a failed NIC ends the job, and what GPUs send to each other is not "
    "measured.",
    fix="Remove sm_free, or fault_tolerance and telemetry.",
    source="sii-research/VCCL af1ca510, README.md, introduction (SM-Free supports neither); vccl-doc.readthedocs.io, "
    "features/sm-free-overlap: NCCL_ENABLE_FAULT_TOLERANCE=0",
)
def check_sm_free_alone(view: IntentView) -> Iterator[Finding]:
    """SM-free mode, fault tolerance and telemetry are not asked for together."""
    c = view.intent.collectives
    for key in [name for name in ("fault_tolerance", "telemetry") if c.sm_free and getattr(c, name)]:
        yield Finding(
            f"the SM-free mode of vccl supports no {key.replace('_', ' ')}",
            ("collectives", key),
            hint=f"use {key}: false, or remove sm_free",
            value=False,
            related=(Related("SM-free mode", SM_FREE),),
        )
