"""Lengths of cables, where files have nothing but the headroom that the length needs."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from fabricgen.device.transition import lower_plan
from fabricgen.inference.draft import cable_of
from fabricgen.inference.match import Match
from fabricgen.inference.shape import ROLES, FoundShape, most, ports_up
from fabricgen.plan.model.fabric import FabricPlan

_BEYOND = 1 << 62
_STEPS_M = 0.5
_LONGEST_STEPS = 4000
"""Lengths that are tried: whole and half metres up to two kilometres."""


def set_lengths(
    intent: dict[str, Any], match: Match, shape: FoundShape, plan_of: Callable[[dict[str, Any]], FabricPlan | None]
) -> None:
    """Set the length of each group of links to that of the row whose headroom most of its ports have."""
    for number in range(-1, len(shape.cabling.tiers) - 1):
        wanted = most((port.headroom_bytes for port in ports_up(shape.cabling, number) if not port.cable_m), 0)
        link = f"{ROLES[number] if number >= 0 else 'host'}-{ROLES[number + 1]}"
        device = next(each for each in match.ids.values() if each.tier == max(number, 0))

        def try_length(steps: int, link: str = link) -> dict[str, Any]:
            tried = deepcopy(intent)
            tried["links"][link]["cable"]["length_m"] = steps * _STEPS_M
            return tried

        def headroom(steps: int, link: str = link, device: Any = device) -> tuple[int, int]:
            plan = plan_of(try_length(steps))
            shapes = [port.shape for port in lower_plan(plan).lower_switch(device).ports] if plan else []
            rows = [shape.headroom for shape in shapes if shape.link == link and shape.headroom]
            # A cable that is too long for the switch has no plan.
            return max(((row.held_bytes, row.row_m) for row in rows), default=(_BEYOND, 0))

        steps = bisect_left(range(1, _LONGEST_STEPS), (wanted, 0), key=headroom) + 1 if wanted else 0
        if steps and headroom(steps)[0] == wanted:
            intent["links"][link]["cable"] = cable_of(headroom(steps)[1])
