"""The files of an inventory beside what its intent says: snippets, assets, a job, and a catalog of its own."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .hardware import SERVERS
from .model import Model
from .records import Data

HARDWARE = Path(__file__).parent / "inventory"
"""Snippets, chip settings, and a catalog of hardware that nobody sells."""
JOB = {"model": {"parameters_billion": 7, "layers": 32, "hidden": 4096}}
OVERLAY = "site"


def write_inventory(folder: Path, data: Data, overlay: Data) -> None:
    """An inventory with hardware that nobody sells; what the overlay says is not in the intent itself."""
    shutil.copytree(HARDWARE, folder, dirs_exist_ok=True)
    texts = {"fabric.yaml": json.dumps({**data, **_otherwise(data)} if overlay else data, indent=1)}
    if overlay:
        texts[f"overlays/{OVERLAY}.yaml"] = json.dumps(overlay, indent=1)
    if "assets" in data:
        texts[data["assets"]] = "\n".join(_assets(Model(data))) + "\n"
    if "workload" in data:
        texts[data["workload"]] = json.dumps(_job(data))
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def _otherwise(data: Data) -> Data:
    """Return what an intent says before its overlay says otherwise."""
    return {
        "units": 7,
        "links": {name: {"speed": "100G"} for name in data["links"]},
        "lossless": {"headroom": {"pool_oversubscription_max": 2}},
        **({"collectives": {"qps_per_connection": 2}} if "collectives" in data else {}),
    }


def _job(data: Data) -> dict[str, Any]:
    """A small job on the first hosts."""
    return JOB | {
        "name": "small",
        "hosts": ["gpu"],
        "parallelism": {"tensor": 2, "data": 2},
        "step": {"sequences": 64, "sequence_tokens": 4096, "seconds": 60},
    }


def _assets(model: Model) -> Iterator[str]:
    """Serial numbers of all, and where the NICs of servers are that nobody sells as such."""
    yield "hostname,serial,mac,rail,pci"
    for at, name in enumerate(model.switches):
        yield f"{name},SN-{at},02:00:00:00:{at // 256:02x}:{at % 256:02x},,"
    for at, (name, host) in enumerate(model.hosts.items()):
        yield f"{name},SN-H{at},,,"
        server = SERVERS[model.data["hosts"][host.group]["server"]]
        for rail in range(server.rails) if not server.has_map else ():
            yield f"{name},,,{rail},0000:{26 + rail:02x}:00.0"
