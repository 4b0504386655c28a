"""Small fabrics written by tests: two tiers of one box, with some keys changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fabricgen.api import Compiled
from fabricgen.device.lower import Lowering
from fabricgen.device.model import Switch
from fabricgen.diagnostics import Severity
from tests.acceptance.run import diagnose

LINK = {"speed": "400G", "cable": {"media": "smf", "length_m": 30}}
BOX = {"model": "dell_z9864f", "platform": "sonic"}
TOP = {**BOX, "per": "fabric", "count": 2}
GPU = {"server": "dgx_h100_8", "nic": "connectx7_400g", "per_unit": 1}
SMALL = {**GPU, "server": "gb200_tray_4"}


def compile_own(folder: Path, **changes: Any) -> tuple[Compiled, list[str]]:
    """Return a fabric, and its errors with their codes."""
    data: dict[str, Any] = {
        "fabric": "mixed",
        "operations": {"tacacs": {"servers": ["192.168.0.12"], "key": {"secret": "env:TACACS_KEY"}}},
        "hosts": {"gpu": GPU},
        "units": 1,
        "attachment": {"rails_per_leaf": 4},
        "tiers": {"leaf": BOX, "spine": TOP},
        "links": {"host-leaf": LINK, "leaf-spine": LINK},
        **changes,
    }
    (folder / "fabric.yaml").write_text(json.dumps(data), encoding="utf-8")
    made, bag = diagnose(folder)
    return made, [f"{d.code} {d.message}" for d in bag if d.severity is Severity.ERROR]


def switches(made: Compiled) -> dict[str, Switch]:
    """Every switch by name."""
    return {switch.hostname: switch for switch in map(Lowering(made.plan).lower_switch, made.plan.switches())}
