"""What every stage makes of two small fabrics, held to reviewed goldens."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path

import pytest

from fabricgen.api import Compiled, compile_inventory
from fabricgen.api.layout import describe_layout
from fabricgen.api.show import TABLES
from fabricgen.device.lower import Lowering
from fabricgen.diagnostics import Bag
from fabricgen.render.engine import Device, Renderer
from tests.golden.conftest import Compare

REPOSITORY = Path(__file__).resolve().parents[2]
FABRICS = {
    "conformance": REPOSITORY / "tests/fabrics/conformance",
    "quickstart": REPOSITORY / "inventories/quickstart",
}


@cache
def compiled(name: str) -> Compiled:
    """A fabric after all checks."""
    bag = Bag()
    found = compile_inventory(FABRICS[name], (), bag)
    assert found is not None
    assert not bag.has_errors, [d.message for d in bag]
    return found


@cache
def devices(name: str) -> tuple[Device, ...]:
    """One device per class."""
    plan = compiled(name).plan
    assert plan is not None
    lowering = Lowering(plan)
    found: dict[str, Device] = {}
    for switch_id in plan.switches():
        found.setdefault(lowering.class_key(switch_id), lowering.lower_switch(switch_id))
    for host_id in plan.all_hosts():
        host = lowering.lower_host(host_id)
        found.setdefault(f"host {host.cls.key}", host)
    return tuple(found.values())


def described(value: object, indent: str = "") -> str:
    """A model as indented text, one leaf a line."""
    if is_dataclass(value) and not isinstance(value, type):
        items = [(field.name, getattr(value, field.name)) for field in fields(value)]
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        items = [(name, getattr(value, name)) for name in value._fields]
    elif isinstance(value, list | tuple) and any(is_dataclass(item) for item in value):
        items = [(f"[{at}]", item) for at, item in enumerate(value)]
    else:
        return f" {value!r}\n"
    return "\n" + "".join(f"{indent}{name}:{described(item, indent + '  ')}" for name, item in items)


@pytest.mark.parametrize("name", FABRICS)
def test_intent(name: str, golden: Compare) -> None:
    intent = compiled(name).intent
    assert intent is not None
    golden(f"{name}/intent.json", json.dumps(intent.model_dump(mode="json"), indent=1, sort_keys=True) + "\n")


@pytest.mark.parametrize("name", FABRICS)
def test_plan(name: str, golden: Compare) -> None:
    plan = compiled(name).plan
    assert plan is not None
    golden(f"{name}/plan.json", json.dumps(describe_layout(plan), indent=1, sort_keys=True) + "\n")


@pytest.mark.parametrize("table", TABLES)
def test_tables(table: str, golden: Compare) -> None:
    plan = compiled("conformance").plan
    assert plan is not None
    rows = list(TABLES[table](plan))
    lines = [",".join(map(str, row.values())) for row in rows]
    golden(f"conformance/{table}.csv", "\n".join([",".join(rows[0]), *lines]) + "\n")


def test_device_models(golden: Compare) -> None:
    for device in devices("conformance"):
        golden(f"conformance/devices/{device.hostname}.txt", described(device).lstrip("\n"))


def test_configuration(golden: Compare) -> None:
    platforms = compiled("conformance").platforms
    assert platforms is not None
    renderer = Renderer(platforms, Bag())
    for device in devices("conformance"):
        render = renderer.render_host if hasattr(device, "rails") else renderer.render_switch
        for file in render(device):  # type: ignore[arg-type]
            golden(f"conformance/config/{file.path}", file.data.decode())
