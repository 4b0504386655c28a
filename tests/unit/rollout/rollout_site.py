"""The quickstart, a change of it, and rollouts of that."""

from __future__ import annotations

from pathlib import Path

from fabricgen.api.diff import DiffOptions
from fabricgen.api.rollout import PlannedRollout, plan_rollout
from fabricgen.api.rollout_state import Resumed, Verified, resume_rollout, verify_rollout
from fabricgen.diagnostics import Bag
from tests.acceptance.run import INVENTORIES

QUICKSTART = INVENTORIES / "quickstart"
LEAF, SPINE, HOST = "leaf-u001-r0", "spine-01", "gpu-u001-h01"
CONFIG_DB = "etc/sonic/config_db.json"
FRR = "etc/sonic/frr/frr.conf"


def change_time_servers(inventory: Path, address: str = "192.168.0.20") -> Path:
    """Add a time server to an inventory."""
    file = inventory / "fabric.yaml"
    file.write_text(file.read_text().replace("ntp: [192.168.0.10]", f"ntp: [192.168.0.10, {address}]"))
    return inventory


def plan(inventory: Path, deployed: Path, out: Path) -> tuple[PlannedRollout | None, set[str]]:
    """A rollout, and the codes of what is said of it."""
    bag = Bag()
    found = plan_rollout(str(inventory), str(deployed), out, DiffOptions(inventory.parent), bag, base=str(QUICKSTART))
    return found, {item.code for item in bag}


def verify(bundle: Path, deployed: Path) -> tuple[Verified | None, set[str]]:
    """A verification, and the codes of what keeps it from being done."""
    bag = Bag()
    return verify_rollout(bundle, str(deployed), DiffOptions(bundle.parent), bag), {item.code for item in bag}


def resume(bundle: Path, deployed: Path, out: Path | None = None) -> tuple[Resumed | None, list[str]]:
    """The rest of a rollout, and code and message of everything that stops it."""
    bag = Bag()
    found = resume_rollout(bundle, str(deployed), out, DiffOptions(bundle.parent), bag)
    return found, [f"{item.code} {item.message}" for item in bag]
