"""Rollouts of small changes: the plan and the runbook, with digests left out, which follow every rendered file."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from fabricgen.api.diff import DiffOptions
from fabricgen.api.rollout import plan_rollout
from fabricgen.diagnostics import Bag
from tests.acceptance.run import copy_inventory, render_here
from tests.golden.conftest import Compare

_DIGEST = re.compile(r"\b[0-9a-f]{64}\b")
_SESSION = re.compile(r"\bfabricgen-[0-9a-f]{8}\b")
CHANGES: Mapping[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "quickstart": (
        "quickstart",
        (
            ("ntp: [192.168.0.10]", "ntp: [192.168.0.10, 192.168.0.20]"),
            ("leaf-spine: {speed: 400G,", "leaf-spine: {speed: 400G, mtu: 9216,"),
            ("\nexpect:", "\nlossless: {ecn: {kmin_bytes: 900000, kmax_bytes: 1800000, pmax_pct: 20}}\nexpect:"),
        ),
    ),
    "dual-tor": ("dual-tor", (("\noperations:", "\nrouting: {ecmp: {max_paths: 16}}\noperations:"),)),
    "mixed": (
        "dual-tor",
        (
            ("spine: {model: arista_7060x6_64pe, platform: eos", "spine: {model: arista_7060x6_64pe, platform: sonic"),
            ("ntp: [192.168.0.10]", "ntp: [192.168.0.10, 192.168.0.20]"),
        ),
    ),
}  # fmt: skip
"""Inventory, and the replacements that change it; all but the last one of ``mixed`` hold on both sides."""


@pytest.mark.parametrize("name", CHANGES)
def test_rollout_is_as_reviewed(name: str, golden: Compare, tmp_path: Path) -> None:
    inventory, edits = CHANGES[name]
    both = dict(edits[:-1]) if name == "mixed" else {}
    assert render_here(copy_inventory(inventory, tmp_path / "former", both), tmp_path / "deployed") == []
    shutil.rmtree(tmp_path / "deployed/manifest")
    copy_inventory(inventory, tmp_path / "intended", dict(edits))
    bag = Bag()
    planned = plan_rollout("intended", "deployed", tmp_path / "bundle", DiffOptions(tmp_path), bag, base="former")
    assert not bag.has_errors
    assert planned is not None
    paths = ("plan.json", "runbook.md") if name == "quickstart" else ("runbook.md",)
    shown = {path: planned.files[path].decode() for path in paths}
    if name == "quickstart":
        shown["files.txt"] = "".join(f"{path}\n" for path in sorted(planned.files))
    golden(
        f"rollout-{name}/bundle",
        {path: _SESSION.sub("fabricgen-SESSION", _DIGEST.sub("DIGEST", text)) for path, text in shown.items()},
    )
