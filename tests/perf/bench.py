"""Benchmarks: ``python -m tests.perf.bench``. Ratios of one run; CPU seconds and peak memory.

R: the plain templates over ready-made views, into memory. W: the same bytes written from memory to a fresh tree.
X: the frozen reference template. total: the product's whole way from the inventory to the committed tree, in the same
process; what starting an interpreter and importing costs is measured apart, by --help and validate.
"""

from __future__ import annotations

import json
import pickle
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Template

from fabricgen.device.lower import Lowering
from fabricgen.diagnostics import Bag
from fabricgen.render.assemble import join_parts, trim_part
from fabricgen.render.engine import Renderer, render_text, tree_folder
from fabricgen.render.environment import TemplateEnvironment
from tests.perf import (
    bench_checks,
    bench_collect,
    bench_diff,
    bench_inventories,
    bench_questions,
    bench_rollout,
    bench_scale,
)
from tests.perf.measure import (
    compiled,
    cpu_of,
    cpu_of_command,
    fabricgen,
    keep_bytecode,
    peak_memory_of_command,
    render_product,
    scratch_folder,
    write_tree,
)

REPOSITORY = Path(__file__).resolve().parents[2]
REFERENCE = Path(__file__).parent / "reference"
LIMITS = {
    "(total - W) / R": 2.5, "R per byte / X per byte": 1.5, "peak memory, MiB": 150.0, "help / empty interpreter": 10.0,
    "validate quickstart / empty interpreter": 40.0, "per byte / plain": 3.0, "plan of 131,072 GPUs, CPU s": 1.0,
    "plan of 131,072 GPUs, pickled MiB": 1.0, **bench_checks.LIMITS, **bench_collect.LIMITS,
    **bench_diff.LIMITS, **bench_inventories.LIMITS, **bench_questions.LIMITS, **bench_questions.PATH_LIMITS,
    **bench_rollout.LIMITS, **bench_scale.LIMITS,
}  # fmt: skip
CHECKED = "rail-8k"
"""The inventory on which checking is measured, beside those that are named."""
DIFFED = "rail-8k"
"""The inventory on which comparing is measured."""


@dataclass(frozen=True, slots=True)
class Item:
    """One output of one device, ready to be rendered: templates with their contexts."""

    path: str
    is_json: bool
    parts: tuple[tuple[str, Template, dict[str, object]], ...]


def prepare(inventory: Path, overlays: tuple[str, ...] = ()) -> list[Item]:
    """Views and templates of every file of an inventory."""
    made = compiled(inventory, overlays)
    lowering, plan = Lowering(made.plan), made.plan
    renderer = Renderer(made.platforms, Bag())
    devices = [lowering.lower_switch(d) for d in plan.switches()] + [lowering.lower_host(h) for h in plan.all_hosts()]
    items, class_views = [], {}
    for device in devices:
        for spec in renderer.specs_of(device):
            view = spec.platform.view()
            key = (spec.name, device.cls.key)
            if key not in class_views:
                class_views[key] = view.class_view(device.cls) if view else device.cls
            cls = class_views[key]
            seen = view.device_view(device, cls) if view else device
            contexts = {"class": {"cls": cls}, "device": {"device": seen, "cls": cls}}
            for output in spec.outputs:
                parts = tuple(
                    (part.inside, renderer.environment.get_template(part.template), contexts[part.scope])
                    for part in output.parts
                )
                items.append(Item(tree_folder(device) + output.path, output.format == "json", parts))
    return items


def render_plainly(items: list[Item]) -> dict[str, bytes]:
    """R: every template of every file, nothing shared."""
    files = {}
    for item in items:
        texts = [trim_part(render_text(it, context), item.is_json).encode() for _, it, context in item.parts]
        insides = [inside for inside, _, _ in item.parts] if item.is_json else []
        data = join_parts(list(zip(insides, texts, strict=True)), True) if item.is_json else b"".join(texts)
        if data:
            files[item.path] = data
    return files


@dataclass(slots=True)
class ReferencePort:
    """A port of the reference box, every value as text."""

    name: str
    alias: str
    lanes: str
    index: str
    subport: str
    speed: str
    fec: str
    mtu: str
    admin_status: str
    description: str


@dataclass(slots=True)
class ReferenceQueue:
    """A queue of the reference box."""

    name: str
    number: str
    scheduler: str
    profile: str


@dataclass(slots=True)
class ReferenceBox:
    """A leaf of 128 ports with four queues each."""

    ports: list[ReferencePort]
    queues: list[ReferenceQueue]


def measure_reference() -> float:
    """X: CPU seconds per byte of the frozen reference template."""
    template = TemplateEnvironment([REFERENCE]).get_template("box.json.j2")
    names = [f"Ethernet{4 * number}" for number in range(128)]
    ports = [
        ReferencePort(name, "etp1a", "17,18,19,20", "1", "1", "400000", "rs", "9100", "up", "gpu-u001-h01:rail0")
        for name in names
    ]
    queues = [
        ReferenceQueue(name, number, "scheduler.roce", "egress_lossless_profile") for name in names for number in "0367"
    ]
    context: dict[str, object] = {"device": ReferenceBox(ports, queues)}
    size = len(render_text(template, context).encode())
    return cpu_of(lambda: [render_text(template, context) for _ in range(20)]) / (20 * size)


