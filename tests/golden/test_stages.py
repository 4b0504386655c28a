"""Output of every stage for small fabrics, held to reviewed goldens.

``conformance`` says everything that renders: three tiers, pods, stripes, exceptions. ``pfc-only`` is the same under
PFC alone, shown as the difference. ``quickstart`` is what a reader of the README starts from.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from difflib import unified_diff
from functools import cache
from pathlib import Path

import pytest

from fabricgen.api import Compiled, compile_inventory
from fabricgen.compiler.compile import compile_document
from fabricgen.device.lower import Lowering
from fabricgen.diagnostics import Bag
from fabricgen.render.engine import Device, Renderer
from fabricgen.render.tree.layout import describe_layout
from fabricgen.source import Document
from fabricgen.tables.tables import TABLES
from tests.golden.conftest import Compare
from tests.golden.dump import dump
from tests.plain_rendering import render_plain

REPOSITORY = Path(__file__).resolve().parents[2]
CONFORMANCE = REPOSITORY / "tests/fabrics/conformance"
FABRICS = {"conformance": CONFORMANCE, "pfc-only": CONFORMANCE, "quickstart": REPOSITORY / "inventories/quickstart"}
OVERLAYS = sorted(path.stem for path in (CONFORMANCE / "overlays").glob("*.yaml"))
"""Overlays that put the conformance fabric on another platform."""


@cache
def compiled(name: str) -> Compiled:
    """A fabric after all checks; the name of an overlay is the conformance fabric with it."""
    bag = Bag()
    found = compile_inventory(FABRICS.get(name, CONFORMANCE), (name,) if name in OVERLAYS else (), bag)
    assert found is not None
    if name == "pfc-only":
        found = compile_document(under_pfc_alone(found.document), FABRICS[name], bag)
    assert not bag.has_errors, [diagnostic.message for diagnostic in bag]
    return found


def under_pfc_alone(document: Document) -> Document:
    """The same document with neither marking nor DCQCN."""
    for key in ("ecn", "dcqcn"):
        document = document.without(("lossless", key))
    document = document.replaced(("lossless", "mode"), "pfc_only")
    return document.replaced(("lossless", "reason"), "the accelerators pace themselves")


@cache
def devices(name: str) -> tuple[Device, ...]:
    """One switch of every tier, and one host."""
    plan = compiled(name).plan
    lowering = Lowering(plan)
    switches = {device.tier: device for device in reversed(list(plan.switches()))}
    return (
        *(lowering.lower_switch(switches[tier.number]) for tier in plan.tiers),
        lowering.lower_host(next(plan.all_hosts())),
    )


@cache
def rendered(name: str) -> dict[str, str]:
    platforms, bag = compiled(name).platforms, Bag()
    assert platforms is not None
    renderer = Renderer(platforms, bag)
    files = {file.path: file.data.decode() for device in devices(name) for file in render_plain(renderer, device)}
    assert not list(bag)
    return files


def tables(name: str) -> Iterator[tuple[str, str]]:
    """Every table of ``show`` as a CSV file."""
    plan = compiled(name).plan
    assert plan is not None
    for table, list_rows in TABLES.items():
        rows = list(list_rows(plan))
        text = io.StringIO()
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        yield f"{table}.csv", text.getvalue()


@pytest.mark.parametrize("name", FABRICS)
def test_intent(name: str, golden: Compare) -> None:
    intent = compiled(name).intent
    text = json.dumps(intent.model_dump(mode="json"), indent=1, sort_keys=True) + "\n"
    golden(f"{name}/intent", {"intent.json": text})


@pytest.mark.parametrize("name", ["conformance", "quickstart"])
def test_plan(name: str, golden: Compare) -> None:
    plan = compiled(name).plan
    assert plan is not None
    layout = json.dumps(describe_layout(plan), indent=1, sort_keys=True) + "\n"
    whole = {"plan.txt": dump(plan)} if name == "conformance" else {}
    golden(f"{name}/plan", {"layout.json": layout, **whole})


def test_device_models(golden: Compare) -> None:
    golden("conformance/devices", {f"{device.hostname}.txt": dump(device) for device in devices("conformance")})


def test_configuration(golden: Compare) -> None:
    golden("conformance/config", rendered("conformance"))


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_switches_of_other_platforms(overlay: str, golden: Compare) -> None:
    files = {path: text for path, text in rendered(overlay).items() if path.startswith("switches/")}
    golden(f"conformance-{overlay}/config", files)


def test_routing_of_a_drained_switch(golden: Compare) -> None:
    plan, platforms = compiled("conformance").plan, compiled("conformance").platforms
    assert platforms is not None
    switches = map(Lowering(plan).lower_switch, plan.switches())
    drained = next(switch for switch in switches if switch.state == "drained")
    files = {file.path: file.data.decode() for file in render_plain(Renderer(platforms, Bag()), drained)}
    golden("conformance/drained", {path: text for path, text in files.items() if path.endswith("/frr.conf")})


def test_tables(golden: Compare) -> None:
    golden("conformance/tables", dict(tables("conformance")))


def test_what_pfc_alone_changes(golden: Compare) -> None:
    before, after = rendered("conformance"), rendered("pfc-only")
    lines = [
        line
        for path in sorted(before.keys() | after.keys())
        for line in unified_diff(
            before.get(path, "").splitlines(keepends=True),
            after.get(path, "").splitlines(keepends=True),
            f"conformance/{path}",
            f"pfc-only/{path}",
            n=1,
        )
    ]
    golden("pfc-only/config", {"config.diff": "".join(lines)})
