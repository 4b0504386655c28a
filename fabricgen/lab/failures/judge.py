"""A measurement held against its prediction."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from fabricgen.lab.failures.differences import (
    Figure,
    compare_figures,
    compare_pairs,
    compare_routes,
    compare_shares,
    compare_time,
)
from fabricgen.lab.failures.elements import Failure
from fabricgen.lab.failures.matrix import Matrix, Share
from fabricgen.lab.failures.names import End, Names
from fabricgen.lab.failures.pairs import count_pairs
from fabricgen.lab.failures.prediction import Predicted
from fabricgen.lab.failures.trial import Measured
from fabricgen.lab.failures.verdict import Verdict
from fabricgen.lab.failures.widths import compare_widths, widths_text
from fabricgen.lab.verify.findings import Finding
from fabricgen.plan.model.links import HostLink


class Judge:
    """Compares failures of one fabric with their predictions."""

    def __init__(self, names: Names, matrix: Matrix, planned: Predicted, measured: Measured) -> None:
        """Keep the fabric as it is without a failure.

        Args:
            names: The plan and the lab.
            matrix: The flows that were sent.
            planned: Prediction without a failure.
            measured: What was found then.
        """
        self.names, self.matrix, self.planned, self.measured = names, matrix, planned, measured
        plan = names.plan
        self._tiers = {tier.number: tier.name for tier in plan.tiers}
        self._speeds: dict[End, int] = {}
        self._most: dict[End, int] = {}
        for ends in names.ends.values():
            link = ends.link
            if isinstance(link, HostLink):
                speed, most = plan.hosts[link.host.group].link.speed_gbps, matrix.of_nic(link)
            else:
                speed, most = plan.links[link.number].speed_gbps, (matrix.total, matrix.total)
            self._speeds[ends.lower] = self._speeds[ends.upper] = speed
            self._most[ends.lower], self._most[ends.upper] = most

    def judge_planned(self) -> tuple[Finding, ...]:
        """Return what differs from the plan before anything fails."""
        return (
            *compare_routes(self.planned.routes(), self.measured.routes)[1],
            *compare_pairs(self.planned, self.measured.arrived),
            *compare_shares(self.names.blueprint, self._shares(self.planned, self.measured), self.measured.refused),
        )

    def judge(self, failure: Failure, predicted: Predicted, measured: Measured, seconds: float) -> Verdict:
        """Hold a measurement against its prediction."""
        examined, wrong_routes = compare_routes(predicted.routes(), measured.routes)
        shares = self._shares(predicted, measured)
        figures = tuple(self._figures(predicted, measured))
        findings = (
            *wrong_routes,
            *compare_pairs(predicted, measured.arrived),
            *compare_figures(failure.name, figures),
            *compare_shares(self.names.blueprint, shares, measured.refused),
            *compare_time(failure.name, predicted.moves_s, measured),
        )
        busiest = self._busiest(predicted)
        unit = float(self.matrix.packet_gbps / self._speeds[busiest]) if busiest else 0.0
        busy = (busiest, shares[busiest], unit) if busiest else None
        return Verdict(failure, figures, examined, shares, busy, predicted.moves_s, measured, findings, seconds)

    def _shares(self, predicted: Predicted, measured: Measured) -> dict[End, Share]:
        """Return the packets of every link that is left, by the end that sends them."""
        return {
            end: self.matrix.share(gbps, self._most[end], measured.sent[end])
            for end, gbps in predicted.sent_gbps().items()
        }

    def _busiest(self, predicted: Predicted) -> End | None:
        """Return the end with the highest load of those that carry more than planned."""
        before, now = self.planned.sent_gbps(), predicted.sent_gbps()
        more = [end for end, gbps in now.items() if gbps > before.get(end, Fraction(0))]
        return max(more, key=lambda end: now[end] / self._speeds[end], default=None)

    def _figures(self, predicted: Predicted, measured: Measured) -> Iterator[Figure]:
        """Yield what ``analyze failures`` prints and can be measured exactly."""
        effect, blueprint = predicted.effect, self.names.blueprint
        if effect is None:
            return
        used = self.names.prefixes
        planned, now = (
            {name: {prefix: hops for prefix, hops in found.items() if prefix in used} for name, found in each.items()}
            for each in (self.measured.routes, measured.routes)
        )
        widths = compare_widths(blueprint, planned, now)
        yield Figure("next_hops_left", widths_text(self._tiers, effect.widths), widths_text(self._tiers, widths))
        cut, reduced = count_pairs(self.measured.arrived, measured.arrived)
        yield Figure("pairs_cut", round(sum(effect.cut.values(), Fraction(0))), cut)
        yield Figure("pairs_reduced", round(sum(effect.reduced.values(), Fraction(0))), reduced)
