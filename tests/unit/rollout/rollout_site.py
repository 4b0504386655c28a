"""The quickstart, a change of it, and rollouts of that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fabricgen.api.diff import DiffOptions
from fabricgen.api.rollout import PlannedRollout, plan_rollout
from fabricgen.api.rollout_state import Resumed, Verified, resume_rollout, verify_rollout
from fabricgen.diagnostics import Bag, Diagnostic
from tests.acceptance.run import INVENTORIES, STANDING

QUICKSTART = INVENTORIES / "quickstart"
LEAF, SPINE, HOST = "leaf-u001-r0", "spine-01", "gpu-u001-h01"
CONFIG_DB = "etc/sonic/config_db.json"
FRR = "etc/sonic/frr/frr.conf"


FLOOR = "rollout: {floor: 0.5}\n"
"""One of two spines may be out."""


def other_classes(dscp: int = 30, priority: int = 3) -> str:
    """A contract whose lossless class has another code point or priority; those that ship are 26 and 3."""
    return (
        f"lossless: {{mode: dcqcn, classes: {{roce: {{dscp: {dscp}, priority: {priority}, lossless: true, "
        "weight_pct: 75}, cnp: {dscp: 46, priority: 6, strict: true}, control: {dscp: [48, 56], priority: 7, "
        "strict: true}, default: {priority: 0, weight_pct: 25}}}\n"
    )


def change_time_servers(inventory: Path, address: str = "192.168.0.20") -> Path:
    return edit_intent(inventory, ("ntp: [192.168.0.10]", f"ntp: [192.168.0.10, {address}]"))


def plan_and_tell(
    inventory: Path, deployed: Path, out: Path, base: str = str(QUICKSTART), **options: Any
) -> tuple[PlannedRollout | None, list[Diagnostic]]:
    bag, how = Bag(), DiffOptions(inventory.parent, **options)
    return plan_rollout(str(inventory), str(deployed), out, how, bag, base=base), [
        d for d in bag if d.code not in STANDING
    ]


def plan(
    inventory: Path, deployed: Path, out: Path, base: str = str(QUICKSTART), **options: Any
) -> tuple[PlannedRollout | None, set[str]]:
    found, told = plan_and_tell(inventory, deployed, out, base, **options)
    return found, {item.code for item in told}


def rolled_out(inventory: Path, deployed: Path, out: Path, *codes: str, **options: Any) -> PlannedRollout:
    """A rollout of which these codes and no others are said."""
    found, said = plan(inventory, deployed, out, **options)
    assert said == {*codes}, said
    assert found is not None
    return found


def edit_intent(inventory: Path, *edits: tuple[str, str], more: str = "") -> Path:
    """Replace texts of an inventory's intent, and add some to its end."""
    file = inventory / "fabric.yaml"
    text = file.read_text()
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    file.write_text(text + more)
    return inventory


def verify(bundle: Path, deployed: Path) -> tuple[Verified | None, set[str]]:
    """A verification, and the codes of what keeps it from being done."""
    bag = Bag()
    return verify_rollout(bundle, str(deployed), DiffOptions(bundle.parent), bag), {d.code for d in bag} - STANDING


def moved(bundle: Path, deployed: Path) -> list[tuple[str, str]]:
    """The devices that are no longer as planned on, with their states."""
    found, codes = verify(bundle, deployed)
    assert (found is not None, codes) == (True, set())
    return [(each.device, each.state) for each in found.moved] if found is not None else []


def resume(bundle: Path, deployed: Path, out: Path | None = None) -> tuple[Resumed | None, list[str]]:
    """The rest of a rollout, and code and message of everything that stops it."""
    bag = Bag()
    found = resume_rollout(bundle, str(deployed), out, DiffOptions(bundle.parent), bag)
    return found, [f"{d.code} {d.message}" for d in bag if d.code not in STANDING]


def rest_of(bundle: Path, deployed: Path, out: Path | None = None) -> Resumed:
    found, said = resume(bundle, deployed, out)
    assert said == []
    assert found is not None
    return found


def stopped(bundle: Path, deployed: Path, out: Path | None = None) -> list[str]:
    found, said = resume(bundle, deployed, out)
    assert found is None
    assert out is None or not out.exists()
    return said
