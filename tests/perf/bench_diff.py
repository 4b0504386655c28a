"""Cost of a comparison against its alternatives: rendering, parsing, and the field's own CLI comparison.

Sides of one fabric: its tree; the tree of an intent with other marking thresholds, so that every switch differs; the
same with another watchdog, time zone and servers; what a collector would bring of it, in another order and layout, with
the devices' own rows and FRR's running configuration.
"""

from __future__ import annotations

import json
import random
import re
import shutil
from pathlib import Path
from typing import Any

from hier_config import Platform, WorkflowRemediation, get_hconfig

from fabricgen.api.diff import DiffOptions, diff
from fabricgen.diagnostics import Bag
from fabricgen.diff.kinds import load_kinds
from fabricgen.diff.tree_changes import compare_trees
from fabricgen.platforms.families.vtysh import patch, reader
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.patching.steps import Situation
from fabricgen.platforms.reading.semantics import load_semantics
from fabricgen.render.work import Settings, Worker, list_jobs
from tests.perf.measure import compiled, cpu_of, render_product, write_tree

LIMITS = {
    "tree against tree / render": 0.25, "equal trees / render": 0.25, "inventory against tree / (render - W)": 1.1,
    "collected against tree / parsing it once": 1.5, "3,000 lines against hier_config": 1.0,
}  # fmt: skip
_DEFAULTS = re.compile(
    r"(?m)^ *(?:!.*|bgp ebgp-requires-policy|bgp network import-check|service integrated.*|.*send-community standard)\n"
)
MARKING = "lossless:\n  ecn: {kmin_bytes: 150000, kmax_bytes: 600000, pmax_pct: 5}\n"
"""Other thresholds on every switch."""
OTHERS = "  watchdog: {detection_ms: 300, restoration_ms: 600, action: drop}\noperations:\n  timezone: Europe/Berlin\n"
_SHARED = "shared/vtysh.yaml"


def measure_diff(inventory: Path, scratch: Path) -> dict[str, float]:
    """Every figure of comparing one fabric."""
    tree, other, many, collected = (scratch / name for name in ("tree", "other", "many", "collected"))
    render_product(inventory, tree)
    render_product(changed(inventory, scratch / "marking", MARKING), other)
    render_product(changed(inventory, scratch / "changed", MARKING + OTHERS), many)
    collect(tree, collected)
    total = cpu_of(lambda: render_product(inventory, scratch / "again"), 3)
    files = {str(path.relative_to(tree)): path.read_bytes() for path in tree.rglob("*") if path.is_file()}
    written = cpu_of(lambda: write_tree(files, scratch / "again"), 3)
    inventoried = cpu_of(lambda: compare(inventory, tree), 3)
    parsed = cpu_of(lambda: parse_once(collected), 3)
    figures = {
        "render, CPU s": total,
        "W, CPU s": written,
        "render into memory, CPU s": cpu_of(lambda: render_unwritten(inventory), 3),
        "inventory against tree, CPU s": inventoried,
        "parsing the collection once, CPU s": parsed,
        "tree against tree / render": cpu_of(lambda: compare(tree, other, differs=True), 3) / total,
        "tree against tree, six tables of each switch / render": cpu_of(lambda: compare(tree, many, differs=True), 3)
        / total,
        "equal trees / render": cpu_of(lambda: compare(tree, tree), 3) / total,
        "inventory against tree / (render - W)": inventoried / (total - written),
        "collected against tree / parsing it once": cpu_of(lambda: compare(tree, collected), 3) / parsed,
        **measure_lines(),
    }
    for folder in scratch.iterdir():
        shutil.rmtree(folder, ignore_errors=True)
    return figures


class _Nowhere:
    """A sink that drops what it gets."""

    def put(self, shard: str, path: str, data: bytes, bag: Bag, *, mode: int = 0o644) -> None:
        """Drop one file."""


def render_unwritten(inventory: Path) -> None:
    """Everything of a render but looking at the tree and writing it."""
    made = compiled(inventory)
    worker = Worker(Settings(made.plan, made.platforms), _Nowhere())
    for job in list_jobs(made.plan):
        worker.run(job)


def compare(intended: Path, deployed: Path, *, differs: bool = False) -> None:
    """Compare two sides; whether they differ is known."""
    bag = Bag()
    summary = diff(str(intended), str(deployed), DiffOptions(Path("/"), causes=False), bag)
    if summary is None or bag.has_errors or summary.totals.is_clean(unmanaged=False) is differs:
        shown = [] if summary is None else [group.headline() for group in summary.groups()]
        raise SystemExit(f"{intended} and {deployed}: {shown} {[found.message for found in bag]}")


