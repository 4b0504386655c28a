"""Patches of the first device of a golden tree, of which either side has files edited."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

from fabricgen.api.diff import DiffOptions, diff
from fabricgen.diagnostics import Bag
from tests.acceptance.run import REPOSITORY

EXPECTED = REPOSITORY / "tests/golden/expected"
CONFIG_DB, FRR, EOS = "etc/sonic/config_db.json", "etc/sonic/frr/frr.conf", "mnt/flash/startup-config"
NVUE, LINUX = "etc/nvue.d/startup.yaml", "etc/frr/frr.conf"
Edit = Callable[[str], str]


def swap(pattern: str, new: str) -> Edit:
    def changed(text: str) -> str:
        found, count = re.subn(pattern, new, text, count=1, flags=re.MULTILINE)
        assert count, pattern
        return found

    return changed


DRAIN = swap("^ bgp router-id", " bgp graceful-shutdown\n bgp router-id")


def plan(
    folder: Path, fabric: str, edits: dict[str, Edit], kind: str = "switches", intended: dict[str, Edit] | None = None
) -> dict[str, list[str]]:
    """The lines of each list of steps for the device whose files are edited where they are deployed, or intended."""
    device = min((EXPECTED / fabric / "config" / kind).iterdir())
    for side, changes in (("deployed", edits), ("intended", intended or {})):
        shutil.copytree(device, folder / side / kind / device.name)
        for path, edit in changes.items():
            file = folder / side / kind / device.name / path
            file.write_text(edit(file.read_text()))
    bag, patches = Bag(), folder / "patches"
    options = DiffOptions(folder, only=(device.name,), causes=False, patches=patches)
    assert diff(str(folder / "intended"), str(folder / "deployed"), options, bag) is not None
    assert not list(bag)
    ways = ("apply", "undo", "rollback")
    return {way: (patches / device.name / way / "steps").read_text().splitlines() for way in ways}
