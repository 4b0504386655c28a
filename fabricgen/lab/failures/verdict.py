"""One failure: what was predicted beside what was measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fabricgen.lab.failures.differences import ALLOWANCE_S, Figure
from fabricgen.lab.failures.elements import Failure
from fabricgen.lab.failures.matrix import Share
from fabricgen.lab.failures.names import End
from fabricgen.lab.failures.trial import Measured
from fabricgen.lab.verify.findings import Finding, Result, Row


@dataclass(frozen=True, slots=True)
class Verdict:
    """Prediction and measurement of one failure.

    Attributes:
        figures: Those of ``analyze failures`` that are exact.
        routes: Routes to hosts that were compared, next hop by next hop.
        shares: Packets on every link, by the end that sends them.
        busiest: The end with the highest predicted load of those that grew, its share, and the load that a packet is;
            None if none grew.
        moves_s: Predicted time until traffic has moved.
    """

    failure: Failure
    figures: tuple[Figure, ...]
    routes: int
    shares: Mapping[End, Share]
    busiest: tuple[End, Share, float] | None
    moves_s: float
    measured: Measured
    findings: tuple[Finding, ...]
    seconds: float

    def to_line(self) -> Row:
        """One row of the table, as narrow as it can be."""
        row = self.to_row()
        return {
            "failure": self.failure.name,
            "result": row["result"],
            **{each.name.replace("_", " "): _side_by_side(each) for each in self.figures},
            "load": f"{row['load']} ± {row['load_margin']}, {row['load_measured']}" if self.busiest else "-",
            "furthest": row["furthest"],
            "moved_s": f"{row['moves_s']:g} + {ALLOWANCE_S:g}, {row['moved_s']}",
            "lost": f"{row['lost']} of {row['probes']}",
        }

    def to_row(self) -> Row:
        """Everything there is to say, for programs."""
        (device, interface), share, unit = self.busiest or (("", ""), Share(0, 1, 0), 0.0)
        load, margin, counted = (round(packets * unit, 4) for packets in share)
        row: Row = {"failure": self.failure.name, "fails": self.failure.alike.scope}
        row["result"] = "FAIL" if self.findings else "pass"
        for each in self.figures:
            row[each.name], row[f"{each.name}_measured"] = each.predicted, each.measured
        return {
            **row,
            "routes": self.routes,
            "pairs": len(self.measured.arrived),
            "links": len(self.shares),
            "busiest_link": f"{device} {interface}".strip(),
            "load": load,
            "load_margin": margin,
            "load_measured": counted,
            "furthest": round(max((each.off for each in self.shares.values()), default=0.0), 2),
            "moves_s": self.moves_s,
            "allowance_s": ALLOWANCE_S,
            "moved_s": round(self.measured.loss.last_s, 3),
            "probes": self.measured.loss.sent,
            "lost": self.measured.loss.lost,
        }

    def to_result(self) -> Result:
        """The same as the result of a check."""
        examined = self.routes + len(self.measured.arrived) + len(self.shares)
        return Result(self.failure.name, examined, "routes, pairs and links", self.findings, seconds=self.seconds)


def _side_by_side(figure: Figure) -> str | int:
    """Return a figure once if both agree."""
    return figure.predicted if figure.predicted == figure.measured else f"{figure.predicted}, {figure.measured}"
