"""Cost of a byte at one size of a fabric and at another, with and without the work done once per fabric."""

from __future__ import annotations

from pathlib import Path

from fabricgen.device.lower import Lowering
from fabricgen.diagnostics import Bag
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, HostId
from fabricgen.render.engine import Renderer
from tests.perf.measure import compiled, cpu_of

ONCE, BYTE, FURTHER = "once, CPU s", "total per byte, ns", "(total - once) per byte, ns"
RATIO = "(total - W) / R"
LIMITS = {"(total - W) / R, larger": 2.0, "total per byte / smaller": 1.10}


def _find_firsts(plan: FabricPlan) -> tuple[list[DeviceId], list[HostId]]:
    """One switch of every class and one host of every group."""
    lowering = Lowering(plan)
    switches = {lowering.class_key(device): device for device in plan.switches()}
    return list(switches.values()), list({host.group: host for host in plan.all_hosts()}.values())


def cost_of_once(inventory: Path) -> float:
    """CPU seconds of what is done once per fabric: reading, planning, checking, templates, one device of each class."""
    switches, hosts = _find_firsts(compiled(inventory).plan)

    def render_firsts() -> None:
        made = compiled(inventory)
        lowering, renderer = Lowering(made.plan), Renderer(made.platforms, Bag())
        for device in switches:
            renderer.render_switch(lowering.lower_switch(device))
        for host in hosts:
            renderer.render_host(lowering.lower_host(host))

    return cpu_of(render_firsts)


def measure_bytes(inventory: Path, total_s: float, size_bytes: int) -> dict[str, float]:
    """Return what a byte of an inventory's output costs."""
    once = cost_of_once(inventory)
    return {ONCE: once, BYTE: total_s / size_bytes * 1e9, FURTHER: (total_s - once) / size_bytes * 1e9}


def compare_sizes(smaller: dict[str, float], larger: dict[str, float]) -> dict[str, float]:
    """Figures of a larger fabric, and against those of a smaller one: growth makes no byte dearer."""
    return {
        "(total - W) / R, larger": larger[RATIO],
        "total per byte / smaller": larger[BYTE] / smaller[BYTE],
        "(total - once) per byte / smaller": larger[FURTHER] / smaller[FURTHER],
    }
