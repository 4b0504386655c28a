"""Changes at two ends: every value of one leaf that each phase changes, as reviewed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path
from typing import Any

import pytest

from fabricgen.platforms.patching.steps import ABSENT, Change
from tests.acceptance.laboratory import small_inventory
from tests.acceptance.run import INVENTORIES
from tests.command_line import succeed
from tests.golden.conftest import Compare
from tests.judges.phase_trees import plan_phases

LEAF = "leaf-u001-r0"
CHANGES: dict[str, tuple[str, dict[str, str]]] = {
    "asn": ("routing: {asn: {base: 4200001000}}\n", {}),
    "hosts": ("", {"host_links": "172.32.0.0/12"}),
}
"""A line more, and other values of keys."""


def render(folder: Path, overlay: str, more: str = "", **keys: str) -> Path:
    """Render a small fabric under an overlay."""
    inventory = small_inventory(folder / "inventory", count="2", **keys)
    for name in ("boards", "overlays"):
        shutil.copytree(INVENTORIES / "quickstart" / name, inventory / name)
    with (inventory / "fabric.yaml").open("a") as file:
        file.write(more)
    words = ("--overlay", overlay) if overlay else ()
    succeed("render", str(inventory), *words, "-o", str(folder / "tree"))
    return folder / "tree"


def written(value: Any) -> list[str]:
    """Lines of one side of a value."""
    return [] if value is ABSENT else json.dumps(value, indent=1).splitlines()


def told(change: Change) -> Iterator[str]:
    """Lines about a change: its path, and the lines that go and come."""
    yield " > ".join(change.steps)
    yield from list(unified_diff(written(change.before), written(change.after), n=0, lineterm=""))[2:]


@pytest.mark.parametrize(("change", "overlay"), [("asn", "nvue"), ("asn", "frr"), ("hosts", "fboss")])
def test_phases_of_a_leaf_are_as_reviewed(change: str, overlay: str, golden: Compare, tmp_path: Path) -> None:
    more, keys = CHANGES[change]
    old, new = render(tmp_path / "old", overlay), render(tmp_path / "new", overlay, more, **keys)
    phases, bag = plan_phases(old, new)
    assert not list(bag)
    lines = []
    for device in (step for phase in phases for step in phase if step.device.name == LEAF):
        lines.append(f"== {device.stage.name}")
        for file in device.device.files:
            assert file.situation is not None
            lines += [f"-- {file.path}", *(line for found in file.situation.changes for line in told(found))]
    golden(f"rollout-phases/{change}-{overlay}", {f"{LEAF}.txt": "".join(f"{line}\n" for line in lines)})
