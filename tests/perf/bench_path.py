"""Cost of following one flow, beside the summary of the same fabric: what a question costs above loading the plan."""

from __future__ import annotations

from pathlib import Path

from tests.perf.measure import cpu_of_command, fabricgen

FABRICS = {
    "quickstart": ("inventories/quickstart", "gpu-u001-h01", "gpu-u002-h04"),
    "scale-131k": ("tests/fabrics/scale-131k", "gpu-p01-u001-h01", "gpu-p32-u008-h64"),
}
"""Fabrics, each with two hosts as far apart as it has them."""
LIMITS = {f"path, {name}, CPU ms above the summary": 50.0 for name in FABRICS}


def measure_path(repository: Path) -> dict[str, float]:
    """Measure ``show INVENTORY path`` and ``show INVENTORY summary`` as whole commands.

    Args:
        repository: Where the inventories are.
    """
    costs = {}
    for name, (folder, one, other) in FABRICS.items():
        inventory = str(repository / folder)
        loaded = cpu_of_command(fabricgen("show", inventory, "summary"))
        followed = cpu_of_command(fabricgen("show", inventory, "path", one, other))
        costs[f"path, {name}, CPU ms above the summary"] = 1000 * (followed - loaded)
    return costs
