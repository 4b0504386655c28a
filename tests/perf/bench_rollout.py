"""Cost of rollouts that change every switch of a large fabric, as the command line plans them.

Three changes: thresholds of marking, which are hitless; these with watchdog, servers and time zone, so that six tables
of every switch differ; a shorter cable, whose other headroom takes the ports of every switch down, a few at a time.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from statistics import median

from tests.perf.bench_diff import MARKING, OTHERS, changed
from tests.perf.measure import cost_of_command, fabricgen, render_product

HITLESS, TABLES, DRAINED = "hitless", "six tables of each switch", "drained"
LIMITS = {
    f"rollout of 8,192 GPUs, {HITLESS}, CPU s": 10.0,
    f"rollout of 8,192 GPUs, {TABLES}, CPU s": 10.0,
    f"rollout of 8,192 GPUs, {DRAINED}, CPU s": 10.0,
    f"rollout of 8,192 GPUs, {DRAINED}, peak MiB": 500.0,
}
_DIFFERS = 3
_CABLE = ("media: smf, length_m: 100", "media: smf, length_m: 30")


def measure_rollouts(repository: Path, scratch: Path) -> dict[str, float]:
    """CPU seconds and peak memory of three rollouts."""
    inventory, tree = repository / "inventories/rail-8k", scratch / "tree"
    render_product(inventory, tree)
    sides = {
        HITLESS: changed(inventory, scratch / "hitless", MARKING),
        TABLES: changed(inventory, scratch / "tables", MARKING + OTHERS),
        DRAINED: _shorten(inventory, scratch / "drained"),
    }
    figures: dict[str, float] = {}
    for name, side in sides.items():
        costs = []
        for number in range(3):
            # A folder of its own: to remove the last one right before makes ext4 look for inodes longer.
            out = scratch / f"bundle-{len(figures)}-{number}"
            command = fabricgen("rollout", str(side), str(tree), "-o", str(out))
            costs.append(cost_of_command(command, code=_DIFFERS))
        figures[f"rollout of 8,192 GPUs, {name}, CPU s"] = median(cost.cpu_s for cost in costs)
        figures[f"rollout of 8,192 GPUs, {name}, peak MiB"] = max(cost.peak_bytes for cost in costs) / 2**20
    for folder in scratch.iterdir():
        shutil.rmtree(folder, ignore_errors=True)
    return figures


def _shorten(inventory: Path, folder: Path) -> Path:
    """The same fabric with shorter cables above its leafs."""
    shutil.copytree(inventory, folder)
    file = folder / "fabric.yaml"
    text = file.read_text()
    if text.count(_CABLE[0]) != 1:
        raise SystemExit(f"{file} has other cables than expected")
    file.write_text(text.replace(*_CABLE))
    return folder
