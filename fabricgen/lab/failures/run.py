"""Failures of a running lab, one after the other, each held against its prediction."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from typing import NamedTuple

from fabricgen.analysis.failures import Failures
from fabricgen.analysis.symmetry import Symmetry
from fabricgen.lab.failures.elements import Failure, list_failures
from fabricgen.lab.failures.judge import Judge
from fabricgen.lab.failures.matrix import Matrix, dropped_at_hosts
from fabricgen.lab.failures.names import Names
from fabricgen.lab.failures.pairs import choose_family, list_pairs
from fabricgen.lab.failures.prediction import Predicted
from fabricgen.lab.failures.trial import Bench
from fabricgen.lab.failures.verdict import Verdict
from fabricgen.lab.lifecycle.boot import Progress
from fabricgen.lab.model.blueprint import Blueprint
from fabricgen.lab.verify.findings import Result
from fabricgen.plan.model.fabric import FabricPlan


class Report(NamedTuple):
    """Failures that were caused: the lab before the first of them, then each with its verdict."""

    planned: Result
    verdicts: list[Verdict]
    flows: int


class Trials:
    """Everything that trials of one lab share.

    Attributes:
        names: Names of plan and lab.
        failures: The analysis of the plan.
    """

    def __init__(self, plan: FabricPlan, blueprint: Blueprint) -> None:
        """Join the plan and the lab that was booted of it."""
        self.names, self.failures = Names(plan, blueprint), Failures(Symmetry(plan))

    def list(self, scopes: Sequence[str] = ()) -> list[Failure]:
        """Return every failure; of some tiers and links only if they are named."""
        return list_failures(self.names, self.failures, scopes)

    def run(self, chosen: Sequence[Failure], flows: int, progress: Progress) -> Report:
        """Cause failures one after the other.

        Args:
            chosen: The failures.
            flows: Flows of all pairs of NICs together.
            progress: Gets how many are done.
        """
        names, failures = self.names, self.failures
        matrix = Matrix(failures.traffic, choose_family(names.attached), flows)
        verdicts = []
        with ExitStack() as stack, dropped_at_hosts(names.blueprint):
            bench = Bench(names, matrix, list_pairs(names.attached), stack)
            started, planned = time.monotonic(), Predicted(names, failures)
            judge = Judge(names, matrix, planned, bench.measure(planned))
            found = judge.judge_planned()
            before = Result("as planned", len(bench.pairs), "pairs", found, seconds=time.monotonic() - started)
            for done, failure in enumerate(chosen):
                progress(failure.name, done, len(chosen))
                started, predicted = time.monotonic(), Predicted(names, failures, failure)
                measured = bench.try_failure(predicted, failure)
                verdicts.append(judge.judge(failure, predicted, measured, time.monotonic() - started))
        return Report(before, verdicts, matrix.total)
