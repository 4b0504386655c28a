"""Cost of every single failure of large fabrics, as the command line works them out."""

from __future__ import annotations

from pathlib import Path

from tests.perf.measure import cpu_of_command, fabricgen, peak_memory_of_command

LIMITS = {
    "failures of 8,192 GPUs, CPU s": 10.0,
    "failures of 131,072 GPUs, CPU s": 60.0,
    "failures of 131,072 GPUs, peak MiB": 1024.0,
}


def measure_failures(repository: Path) -> dict[str, float]:
    """Every single failure of 8,192 and of 131,072 GPUs.

    Args:
        repository: Where the inventories are.
    """
    small = fabricgen("analyze", str(repository / "inventories/rail-8k"), "failures")
    large = fabricgen("analyze", str(repository / "tests/fabrics/scale-131k"), "failures")
    return {
        "failures of 8,192 GPUs, CPU s": cpu_of_command(small, repeats=3),
        "failures of 131,072 GPUs, CPU s": cpu_of_command(large, repeats=3),
        "failures of 131,072 GPUs, peak MiB": peak_memory_of_command(large) / 2**20,
    }
