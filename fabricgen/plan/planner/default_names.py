"""Patterns of the names of devices that the intent does not name."""

from __future__ import annotations

from fabricgen.intent.fabric import FabricIntent
from fabricgen.plan.planner.shape import TierShape


def default_host_name(intent: FabricIntent) -> str:
    """Host name pattern that names every dimension with more than one member."""
    zone = "z{zone:02}-" if intent.zones else ""
    pod = "p{pod:02}-" if intent.pods else ""
    return "{group}-" + zone + pod + "u{unit:03}-h{host:02}"


def default_switch_name(intent: FabricIntent, shape: TierShape, number: int) -> str:
    """Name pattern that names every dimension the tier has; widths follow the reserved maxima."""
    name = shape.name.replace("_", "-")
    scope = ("z{zone:02}-" if intent.zones and shape.per != "fabric" else "") + (
        "p{pod:02}-" if intent.pods and shape.per in ("pod", "unit") else ""
    )
    plane = "{plane}" if shape.counts.plane > 1 else ""
    if number == 0:
        group = "-r{rail}" if shape.counts.group > 1 else ""
        member = "-{index}" if shape.counts.index > 1 else ""
        return f"{name}-{scope}u{{unit:03}}{group}{plane}{member}"
    digits = max(2, len(str(shape.reserved.group * shape.reserved.index)))
    return f"{name}-{scope}{plane}{{index:0{digits}}}"
