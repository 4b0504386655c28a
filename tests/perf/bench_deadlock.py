"""Cost of the analysis of deadlocks: CPU seconds and peak memory of the whole command."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.perf.measure import cpu_of_command, fabricgen, peak_memory_of_command

SMALL, LARGE = "deadlock, 8,192 GPUs", "deadlock, 131,072 GPUs"
LIMITS = {f"{SMALL}, CPU s": 10.0, f"{LARGE}, CPU s": 60.0, f"{LARGE}, MiB": 1024.0}


def measure_deadlock(repository: Path, scratch: Path) -> dict[str, float]:
    """Measure ``analyze deadlock`` from the start of the interpreter to its end.

    Args:
        repository: Root of the repository, with the inventories.
        scratch: Folder for a copy of the largest fabric.
    """
    folder = scratch / "deadlock"
    shutil.copytree(repository / "tests/fabrics/scale-131k", folder)
    small = fabricgen("analyze", str(repository / "inventories/rail-8k"), "deadlock")
    large = fabricgen("analyze", str(folder), "deadlock")
    return {
        f"{SMALL}, CPU s": cpu_of_command(small, repeats=3),
        f"{LARGE}, CPU s": cpu_of_command(large, repeats=3),
        f"{LARGE}, MiB": peak_memory_of_command(large) / 2**20,
    }
