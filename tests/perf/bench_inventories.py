"""Time and memory of rendering each shipped inventory, as the command line does.

Whole up to 16,384 GPUs. Of a larger one what its size does not change: one unit, and one switch of every other tier in
every plane. Reading, planning and checking are whole there too.
"""

from __future__ import annotations

import shutil
from itertools import takewhile
from pathlib import Path

from fabricgen.analysis.capacity import summarize
from fabricgen.plan.model.fabric import FabricPlan
from tests.perf.measure import compiled, cost_of_command, fabricgen

WHOLE_GPUS_MAX = 16_384
LIMITS = {"peak of an inventory, MiB": 200.0}


def list_inventories(repository: Path) -> list[str]:
    return sorted(path.parent.name for path in (repository / "inventories").glob("*/fabric.yaml"))


def measure_inventory(inventory: Path, scratch: Path) -> dict[str, float]:
    """Render an inventory once into a fresh tree."""
    plan, out = compiled(inventory).plan, scratch / "inventory"
    gpus = summarize(plan, 0).gpus
    only = [] if gpus <= WHOLE_GPUS_MAX else [word for glob in choose_globs(plan) for word in ("--only", glob)]
    cost = cost_of_command(fabricgen("render", str(inventory), "-o", str(out), *only))
    files = [path for part in ("switches", "hosts") for path in (out / part).rglob("*") if path.is_file()]
    figures = {
        "GPUs": gpus, "rendered whole": float(not only),
        "devices rendered": len({path.relative_to(out).parts[:2] for path in files}), "files": len(files),
        "MB": sum(path.stat().st_size for path in files) / 1e6, "CPU s": cost.cpu_s, "wall s": cost.wall_s,
        "peak of an inventory, MiB": cost.peak_bytes / 2**20,
    }  # fmt: skip
    shutil.rmtree(out)
    return figures


def choose_globs(plan: FabricPlan) -> list[str]:
    """Return globs on names: hosts and leafs of the first unit, and the first switch of each plane of other tiers."""
    hosts: dict[int, list[str]] = {}
    for host in plan.all_hosts():
        if not any(host.where):
            hosts.setdefault(host.group, []).append(plan.host_name(host))
    switches: dict[tuple[int, int], list[str]] = {}
    for device in plan.switches():
        where = device.where
        if not (where.zone or where.pod or where.unit):
            switches.setdefault((device.tier, where.plane), []).append(plan.device_name(device))
    leafs = [_glob_of(names) for (tier, _), names in switches.items() if tier == 0]
    above = [names[0] for (tier, _), names in switches.items() if tier > 0]
    return list(dict.fromkeys([*map(_glob_of, hosts.values()), *leafs, *above]))


def _glob_of(names: list[str]) -> str:
    shared = takewhile(lambda pair: pair[0] == pair[1], zip(min(names), max(names), strict=False))
    return names[0] if len(names) == 1 else "".join(one for one, _ in shared) + "*"
