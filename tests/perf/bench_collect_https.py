"""Cost of collecting 1,024 emulated switches by eAPI: ``python -m tests.perf.bench_collect_https [--hostile]``.

The switches are HTTPS servers in a process of their own, the leafs of a pod; each answers every command of EOS, as
rendered. Time and memory are those of ``fabricgen collect`` alone, from start to end. With ``--hostile``, ten each
hang, have another certificate than the pinned one, send 100 MB, and end in the middle of an answer.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from fabricgen.api import compile_inventory
from fabricgen.collect.target import CollectTarget
from fabricgen.collect.targets import DeviceAccess, list_targets
from fabricgen.device.globs import is_chosen
from fabricgen.diagnostics import Bag
from tests.emulated.https_fleet import VARIABLE, ApiFleet, emulate_api, serve_api
from tests.emulated.https_switch import LOGIN, Answer, Switch
from tests.perf.measure import cost_of_command, fabricgen, scratch_folder

DEVICES = 1024
NAME = f"collect by eAPI, {DEVICES:,} switches"
LIMITS = {f"{NAME}, CPU s": 60.0, f"{NAME}, MiB": 300.0}
"""The target is 60 s of wall time on a quiet machine; CPU seconds decide, as everywhere."""
_INVENTORY = "astral"
_ONLY = ("--only", "tor-p1-*")
_CONFIG = "show running-config"
_EACH = 10
"""Switches with each kind of fault, where faults are asked for."""


def measure_collect(repository: Path, scratch: Path, *, hostile: bool = False) -> dict[str, float]:
    """Measure ``collect`` from the start of the interpreter to its end.

    Args:
        repository: Root of the repository, with the inventories.
        scratch: Folder for what is rendered and collected.
        hostile: Some switches are.
    """
    inventory, tree, out = repository / "inventories" / _INVENTORY, scratch / "tree", scratch / "collected"
    os.environ[VARIABLE] = LOGIN[1]
    render = fabricgen("render", str(inventory), "-o", str(tree), *_ONLY)
    subprocess.run(render, check=True, capture_output=True, cwd=repository)
    expected = DEVICES - (4 * _EACH if hostile else 0)
    with _serve(inventory, tree, scratch, "hostile" if hostile else "sound") as fleet:
        command = fabricgen("collect", str(inventory), "-o", str(out), *fleet.options, *_ONLY, "--timeout", "20")
        cost = cost_of_command(["sh", "-c", '"$@" || test $? = 1', "sh", *command] if hostile else command)
    collected = list(out.glob("state/*/*/record.json"))
    if len(collected) != expected:
        raise SystemExit(f"{len(collected)} of {expected} switches were collected")
    return {f"{NAME}, wall s": cost.wall_s, f"{NAME}, CPU s": cost.cpu_s, f"{NAME}, MiB": cost.peak_bytes / 2**20}


def list_switches(inventory: Path) -> list[CollectTarget]:
    """Return the switches to collect.

    Args:
        inventory: The inventory.
    """
    bag = Bag()
    compiled = compile_inventory(inventory, (), bag)
    if compiled is None or compiled.plan is None or compiled.platforms is None:
        raise SystemExit(f"{inventory} does not compile")
    names = {compiled.plan.device_name(device) for device in compiled.plan.switches()}
    chosen = {name for name in names if is_chosen(name, _ONLY[1:])}
    return list_targets(compiled.plan, compiled.platforms, chosen, DeviceAccess(ways={"eapi": 0}), bag)


@contextmanager
def _serve(inventory: Path, tree: Path, folder: Path, kind: str) -> Iterator[ApiFleet]:
    """Run the switches in a process of their own."""
    module = "tests.perf.bench_collect_https"
    command = [sys.executable, "-m", module, "serve", str(inventory), str(tree), str(folder), kind]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        if server.stdout is None or server.stdin is None or server.stdout.readline() != b"ready\n":
            raise SystemExit("the emulated switches do not start")
        try:
            yield ApiFleet({}, folder)
        finally:
            server.stdin.close()
            server.wait(60)


def _stay(inventory: Path, tree: Path, folder: Path, kind: str) -> None:
    """Serve switches until standard input ends."""
    switches = [emulate_api(target, tree) for target in list_switches(inventory)]
    if kind == "hostile":
        _spoil(switches)
    with serve_api(switches, folder):
        print("ready", flush=True)
        sys.stdin.read()


def _spoil(switches: Sequence[Switch]) -> None:
    faults = (
        Answer(b"{", hangs=True),
        Answer(b"{", flood_bytes=100 * 2**20),
        Answer(b'{"jsonrpc": "2.0", "result": [', missing_bytes=100),
    )
    for at, switch in enumerate(switches[:: len(switches) // (4 * _EACH)][: 4 * _EACH]):
        kind = at % 4
        if kind < len(faults):
            switch.answers[_CONFIG] = faults[kind]._replace(raw=True)
        else:
            switch.pinned = "ab" * 32


def main() -> int:
    """Measure, print, and say what is over its limit."""
    if sys.argv[1:2] == ["serve"]:
        _stay(*map(Path, sys.argv[2:5]), sys.argv[5])
        return 0
    with tempfile.TemporaryDirectory(dir=scratch_folder()) as folder:
        repository = Path(__file__).resolve().parents[2]
        figures = measure_collect(repository, Path(folder), hostile="--hostile" in sys.argv)
    for name, value in figures.items():
        print(f"{name:44} {value:10.1f}" + (f"  limit {LIMITS[name]:g}" if name in LIMITS else ""))
    return int(any(figures[name] > limit for name, limit in LIMITS.items()))


if __name__ == "__main__":
    sys.exit(main())
