"""Small fabrics for the tests of the analysis room: a document and what it was compiled to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from fabricgen.api import Compiled
from fabricgen.diagnostics import Bag
from fabricgen.plan.model.fabric import FabricPlan
from tests.acceptance.run import INVENTORIES, diagnose

Document = dict[str, Any]
TWO_LOSSLESS = {
    "roce": {"dscp": 26, "priority": 3, "lossless": True, "weight_pct": 50},
    "bulk": {"dscp": 28, "priority": 4, "lossless": True, "weight_pct": 45},
    "cnp": {"dscp": 46, "priority": 6, "strict": True},
    "control": {"dscp": [48, 56], "priority": 7, "strict": True},
    "default": {"priority": 0, "weight_pct": 5},
}
"""A contract that pauses two classes."""


def document(model: str, *, speed: str = "400G", spines: int = 2, **lossless: Any) -> Document:
    """Two units of four hosts under leafs of four rails, room for more units; switches of one model."""
    return {
        "fabric": "small",
        "operations": {"tacacs": {"servers": ["192.168.0.12"], "key": {"secret": "env:TACACS_KEY"}}},
        "hosts": {"server": "dgx_h100_8", "nic": "connectx7_400g", "per_unit": 4},
        "units": {"count": 2, "max": 4},
        "attachment": {"rails_per_leaf": 4},
        "tiers": {
            "leaf": {"model": model, "platform": "sonic"},
            "spine": {"model": model, "platform": "sonic", "per": "fabric", "count": spines},
        },
        "links": {
            "host-leaf": {"speed": "400G", "cable": {"media": "dac", "length_m": 3}},
            "leaf-spine": {"speed": speed, "per_pair": 8, "cable": {"media": "smf", "length_m": 30}},
        },
        "lossless": lossless,
    }


def pods() -> Document:
    """Two pods of two units of four hosts: 128 GPUs under leafs of four rails, spines and cores."""
    said = document("dell_z9864f") | {"pods": 2}
    said["tiers"]["spine"]["per"] = "pod"
    said["tiers"]["core"] = {"model": "dell_z9864f", "platform": "sonic", "per": "fabric", "count": 2}
    said["links"]["spine-core"] = {"speed": "400G", "per_pair": 4, "cable": {"media": "smf", "length_m": 100}}
    return said


def inventory_plan(name: str, *overlays: str) -> FabricPlan:
    return diagnose(INVENTORIES / name, *overlays)[0].plan


def compiled(said: Document, folder: Path) -> tuple[Compiled, Bag]:
    (folder / "fabric.yaml").write_text(yaml.safe_dump(said, sort_keys=False), encoding="utf-8")
    return diagnose(folder)


def plan_of(said: Document, folder: Path) -> FabricPlan:
    made, bag = compiled(said, folder)
    assert not bag.has_errors, [d.message for d in bag]
    return made.plan
