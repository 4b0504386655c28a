"""Measuring: CPU seconds and peak memory of this process and of whole commands."""

from __future__ import annotations

import gc
import os
import resource
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from fabricgen.api import Compiled, compile_inventory
from fabricgen.api.render import RenderOptions, render_inventory
from fabricgen.diagnostics import Bag


def cpu_of(action: Callable[[], object], repeats: int = 5) -> float:
    """Median CPU seconds (user and system) of an action in this process, after one warm-up."""
    action()
    costs = []
    for _ in range(repeats):
        gc.collect()
        start = time.process_time()
        action()
        costs.append(time.process_time() - start)
    return statistics.median(costs)


def cpu_of_command(command: Sequence[str], prepare: Callable[[], object] = lambda: None, repeats: int = 5) -> float:
    """Median CPU seconds of a command and its children; it must succeed."""
    costs = []
    for _ in range(repeats + 1):
        prepare()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        costs.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(costs[1:])


class Cost(NamedTuple):
    """Time and memory of one run of a command with its children; memory is the peak of their summed PSS, sampled."""

    cpu_s: float
    wall_s: float
    peak_bytes: int


def cost_of_command(command: Sequence[str], code: int = 0) -> Cost:
    """Time and memory of one run of a command, which must exit with a code; memory is sampled every few ms."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = 0
    done = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.is_set():
            peak = max(peak, sum(map(_pss_bytes, _tree(process.pid))))
            time.sleep(0.004)

    watcher = threading.Thread(target=watch)
    watcher.start()
    found = process.wait()
    done.set()
    watcher.join()
    if found != code:
        raise subprocess.CalledProcessError(found, command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(cpu_s, time.monotonic() - start, peak)


def peak_memory_of_command(command: Sequence[str]) -> int:
    """Peak of the summed PSS of a command's process tree, bytes, sampled every few milliseconds."""
    return cost_of_command(command).peak_bytes


def _tree(root: int) -> list[int]:
    found = [root]
    for pid in found:
        try:
            text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
        except OSError:
            continue
        found += [int(child) for child in text.split()]
    return found


def _pss_bytes(pid: int) -> int:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("Pss:")), 0)


def keep_bytecode(folder: Path) -> None:
    """Let the commands measured from here on keep their bytecode in a folder apart, as an installed package does."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(folder)


def fabricgen(*words: str) -> list[str]:
    return [sys.executable, "-m", "fabricgen", *words]


def compiled(inventory: Path, overlays: Sequence[str] = ()) -> Compiled:
    """A compiled inventory; one that has no plan ends the run."""
    bag = Bag()
    made = compile_inventory(inventory, overlays, bag)
    if made is None or made.plan is None:
        raise SystemExit(f"{inventory} does not compile: {[found.message for found in bag]}")
    return made


def render_product(inventory: Path, out: Path) -> None:
    """The product's whole way in this process: read, validate, plan, check, render, stage, commit."""
    shutil.rmtree(out, ignore_errors=True)
    bag = Bag()
    if render_inventory(compiled(inventory), out, RenderOptions(), bag) is None:
        raise SystemExit(f"{inventory} does not render: {[found.message for found in bag]}")


def scratch_folder() -> Path:
    """A folder on tmpfs where there is one."""
    shared = Path("/dev/shm")
    return shared if os.access(shared, os.W_OK) else Path(os.environ.get("TMPDIR", "/tmp"))


def write_tree(files: dict[str, bytes], root: Path) -> None:
    """W: bytes from memory into a fresh tree."""
    shutil.rmtree(root, ignore_errors=True)
    made: set[Path] = set()
    for path, data in files.items():
        target = root / path
        if target.parent not in made:
            target.parent.mkdir(parents=True, exist_ok=True)
            made.add(target.parent)
        target.write_bytes(data)
