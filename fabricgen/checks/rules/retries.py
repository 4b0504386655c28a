"""Rules on how long a queue pair tries again."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, rule
from fabricgen.diagnostics import Related, Severity
from fabricgen.physics.timers import FRAMEWORK_TIMEOUT_S, retry_budget_s

EXPONENT, COUNT = ("collectives", "timeout_exponent"), ("collectives", "retry_count")


@rule(
    "FG-HST-056",
    "Retries that outlast the job",
    severity=Severity.WARNING,
    why="A queue pair to a dead peer reports its error only after all retries. The framework gives up before: the job "
    "ends by a timeout that names no NIC, after standing still as long.",
    fix="Lower timeout_exponent or retry_count.",
    source="InfiniBand architecture, volume 1, Local ACK Timeout; pytorch/pytorch pull request 110947 (10 minutes)",
)
def check_retries_end(view: IntentView) -> Iterator[Finding]:
    """Retries end before the framework's own timeout."""
    c = view.intent.collectives
    budget = retry_budget_s(c.timeout_exponent, c.retry_count)
    if budget > FRAMEWORK_TIMEOUT_S:
        fits = max(e for e in range(1, 32) if retry_budget_s(e, c.retry_count) <= FRAMEWORK_TIMEOUT_S)
        yield Finding(
            f"a queue pair gives up after {budget:.0f} s; PyTorch ends the collective after {FRAMEWORK_TIMEOUT_S}",
            EXPONENT,
            hint=f"use timeout_exponent: {fits} or less",
            value=fits,
            related=(Related("the retries", COUNT),),
        )


@rule(
    "FG-HST-057",
    "No retry for a lost packet",
    severity=Severity.WARNING,
    why="The retry count is also that of packets out of sequence: with none, one corrupted frame ends the job, on "
    "links whose bit errors would pass unnoticed otherwise.",
    fix="Use retry_count: 7, the library's default.",
    source="NVIDIA WinOF-2 documentation, RDMA capabilities (ACK timeouts and NAK sequence errors count alike); "
    "NVIDIA/nccl, NCCL_IB_RETRY_CNT",
)
def check_some_retry(view: IntentView) -> Iterator[Finding]:
    """Queue pairs try again at least once."""
    if view.intent.collectives.retry_count == 0:
        yield Finding(
            "retry_count is 0: the first lost packet ends the job",
            COUNT,
            hint="use retry_count: 7",
            value=7,
            related=(Related("the timeout", EXPONENT),),
        )
