"""Cost of collecting emulated devices by SSH and by eAPI: ``python -m tests.perf.bench_collect``.

The devices are servers in a process of their own: 192 switches and 808 hosts of an inventory by SSH, the 1,024 leafs of
a pod by eAPI. Each answers every command of its platform, as rendered. Time and memory are those of
``fabricgen collect`` alone, from start to end.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from fabricgen.collect.target import CollectTarget
from fabricgen.collect.targets import DeviceAccess, list_names, list_targets
from fabricgen.device.globs import is_chosen
from fabricgen.diagnostics import Bag
from tests.emulated.https_fleet import VARIABLE, ApiFleet, emulate_api, serve_api
from tests.emulated.https_switch import LOGIN
from tests.emulated_devices import Fleet, emulate, serve_fleet
from tests.perf.measure import compiled, cost_of_command, fabricgen, scratch_folder


class Case(NamedTuple):
    """A way, the inventory whose devices are reached by it, which of them, and the bound of CPU seconds."""

    way: str
    inventory: str
    glob: str
    devices: int
    cpu_s: float

    @property
    def name(self) -> str:
        return f"collect by {self.way}, {self.devices:,} devices"


CASES = (Case("ssh", "rail-8k", "*", 1000, 40.0), Case("eapi", "astral", "tor-p1-*", 1024, 60.0))
LIMITS = {f"{case.name}, {unit}": most for case in CASES for unit, most in (("CPU s", case.cpu_s), ("MiB", 300.0))}
"""The target is 60 s of wall time on a quiet machine; CPU seconds decide, as everywhere."""


def measure_collect(case: Case, repository: Path, scratch: Path) -> dict[str, float]:
    """Measure ``collect`` from the start of the interpreter to its end."""
    inventory, tree, out = repository / "inventories" / case.inventory, scratch / "tree", scratch / "collected"
    os.environ[VARIABLE] = LOGIN[1]
    render = fabricgen("render", str(inventory), "-o", str(tree), "--only", case.glob)
    subprocess.run(render, check=True, capture_output=True, cwd=repository)
    words = [word for target in list_devices(case, inventory) for word in ("--only", target.name)]
    with _serve(case, inventory, tree, scratch) as fleet:
        cost = cost_of_command(fabricgen("collect", str(inventory), "-o", str(out), *fleet.options, *words))
    collected = list(out.glob("state/*/*/record.json"))
    if len(collected) != case.devices:
        raise SystemExit(f"{len(collected)} of {case.devices} devices were collected")
    figures = {"wall s": cost.wall_s, "CPU s": cost.cpu_s, "MiB": cost.peak_bytes / 2**20}
    return {f"{case.name}, {unit}": value for unit, value in figures.items()}


def list_devices(case: Case, inventory: Path) -> list[CollectTarget]:
    made = compiled(inventory)
    chosen = [name for name in list_names(made.plan) if is_chosen(name, (case.glob,))][: case.devices]
    access = DeviceAccess(ways={} if case.way == "ssh" else {case.way: 0})
    return list_targets(made.plan, made.platforms, chosen, access, Bag())


@contextmanager
def _serve(case: Case, inventory: Path, tree: Path, folder: Path) -> Iterator[Fleet | ApiFleet]:
    command = [sys.executable, "-m", "tests.perf.bench_collect", case.way, str(inventory), str(tree), str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        if server.stdout is None or server.stdin is None or server.stdout.readline() != b"ready\n":
            raise SystemExit("the emulated devices do not start")
        try:
            yield Fleet({}, folder) if case.way == "ssh" else ApiFleet({}, folder)
        finally:
            server.stdin.close()
            server.wait(60)


def _stay(case: Case, inventory: Path, tree: Path, folder: Path) -> None:
    """Serve devices until standard input ends."""
    targets = list_devices(case, inventory)
    with (
        serve_fleet([emulate(target, tree) for target in targets], folder)
        if case.way == "ssh"
        else serve_api([emulate_api(target, tree) for target in targets], folder)
    ):
        print("ready", flush=True)
        sys.stdin.read()


def main() -> int:
    """Measure, print, and say what is over its limit."""
    if sys.argv[1:]:
        _stay(next(case for case in CASES if case.way == sys.argv[1]), *map(Path, sys.argv[2:5]))
        return 0
    figures: dict[str, float] = {}
    for case in CASES:
        with tempfile.TemporaryDirectory(dir=scratch_folder()) as folder:
            figures |= measure_collect(case, Path(__file__).resolve().parents[2], Path(folder))
    for name, value in figures.items():
        print(f"{name:44} {value:10.1f}" + (f"  limit {LIMITS[name]:g}" if name in LIMITS else ""))
    return int(any(figures[name] > limit for name, limit in LIMITS.items()))


if __name__ == "__main__":
    sys.exit(main())