def measure_render(inventory: Path, scratch: Path) -> dict[str, float]:
    """The render of one inventory against R, W and X."""
    items = prepare(inventory)
    files = render_plainly(items)
    out, fresh = scratch / "out", scratch / "fresh"
    render_product(inventory, out)
    for path, data in files.items():
        if (out / path).read_bytes() != data:
            raise SystemExit(f"{path}: the product's bytes are not those of plain rendering")
    total = cpu_of(lambda: render_product(inventory, out))
    r = cpu_of(lambda: render_plainly(items))
    w = cpu_of(lambda: write_tree(files, fresh))
    x = measure_reference()
    command = fabricgen("render", str(inventory), "-o", str(out))
    whole = cpu_of_command(command, lambda: shutil.rmtree(out, ignore_errors=True))
    size = sum(map(len, files.values()))
    shutil.rmtree(out)
    return {
        "files": len(files), "MB": size / 1e6, "total, CPU s": total, "R, CPU s": r, "W, CPU s": w,
        "(total - W) / R": (total - w) / r, **bench_scale.measure_bytes(inventory, total, size),
        "R per byte / X per byte": (r / size) / x, "whole command, CPU s": whole,
        "peak memory, MiB": peak_memory_of_command(command) / 2**20,
    }  # fmt: skip


def measure_switches(inventory: Path) -> dict[str, dict[str, float]]:
    """Rendering the switches under each overlay for one platform, without sharing: cost and bytes per switch."""
    overlays = [path.stem for path in sorted((inventory / "overlays").glob("*.yaml"))]
    groups: dict[str, dict[str, float]] = {}
    plain = 0.0
    for overlay in ("", *(name for name in overlays if not name.startswith("mixed"))):
        items = [
            item for item in prepare(inventory, (overlay,) if overlay else ()) if item.path.startswith("switches/")
        ]
        files = render_plainly(items)
        size = sum(map(len, files.values()))
        cost = cpu_of(lambda items=items: render_plainly(items)) / size * 1e9
        plain = plain or cost
        groups[f"{inventory.name} {overlay or 'plain'}"] = {
            "bytes per switch": size / len({path.split("/")[1] for path in files}),
            "R per byte, ns": cost,
            "per byte / plain": cost / plain,
        }
    return groups


def measure_start() -> dict[str, float]:
    empty = cpu_of_command([sys.executable, "-c", "pass"], repeats=9)
    help_ = cpu_of_command(fabricgen("--help"), repeats=9)
    validate = cpu_of_command(fabricgen("validate", str(REPOSITORY / "inventories/quickstart")), repeats=9)
    return {
        "empty interpreter, CPU s": empty,
        "help / empty interpreter": help_ / empty,
        "validate quickstart / empty interpreter": validate / empty,
    }


def measure_plan(scratch: Path) -> dict[str, float]:
    """Planning 131,072 GPUs."""
    folder = scratch / "scale"
    folder.mkdir()
    shutil.copy(REPOSITORY / "tests/fabrics/scale-131k/fabric.yaml", folder / "fabric.yaml")
    start = time.process_time()
    plan = compiled(folder).plan
    cost = time.process_time() - start
    return {
        "plan of 131,072 GPUs, CPU s": cost,
        "plan of 131,072 GPUs, pickled MiB": len(pickle.dumps(plan)) / 2**20,
    }


def measure_checks_of(name: str, rendered: dict[str, float] | None, out: Path) -> dict[str, float]:
    """The checks of an inventory against its render, which is measured here unless it was before."""
    inventory = REPOSITORY / "inventories" / name
    total = rendered["total, CPU s"] if rendered else cpu_of(lambda: render_product(inventory, out), repeats=3)
    shutil.rmtree(out, ignore_errors=True)
    return bench_checks.measure_checks(inventory, total)


def main() -> int:
    """Measure everything, print it, and say what is over its limit."""
    names = sys.argv[1:] or ["rail-1k", "rail-8k"]
    failed = False
    with tempfile.TemporaryDirectory(dir=scratch_folder()) as folder:
        keep_bytecode(Path(folder) / "bytecode")
        groups = {name: measure_render(REPOSITORY / "inventories" / name, Path(folder)) for name in names}
        for name in names[1:]:
            groups[f"{name} / {names[0]}"] = bench_scale.compare_sizes(groups[names[0]], groups[name])
        for name in sorted({*names, CHECKED}):
            groups[f"checks {name}"] = measure_checks_of(name, groups.get(name), Path(folder) / "checked")
        for name in names:
            groups |= measure_switches(REPOSITORY / "inventories" / name)
        for name in sys.argv[1:] or bench_inventories.list_inventories(REPOSITORY):
            inventory = REPOSITORY / "inventories" / name
            groups[f"render {name}"] = bench_inventories.measure_inventory(inventory, Path(folder))
        groups["start"] = measure_start()
        groups["plan"] = measure_plan(Path(folder))
        for topic in ("deadlock", "failures"):
            groups[topic] = bench_questions.measure_analysis(REPOSITORY, topic)
        groups["path"] = bench_questions.measure_path(REPOSITORY)
        for case in bench_collect.CASES:
            collected = Path(folder) / case.way
            collected.mkdir()
            groups[f"collect by {case.way}"] = bench_collect.measure_collect(case, REPOSITORY, collected)
        diffed = Path(folder) / "diff"
        diffed.mkdir()
        groups[f"diff {DIFFED}"] = bench_diff.measure_diff(REPOSITORY / "inventories" / DIFFED, diffed)
        groups["rollout"] = bench_rollout.measure_rollouts(REPOSITORY, diffed)
    for group, figures in groups.items():
        for name, value in figures.items():
            limit = LIMITS.get(name)
            over = limit is not None and value > limit
            failed |= over
            print(
                f"{group:16} {name:54} {value:12.4f}"
                + (f"  limit {limit:g}{'  OVER' if over else ''}" if limit else "")
            )
    print(json.dumps(groups, indent=1))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
