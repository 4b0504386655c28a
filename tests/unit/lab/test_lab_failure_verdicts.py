"""Verdicts on failures: a measurement that is its own prediction passes, and each thing that differs is found."""

from __future__ import annotations

import pytest

from fabricgen.analysis.failures import Failures
from fabricgen.analysis.symmetry import Symmetry
from fabricgen.lab.failures.elements import list_failures
from fabricgen.lab.failures.judge import Judge
from fabricgen.lab.failures.matrix import Matrix
from fabricgen.lab.failures.names import Names
from fabricgen.lab.failures.pairs import choose_family, list_pairs
from fabricgen.lab.failures.prediction import Predicted
from fabricgen.lab.failures.trial import Measured
from fabricgen.lab.failures.verdict import Verdict
from fabricgen.lab.verify.traffic import Loss
from tests.unit.lab.fabrics import draft, plan_of

FAULTS = {
    "routes": "next hops in the kernel",
    "pairs": "does not arrive",
    "shares": "with a margin of",
    "refused": "were refused",
    "late": "predicted are 2.00 s at most",
    "before": "were lost before it",
    "healed": "after it was undone",
}
CALM = Loss(1000, 0, 0, 0.0)


class Case:
    """A NIC port of quickstart that fails."""

    def __init__(self) -> None:
        plan = plan_of("quickstart")
        self.names, self.failures = Names(plan, draft(plan, "quickstart")), Failures(Symmetry(plan))
        self.failure = list_failures(self.names, self.failures, ["host-leaf"])[0]
        self.planned = Predicted(self.names, self.failures)
        self.predicted = Predicted(self.names, self.failures, self.failure)
        self.matrix = Matrix(self.failures.traffic, choose_family(self.names.attached), 10_000)
        self.judge = Judge(self.names, self.matrix, self.planned, self.as_predicted(self.planned))

    def as_predicted(self, predicted: Predicted) -> Measured:
        """A measurement without chance."""
        pairs = list_pairs(self.names.attached)
        sent = {end: float(gbps / self.matrix.packet_gbps) for end, gbps in predicted.sent_gbps().items()}
        arrived = {pair: predicted.arrives(pair) for pair in pairs}
        return Measured(predicted.routes(), arrived, sent, 0, CALM, CALM, healed=True)

    def verdict(self, fault: str = "") -> Verdict:
        """The verdict on a measurement with one fault in it."""
        found = self.as_predicted(self.predicted)
        if fault == "routes":
            device, routes = next((device, routes) for device, routes in found.routes.items() if routes)
            prefix, hops = next(iter(routes.items()))
            changed = {**routes, prefix: frozenset(sorted(hops)[1:])}
            found = found._replace(routes={**found.routes, device: changed})
        elif fault == "pairs":
            pair = next(pair for pair, arrived in found.arrived.items() if arrived)
            found = found._replace(arrived={**found.arrived, pair: False})
        elif fault == "shares":
            end, most = max(found.sent.items(), key=lambda item: item[1])
            found = found._replace(sent={**found.sent, end: most * 1.2})
        changes = {
            "refused": {"refused": 3},
            "late": {"loss": Loss(1000, 50, 5, 2.5)},
            "before": {"before": Loss(1000, 1, 1, 0.1)},
            "healed": {"healed": False},
        }
        return self.judge.judge(self.failure, self.predicted, found._replace(**changes.get(fault, {})), 1.0)


@pytest.fixture(scope="module")
def case() -> Case:
    return Case()


def test_a_measurement_as_predicted_passes(case: Case) -> None:
    verdict = case.verdict()
    assert verdict.findings == ()
    row = verdict.to_row()
    nics = sum(each.alike.size for each in list_failures(case.names, case.failures, ["host-leaf"])[:1])
    rails = len(case.names.plan.hosts[0].rails)
    assert row["pairs_cut"] == row["pairs_cut_measured"] == 2 * (nics // rails - 1)
    assert row["furthest"] == 0
    assert verdict.to_line()["result"] == "pass"
    assert verdict.to_result().passed
    assert case.judge.judge_planned() == ()


@pytest.mark.parametrize("fault", FAULTS)
def test_each_difference_is_found(case: Case, fault: str) -> None:
    verdict = case.verdict(fault)
    assert FAULTS[fault] in " ".join(finding.reason for finding in verdict.findings)
    assert verdict.to_line()["result"] == "FAIL"


def test_a_margin_is_that_of_independent_choices(case: Case) -> None:
    """A link that every flow of a NIC has to take has no chance in it; half of the flows have the most."""
    unit = case.matrix.packet_gbps
    certain, even, rare = (case.matrix.share(unit * count, 1000, count) for count in (1000, 500, 10))
    assert certain.margin < rare.margin < even.margin
    assert even.margin - certain.margin == pytest.approx(5 * (1000 * 0.5 * 0.5) ** 0.5)
    assert case.matrix.share(unit * 500, 1000, 500 + even.margin * 1.01).off > 1
    assert sum(case.matrix.flows.values()) == case.matrix.total
    assert len(set(case.matrix.flows.values())) == 1