def changed(inventory: Path, folder: Path, intent: str) -> Path:
    shutil.copytree(inventory, folder)
    file = folder / "fabric.yaml"
    text = file.read_text()
    if "timezone" in intent:
        text = text.replace("192.168.0.12]", "192.168.0.13]")
        head, intent = intent.split("operations:")
        text, intent = text.replace("operations:", f"operations:{intent}".rstrip()), head
    file.write_text(f"{text}\n{intent}")
    return folder


def collect(tree: Path, collected: Path) -> None:
    rng = random.Random(1)
    shutil.copytree(tree / "hosts", collected / "hosts")
    for switch in sorted((tree / "switches").iterdir()):
        target = collected / "switches" / switch.name / "etc/sonic"
        (target / "frr").mkdir(parents=True)
        data = json.loads((switch / "etc/sonic/config_db.json").read_text())
        data["DEVICE_METADATA"]["localhost"]["mac"] = "c0:ff:ee:00:00:01"
        data["FEATURE"] = {"bgp": {"state": "enabled", "auto_restart": "enabled"}}
        data["VERSIONS"] = {"DATABASE": {"VERSION": "version_202505_01"}}
        (target / "config_db.json").write_text(json.dumps(shuffle(data, rng), indent=4))
        (target / "frr/frr.conf").write_text(as_running((switch / "etc/sonic/frr/frr.conf").read_text(), rng))


def shuffle(value: Any, rng: random.Random) -> Any:
    if not isinstance(value, dict):
        return value
    keys = list(value)
    rng.shuffle(keys)
    return {key: shuffle(value[key], rng) for key in keys}


def as_running(text: str, rng: random.Random) -> str:
    """A configuration the way a daemon shows it: defaults and comments gone, sections in another order."""
    sections = re.split(r"(?m)^!\n", _DEFAULTS.sub(lambda found: "!\n" if found[0] == "!\n" else "", text))
    body = [section for section in sections if section.strip() not in ("", "end")]
    rng.shuffle(body)
    return (
        "Building configuration...\n\nCurrent configuration:\n!\nfrr version 10.5.4\n" + "!\n".join(body) + "!\nend\n"
    )


def parse_once(collected: Path) -> None:
    """Read every file of a collection, the configurations of switches into trees."""
    kinds = load_kinds(None, Bag())
    for path in sorted(collected.rglob("*")):
        if not path.is_file():
            continue
        data = path.read_bytes()
        parts = path.relative_to(collected).parts
        if parts[0] == "switches":
            inner = "/".join(parts[2:])
            kinds.of_device("switches", ("etc/sonic/config_db.json", "etc/sonic/frr/frr.conf"))[inner].read(
                data.decode()
            )


def measure_lines() -> dict[str, float]:
    """3,000 lines of routing configuration: ours against the field's library, each with its parsing and its repair."""
    before, after = routing_lines(1), routing_lines(2)
    semantics = load_semantics(template_root(), _SHARED, Bag())
    if semantics is None:
        raise SystemExit(f"{_SHARED} cannot be read")

    def ours() -> None:
        trees = reader.read(before), reader.read(after)
        changes = tuple(compare_trees(*trees, semantics).changes)
        patch.list_commands(Situation("etc/frr/frr.conf", changes, *trees, before, after, semantics))

    def theirs() -> None:
        sides = (get_hconfig(Platform.CISCO_IOS, text) for text in (before, after))
        list(WorkflowRemediation(*sides).remediation_config.all_children_sorted())

    mine, field = cpu_of(ours, 3), cpu_of(theirs, 3)
    return {
        "3,000 lines: read, compare, repair, CPU ms": mine * 1000,
        "3,000 lines: the same by hier_config, CPU ms": field * 1000,
        "3,000 lines against hier_config": mine / field,
    }


def routing_lines(seed: int) -> str:
    """A configuration of 3,000 lines, of which a few depend on the seed."""
    rng = random.Random(seed)
    lines = ["frr defaults traditional", "router bgp 65000", " no bgp default ipv4-unicast"]
    for number in range(995):
        peer = f"10.{number // 250}.{number % 250}.1"
        lines += [
            f" neighbor {peer} remote-as {65001 + (rng.random() < 0.01)}",
            f" neighbor {peer} description peer-{number}",
            f" neighbor {peer} timers 3 9",
        ]
    return "\n".join([*lines, "exit"]) + "\n"
