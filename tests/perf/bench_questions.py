"""Cost of questions about a plan as whole commands: failures, deadlock, and the way of one flow."""

from __future__ import annotations

from pathlib import Path

from tests.perf.measure import cpu_of_command, fabricgen, peak_memory_of_command

SIZES = {"8,192": "inventories/rail-8k", "131,072": "tests/fabrics/scale-131k"}
"""Fabrics by their GPUs; memory is that of the larger one."""
LIMITS = {
    f"{topic} of {figure}": limit
    for topic in ("deadlock", "failures")
    for figure, limit in (("8,192 GPUs, CPU s", 10.0), ("131,072 GPUs, CPU s", 60.0), ("131,072 GPUs, MiB", 1024.0))
}
FLOWS = {
    "quickstart": ("inventories/quickstart", "gpu-u001-h01", "gpu-u002-h04"),
    "scale-131k": ("tests/fabrics/scale-131k", "gpu-p01-u001-h01", "gpu-p32-u008-h64"),
}
"""Fabrics, each with two hosts as far apart as it has them."""
PATH_LIMITS = {f"path, {name}, CPU ms above the summary": 50.0 for name in FLOWS}


def measure_analysis(repository: Path, topic: str) -> dict[str, float]:
    """Measure ``analyze INVENTORY TOPIC`` from the start of the interpreter to its end."""
    figures: dict[str, float] = {}
    for size, folder in SIZES.items():
        command = fabricgen("analyze", str(repository / folder), topic)
        figures[f"{topic} of {size} GPUs, CPU s"] = cpu_of_command(command, repeats=3)
    figures[f"{topic} of {size} GPUs, MiB"] = peak_memory_of_command(command) / 2**20
    return figures


def measure_path(repository: Path) -> dict[str, float]:
    """Measure ``show INVENTORY path`` above ``show INVENTORY summary``: the question without loading the plan."""
    costs = {}
    for name, (folder, one, other) in FLOWS.items():
        inventory = str(repository / folder)
        loaded = cpu_of_command(fabricgen("show", inventory, "summary"))
        followed = cpu_of_command(fabricgen("show", inventory, "path", one, other))
        costs[f"path, {name}, CPU ms above the summary"] = 1000 * (followed - loaded)
    return costs
