"""Downlinks that a switch has room for beside its uplinks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from fabricgen.catalog.host_records import NicModel
from fabricgen.catalog.records import SwitchModel
from fabricgen.diagnostics.words import and_list, or_list
from fabricgen.plan.planner.ports import lanes_in_common, mode_for, switch_lanes
from fabricgen.sizing.request import Unfit


class Radix:
    """Links of a switch model with one speed on each side: uplinks take cages from the last one, downlinks the rest."""

    def __init__(self, model: SwitchModel, down: tuple[int, int], up: tuple[int, int]) -> None:
        """Count the links of every cage.

        Args:
            model: The switch.
            down: Speed, Gb/s, and lanes of a downlink.
            up: The same of an uplink.
        """
        self.model = model
        self.down_of_cage, self.up_of_cage = _links(model, *down), _links(model, *up)
        self._first = [0, *accumulate(self.down_of_cage)]

    def cages(self, side: Sequence[int], links: int) -> int | None:
        """Return how many cages, those without such links apart, some links take; None if there are too few."""
        taken = 0
        for count in side:
            if links <= 0:
                break
            taken, links = taken + (count > 0), links - count
        return taken if links <= 0 else None

    def most_down(self, uplinks: int) -> int:
        """Return how many downlinks are left beside some uplinks; -1 if the uplinks alone do not fit."""
        free, passed_over = len(self.up_of_cage), 0
        while uplinks > 0 and free:
            free -= 1
            uplinks -= self.up_of_cage[free]
            if not self.up_of_cage[free]:
                passed_over += self.down_of_cage[free]
        return -1 if uplinks > 0 else self._first[free] + passed_over

    def fits(self, downlinks: int, uplinks: int) -> bool:
        """Return whether the switch has so many ports on both sides."""
        return downlinks <= self.most_down(uplinks)


def _links(model: SwitchModel, speed_gbps: int, lanes: int) -> list[int]:
    """Links of that speed in each cage, as planning counts them."""
    found = []
    for cage in model.cages:
        if not cage.service:
            mode = mode_for(cage, speed_gbps, lanes)
            found.append(len(mode.ports) if mode else int(not cage.modes))
    return found


def host_lanes(nic: NicModel, leaf: SwitchModel, speed_gbps: int) -> int | Unfit:
    """Return the lanes of a link between a NIC and a leaf, or why there is none."""
    of_nic, of_leaf = frozenset(nic.lanes_by_gbps.get(speed_gbps, ())), switch_lanes(leaf, speed_gbps)
    return _common((nic.id, of_nic), (leaf.id, of_leaf), speed_gbps, leaf)


def switch_link_lanes(lower: SwitchModel, upper: SwitchModel, speed_gbps: int) -> int | Unfit:
    """Return the lanes of a link between two switches, or why there is none."""
    ends = [(model.id, switch_lanes(model, speed_gbps)) for model in (lower, upper)]
    return _common(ends[0], ends[1], speed_gbps, lower)


def speeds_of(model: SwitchModel) -> list[int]:
    """Return the speeds that a switch runs, Gb/s, the fastest first."""
    found = {cage.native_gbps for cage in model.cages if not cage.service and not cage.modes}
    for cage in model.cages:
        if not cage.service:
            found |= {mode.ports[0].speed_gbps for mode in cage.modes if len({*mode.ports}) == 1}
    return sorted(found, reverse=True)


def _common(
    one: tuple[str, frozenset[int]], other: tuple[str, frozenset[int]], speed_gbps: int, model: SwitchModel
) -> int | Unfit:
    hint = f"another speed or model; {model.id} runs {', '.join(f'{speed}G' for speed in speeds_of(model))}"
    for name, lanes in (one, other):
        if not lanes:
            return Unfit(f"{name} does not run {speed_gbps}G", hint)
    fewest = lanes_in_common(one[1], other[1])
    if fewest is not None:
        return fewest
    ends = and_list(f"{name} over {_or(lanes)} lanes" for name, lanes in (one, other))
    return Unfit(f"{speed_gbps}G has no lane count in common: {ends}", hint)


def _or(lanes: frozenset[int]) -> str:
    return or_list(map(str, sorted(lanes)))
