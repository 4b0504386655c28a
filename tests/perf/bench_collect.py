"""Cost of collecting 1,000 emulated devices: ``python -m tests.perf.bench_collect``.

The devices are SSH servers in a process of their own, 192 switches and 808 hosts of an inventory; each answers every
command of its platform, as rendered. Time and memory are those of ``fabricgen collect`` alone, from start to end.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fabricgen.api import compile_inventory
from fabricgen.collect.targets import DeviceAccess, list_targets
from fabricgen.diagnostics import Bag
from tests.emulated_devices import Fleet, emulate, serve_fleet
from tests.perf.measure import cost_of_command, fabricgen, scratch_folder

DEVICES = 1000
NAME = f"collect, {DEVICES:,} devices"
LIMITS = {f"{NAME}, CPU s": 40.0, f"{NAME}, MiB": 300.0}
"""The target is 60 s of wall time on a quiet machine; CPU seconds decide, as everywhere."""
_INVENTORY = "rail-8k"


def measure_collect(repository: Path, scratch: Path) -> dict[str, float]:
    """Measure ``collect`` from the start of the interpreter to its end.

    Args:
        repository: Root of the repository, with the inventories.
        scratch: Folder for what is rendered and collected.
    """
    inventory, tree, out = repository / "inventories" / _INVENTORY, scratch / "tree", scratch / "collected"
    subprocess.run(
        fabricgen("render", str(inventory), "-o", str(tree)), check=True, capture_output=True, cwd=repository
    )
    with _serve(inventory, tree, scratch) as fleet:
        names = [line.split()[0] for line in fleet.addresses.read_text().splitlines()]
        words = [word for name in names for word in ("--only", name)]
        cost = cost_of_command(fabricgen("collect", str(inventory), "-o", str(out), *fleet.options, *words))
    collected = list(out.glob("state/*/*/record.json"))
    if len(collected) != DEVICES:
        raise SystemExit(f"{len(collected)} of {DEVICES} devices were collected")
    return {f"{NAME}, wall s": cost.wall_s, f"{NAME}, CPU s": cost.cpu_s, f"{NAME}, MiB": cost.peak_bytes / 2**20}


@contextmanager
def _serve(inventory: Path, tree: Path, folder: Path) -> Iterator[Fleet]:
    """Run the devices in a process of their own."""
    command = [sys.executable, "-m", "tests.perf.bench_collect", "serve", str(inventory), str(tree), str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        if server.stdout is None or server.stdin is None or server.stdout.readline() != b"ready\n":
            raise SystemExit("the emulated devices do not start")
        try:
            yield Fleet({}, folder)
        finally:
            server.stdin.close()
            server.wait(60)


def _stay(inventory: Path, tree: Path, folder: Path) -> None:
    """Serve devices until standard input ends."""
    bag = Bag()
    compiled = compile_inventory(inventory, (), bag)
    if compiled is None or compiled.plan is None or compiled.platforms is None:
        raise SystemExit(f"{inventory} does not compile")
    targets = list_targets(compiled.plan, compiled.platforms, None, DeviceAccess(), bag)[:DEVICES]
    with serve_fleet([emulate(target, tree) for target in targets], folder):
        print("ready", flush=True)
        sys.stdin.read()


def main() -> int:
    """Measure, print, and say what is over its limit."""
    if sys.argv[1:2] == ["serve"]:
        _stay(*map(Path, sys.argv[2:5]))
        return 0
    with tempfile.TemporaryDirectory(dir=scratch_folder()) as folder:
        figures = measure_collect(Path(__file__).resolve().parents[2], Path(folder))
    for name, value in figures.items():
        print(f"{name:40} {value:10.1f}" + (f"  limit {LIMITS[name]:g}" if name in LIMITS else ""))
    return int(any(figures[name] > limit for name, limit in LIMITS.items()))


if __name__ == "__main__":
    sys.exit(main())
