"""The fewest waves by integer programming: HiGHS looks for a rollout of so many waves that keeps every limit.

What two leafs keep is a flow of its own per wave, so fabrics of any number of tiers are judged exactly.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import highspy

from tests.property.outage_simulation import Simulation, max_flow


class Program:
    """The search for a rollout of some switches in a number of waves.

    Attributes:
        groups: The most of each group that may be out, and the members of it that change.
        apart: Classes of switches of which two may not share a wave, by switch; one map per limit.
    """

    def __init__(
        self,
        simulation: Simulation,
        changed: Sequence[str],
        floor: Fraction,
        groups: Mapping[Hashable, tuple[int, Sequence[str]]],
        apart: Sequence[Mapping[str, Hashable]],
    ) -> None:
        self.simulation, self.changed, self.floor = simulation, changed, floor
        self.groups, self.apart = groups, apart
        self._networks = [simulation.network(*pair) for pair in simulation.pairs]

    def fits(self, waves: int) -> bool:
        """Return whether a rollout of so many waves exists."""
        model = highspy.Highs()
        model.silent()
        out = {(name, wave): model.addBinary() for name in self.changed for wave in range(waves)}
        for name in self.changed:
            model.addConstr(sum(out[name, wave] for wave in range(waves)) == 1)
        for wave in range(waves):
            for most, members in filter(lambda group: group[1], self.groups.values()):
                model.addConstr(sum(out[name, wave] for name in members) <= most)
            for classes in self.apart:
                self._keep_apart(model, out, wave, classes)
            for pair, edges in zip(self.simulation.pairs, self._networks, strict=True):
                self._keep_floor(model, out, wave, pair, edges)
        model.run()
        status = model.getModelStatus()
        assert status in (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kInfeasible), status
        return bool(status == highspy.HighsModelStatus.kOptimal)

    def _keep_apart(self, model: Any, out: Mapping[Any, Any], wave: int, classes: Mapping[str, Hashable]) -> None:
        chosen = {each: model.addBinary() for each in dict.fromkeys(classes.values())}
        if chosen:
            model.addConstr(sum(chosen.values()) <= 1)
        for name, each in classes.items():
            model.addConstr(out[name, wave] <= chosen[each])

    def _keep_floor(self, model: Any, out: Mapping[Any, Any], wave: int, pair: Any, edges: Mapping[Any, Any]) -> None:
        one, other, _ = pair
        if not any(name in self.changed and name not in (one, other) for ends in edges for name in ends):
            return
        planned = max_flow(dict(edges), one, f"{other}'")
        flows = {ends: model.addVariable(0, float(min(cap, planned))) for ends, cap in edges.items()}
        for (low, up), flow in flows.items():
            cap = float(min(edges[low, up], planned))
            for end in {low.rstrip("'"), up.rstrip("'")} - {one, other}:
                if (end, wave) in out:
                    model.addConstr(flow + cap * out[end, wave] <= cap)
        for node in {end for ends in edges for end in ends} - {one, f"{other}'"}:
            entering = [flow for (_, end), flow in flows.items() if end == node]
            leaving = [flow for (end, _), flow in flows.items() if end == node]
            if entering or leaving:
                model.addConstr(model.qsum(entering) - model.qsum(leaving) == 0)
        arriving = sum(flow for (_, end), flow in flows.items() if end == f"{other}'")
        model.addConstr(arriving >= float(self.floor * planned) - 1e-6)
